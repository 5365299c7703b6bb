"use strict";
for (const table of document.querySelectorAll("table.bb-sortable")) {
  const headers = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    header.setAttribute("aria-sort", "none");
    const numeric = header.classList.contains("bb-num");
    const key = (row) => row.cells[column].dataset.key;
    const compare = (a, b) => (numeric ? Number(a) - Number(b) : a.localeCompare(b));
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of headers) other.setAttribute("aria-sort", "none");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((x, y) => {
        const a = key(x), b = key(y);
        if (a === "" || b === "") return (a === "") - (b === ""); // what is undefined comes last
        return down ? compare(b, a) : compare(a, b);
      });
      body.append(...rows);
    });
  });
}
