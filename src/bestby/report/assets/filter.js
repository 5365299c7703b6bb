"use strict";
for (const region of document.querySelectorAll(".bb-tested")) {
  const label = document.createElement("label"), box = document.createElement("input");
  const rows = [...region.querySelector("tbody").rows];
  box.type = "checkbox";
  box.className = "bb-filter";
  label.className = "bb-check";
  label.append(box, " only significant ones");
  box.addEventListener("input", () => {
    for (const row of rows) row.hidden = box.checked && !row.classList.contains("bb-strong");
  });
  region.before(label);
}
