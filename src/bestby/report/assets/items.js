"use strict";
for (const box of document.querySelectorAll(".bb-items")) {
  const regions = [...box.querySelectorAll(".bb-scroll")];
  const [pair, winner, find, found] = [".bb-pair", ".bb-winner", ".bb-find", ".bb-found"]
    .map((name) => box.querySelector(name));
  const tables = regions.map((region) => {
    const names = [...region.querySelector("thead").querySelectorAll("th")].map((cell) => cell.textContent);
    const at = names.indexOf("gold") < 0 ? 2 : 3;  // item, for, perhaps gold, and then the two systems
    return { rows: [...region.querySelector("tbody").rows], systems: names.slice(at, at + 2) };
  });
  const show = () => {
    const wanted = find.value.trim().toLowerCase();
    tables.forEach(({ rows, systems }, place) => {
      const chosen = String(place) === pair.value;
      regions[place].hidden = !chosen;
      if (!chosen) return;
      const side = winner.selectedIndex;
      let hits = 0;
      for (const row of rows) {
        const cells = [...row.cells].map((cell) => cell.textContent);
        row.hidden = (side > 0 && cells[1] !== systems[side - 1])
          || !cells.some((text) => text.toLowerCase().includes(wanted));
        hits += !row.hidden;
      }
      found.textContent = wanted || side ? `${hits} of ${rows.length}` : "";
    });
  };
  for (const field of [pair, winner, find]) field.addEventListener("input", show);
  box.querySelector(".bb-fields").hidden = false;
  pair.value = "0";
  show();
}
