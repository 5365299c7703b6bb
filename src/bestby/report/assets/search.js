"use strict";
for (const box of document.querySelectorAll(".bb-search")) {
  const rows = [...box.querySelector("tbody").rows];
  const find = box.querySelector(".bb-find");
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    let found = 0;
    for (const row of rows) {
      const hit = row.cells[1].textContent.toLowerCase().includes(wanted);
      row.hidden = !hit;
      found += hit;
    }
    box.querySelector(".bb-found").textContent = wanted ? `${found} of ${rows.length}` : "";
  });

  const source = box.querySelector(".bb-pairs");
  if (!source) continue;
  const data = JSON.parse(source.textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const columns = {};
  const column = (name) => {  // unpacked when first asked for; little-endian, as nearly every machine is
    if (!columns[name]) {
      const raw = bytes(data[name]);
      const view = new DataView(raw.buffer);
      const read = ["significant", "flip", "marked"].includes(name) ? (i) => raw[i]
        : name === "shown" ? (i) => view.getInt8(i)
        : name === "differing" ? (i) => view.getUint32(4 * i, true)
        : (i) => view.getFloat32(4 * i, true);
      columns[name] = read;
    }
    return columns[name];
  };
  const size = data.systems.length;
  const place = new Map(data.systems.map((name, position) => [name, position]));

  // As report/numbers.py: more decimals where a number would be rounded across 0 or the margin.
  const plain = (value, decimals) => {
    if (value === 0) return decimals <= 8 ? (0).toFixed(decimals) : "0";
    if (decimals <= 8 || Math.abs(value) >= 1e-3) {
      const text = value.toFixed(Math.min(decimals, 100));
      return Number(text) === 0 ? text.replace("-", "") : text;
    }
    const digits = Math.floor(Math.log10(Math.abs(value))) + decimals;
    return value.toExponential(Math.min(17, Math.max(0, digits))).replace("e+", "e");
  };
  const marks = [0, ...data.marks], singles = marks.map(Math.fround);
  // Only rounding separates 0.8 - 0.5 from a margin of 0.3.
  const side = (value, mark) => Math.abs(value - mark) <= 1e-12 * Math.abs(mark) ? 0 : Math.sign(value - mark);
  const needed = (value, decimals, sides) => {
    const shows = (text) => marks.every((mark, i) => Math.sign(Number(text) - mark) === side(value, sides[i]));
    while (decimals < 60 && !shows(plain(value, decimals))) decimals++;
    return decimals;
  };
  const signed = (text) => text.replace(/^-/, data.minus);
  const written = (value, decimals) => signed(plain(value, needed(value, decimals, marks)));
  const interval = (low, high, decimals) => {
    const own = [low, high].map((end) => needed(end, decimals, singles));
    const shared = Math.max(0, ...own.filter((count) => count <= 8));
    return `[${[low, high].map((end, i) => signed(plain(end, Math.max(shared, own[i])))).join(", ")}]`;
  };
  const pText = (p) => {
    if (p === 1) return "1";
    if (p < 1e-15) return "<1e-15";
    if (p < 1e-4) return p.toExponential(0);
    const decimals = Math.min(4, 1 - Math.floor(Math.log10(p)));
    const below = p <= Math.fround(data.alpha);
    for (let added = 0; added <= 4; added++) {
      const text = p.toFixed(decimals + added);
      if ((Number(text) <= data.alpha) === below) return Number(text) === 1 ? ">0.99" : text;
    }
    return below ? `${data.alpha}` : `>${data.alpha}`;
  };
  const position = (a, b) => {  // in a column: the pairs of the best one, then those of the next
    const [i, j] = a < b ? [a, b] : [b, a];
    return i * size - (i * (i + 1)) / 2 + (j - i - 1);
  };
  const pair = (first, second) => {  // A minus B as asked for; one-sided, as tested: p is of that direction only
    const at = position(first, second);
    const low = column("low")(at), high = column("high")(at);
    const turned = data.flip !== undefined && (column("flip")(at) === 1) !== (first > second);
    const [a, b] = turned ? [second, first] : [first, second];
    return {
      a: data.systems[a],
      b: data.systems[b],
      estimate: data.scores[a] - data.scores[b],
      low: a < b ? low : -high,
      high: a < b ? high : -low,
      p: column("p")(at),
      adjusted: column("adjusted")(at),
      differing: column("differing")(at),
      significant: column("significant")(at) === 1,
      shown: column("shown")(at),
      why: data.why[column("marked")(at)],
    };
  };

  const answer = box.querySelector(".bb-answer");
  const element = (kind, text, name) => {
    const made = document.createElement(kind);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  };
  const bounded = data.level !== null, tested = data.test !== null;
  const how = tested ? `Test: ${data.test}` : "Nothing was tested";
  const heads = ["A", "B", `A ${data.minus} B`];
  if (bounded) heads.push(`${data.level} interval`);
  if (tested) heads.push("p");
  if (data.correction !== "none") heads.push(`p (${data.correction})`);
  heads.push("items that differ");
  if (tested) heads.push("significant");
  const kindOf = (i) => i < 2 || (tested && i === heads.length - 1) ? "bb-name" : "bb-num";
  const table = (caption, pairs) => {
    const made = element("table", undefined, "bb-table");
    made.append(element("caption", caption));
    const head = made.createTHead().insertRow();
    heads.forEach((text, i) => {
      const cell = element("th", text, kindOf(i));
      cell.scope = "col";
      head.append(cell);
    });
    const body = made.createTBody(), reasons = new Set();
    for (const [a, b] of pairs) {
      const found = pair(a, b);
      const digits = data.digits.difference;
      const texts = [found.a, found.b, written(found.estimate, digits)];
      if (bounded) texts.push(interval(found.low, found.high, digits));
      if (tested) texts.push(pText(found.p));
      if (data.correction !== "none") texts.push(pText(found.adjusted));
      texts.push(String(found.differing));
      const opposed = found.significant && !found.shown;  // which is said in words
      const [mark, reason] = !found.why || opposed ? ["", ""] : [` ${found.why[0]}`, found.why.join(" ")];
      if (tested) texts.push((!found.significant ? "no" : found.shown ? "yes" : "by the test only") + mark);
      if (reason) reasons.add(reason);
      const row = body.insertRow();
      if (found.significant) row.className = "bb-strong";
      texts.forEach((text, i) => {
        row.append(element("td", text, i === 2 ? "bb-num bb-main" : kindOf(i)));
      });
    }
    const region = element("div", undefined, "bb-scroll");
    region.append(made);
    if (reasons.size) region.append(element("p", [...reasons].join(" "), "bb-small"));
    return region;
  };
  const fields = [".bb-a", ".bb-b"].map((name) => box.querySelector(name));
  const show = () => {
    const [first, second] = fields.map((field) => field.value.trim());
    const a = place.get(first), b = place.get(second);
    answer.replaceChildren();
    const unknown = [[first, a], [second, b]].filter(([name, at]) => name && at === undefined);
    if (unknown.length) {
      answer.append(element("p", `No system ${unknown.map(([name]) => name).join(", ")}.`, "bb-small"));
    }
    if (a === undefined || (second && b === undefined)) return;
    if (b !== undefined && b !== a) {
      answer.append(table(how, [[a, b]]));
      return;
    }
    let above = 0, below = 0;
    const near = [];
    for (let other = 0; other < size; other++) {
      if (other === a) continue;
      const shown = column("shown")(position(a, other));
      if (shown) (shown > 0) === (other < a) ? above++ : below++;
      if (Math.abs(other - a) <= 10) near.push([a, other]);
    }
    const [low, high] = data.ranks[a];
    const rank = low === high ? `${low}` : `${low} to ${high}`;
    const score = `${first}: score ${written(data.scores[a], data.digits.score)}`;
    answer.append(element("p", !tested ? `${score}.` : `${score}, rank ${rank} of`
      + ` ${data.all}. Of the systems here, ${above} are significantly better, ${below} significantly worse,`
      + ` and ${size - 1 - above - below} cannot be told apart from it.`, "bb-small"));
    answer.append(table(`${first} and its neighbours in rank. ${how}`, near));
  };
  for (const field of fields) field.addEventListener("input", show);
  // The page can be linked to: report.html#a=name&b=name
  const asked = new URLSearchParams(location.hash.slice(1));
  if (place.has(asked.get("a"))) {
    fields[0].value = asked.get("a");
    fields[1].value = asked.get("b") || "";
    show();
  }
}
