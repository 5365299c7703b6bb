"use strict";
for (const box of document.querySelectorAll(".bb-systems-of-board")) {
  const rows = [...box.querySelector("tbody").rows], fields = box.querySelector(".bb-fields");
  if (!fields) continue;
  const find = box.querySelector(".bb-find"), first = box.querySelector(".bb-first");
  const texts = rows.map((row) => [...row.cells].filter((cell) => cell.classList.contains("bb-name"))
    .map((cell) => `${cell.dataset.key} ${cell.textContent}`.toLowerCase()).join(" "));
  const search = () => {
    const wanted = find.value.trim().toLowerCase(), only = first !== null && first.checked;
    let found = 0;
    rows.forEach((row, place) => {
      row.hidden = !texts[place].includes(wanted) || (only && !row.classList.contains("bb-could"));
      found += !row.hidden;
    });
    box.querySelector(".bb-found").textContent = wanted || only ? `${found} of ${rows.length}` : "";
  };
  for (const field of [find, first]) field?.addEventListener("input", search);
  fields.hidden = false;
}
