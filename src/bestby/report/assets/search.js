"use strict";
for (const box of document.querySelectorAll(".bb-systems")) {
  const rows = [...box.querySelector("tbody").rows];
  const names = [...box.querySelector("thead").querySelectorAll("th")];
  const nameAt = names.findIndex((cell) => cell.classList.contains("bb-name"));
  const find = box.querySelector(".bb-find"), best = box.querySelector(".bb-best");
  const mayBeAt = names.findIndex((cell) => cell.textContent === best?.dataset.column);
  const search = () => {
    const wanted = find.value.trim().toLowerCase(), only = best !== null && best.checked;
    let found = 0;
    for (const row of rows) {
      const hit = row.cells[nameAt].textContent.toLowerCase().includes(wanted)
        && !(only && row.cells[mayBeAt].textContent === "");
      row.hidden = !hit;
      found += hit;
    }
    box.querySelector(".bb-found").textContent = wanted || only ? `${found} of ${rows.length}` : "";
  };
  for (const field of [find, best]) field?.addEventListener("input", search);

  const source = box.querySelector(".bb-pairs");
  if (!source) continue;
  const data = JSON.parse(source.textContent);
  const inflated = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };
  const columns = {};
  let others;
  const unpack = async () => {  // when first asked for
    for (const [name, column] of Object.entries(data.columns)) {
      const bytes = await inflated(column.data), length = bytes.length / column.size;
      columns[name] = (i) => {  // first the low bytes of all numbers
        let value = column.start;
        for (let k = 0; k < column.size; k++) value += bytes[k * length + i] * 256 ** k;
        return value;
      };
    }
    others = JSON.parse(new TextDecoder().decode(await inflated(data.others)));
  };
  const size = data.systems.length;
  const place = new Map(data.systems.map((name, position) => [name, position]));

  // As report/numbers.py: more decimals where a number would be rounded across 0 or the margin.
  const plain = (value, decimals, more) => {
    if (value === 0) return decimals <= 8 ? (0).toFixed(decimals) : "0";
    if ((decimals <= 8 && more <= 2) || Math.abs(value) >= 1e-3) {
      const text = value.toFixed(Math.min(decimals, 100));
      return Number(text) === 0 ? text.replace("-", "") : text;
    }
    const digits = Math.floor(Math.log10(Math.abs(value))) + decimals;
    return value.toExponential(Math.min(17, Math.max(0, digits))).replace("e+", "e");
  };
  const marks = [0, ...data.marks];
  // Only rounding separates 0.8 - 0.5 from a margin of 0.3.
  const side = (value, mark) => Math.abs(value - mark) <= 1e-12 * Math.abs(mark) ? 0 : Math.sign(value - mark);
  const written = (value, decimals) => {
    let more = 0;
    const shows = (text) => marks.every((mark) => Math.sign(Number(text) - mark) === side(value, mark));
    while (decimals + more < 60 && !shows(plain(value, decimals + more, more))) more++;
    return signed(plain(value, decimals + more, more));
  };
  const signed = (text) => text.replace(/^-/, data.minus);
  const inUnits = (units) => signed((units / 10 ** data.digits.difference).toFixed(data.digits.difference));
  const opposite = (text) => text.startsWith(data.minus) ? text.slice(data.minus.length)
    : /[1-9\u221e]/.test(text) ? data.minus + text : text;
  const interval = (at, mirrored) => {
    const known = others[at];
    let ends = known ? known.slice(1, -1).split(", ")
      : [columns.low(at), columns.low(at) + columns.width(at)].map(inUnits);
    if (known && ends.length < 2) return known;  // a dash
    if (mirrored) ends = [opposite(ends[1]), opposite(ends[0])];
    const infinite = ends.map((text) => text.includes("\u221e"));
    return `${infinite[0] ? "(" : "["}${ends.join(", ")}${infinite[1] ? ")" : "]"}`;
  };
  const position = (a, b) => {  // in a column: the pairs of the best one, then those of the next
    const [i, j] = a < b ? [a, b] : [b, a];
    return i * size - (i * (i + 1)) / 2 + (j - i - 1);
  };
  const pair = (first, second) => {  // first minus second; one-sided, as tested: p is of that direction only
    const at = position(first, second);
    const flags = columns.flags(at);
    const turned = data.one_sided && ((flags & 2) !== 0) !== (first > second);
    const [a, b] = turned ? [second, first] : [first, second];
    return {
      a: data.systems[a],
      b: data.systems[b],
      estimate: data.scores[a] - data.scores[b],
      interval: data.level === null ? "" : interval(at, a > b),
      p: data.p_texts[columns.p(at)],
      adjusted: data.p_texts[columns.adjusted(at)],
      differing: columns.differing(at),
      significant: (flags & 1) !== 0,
      shown: ((flags >> 2) & 3) - 1,
      why: data.why[flags >> 4],
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
  const heads = [...data.heads];
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
      if (bounded) texts.push(found.interval);
      if (tested) texts.push(found.p);
      if (data.correction !== "none") texts.push(found.adjusted);
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
    for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", caption]]) {
      region.setAttribute(name, value);
    }
    region.append(made);
    if (reasons.size) region.append(element("p", [...reasons].join(" "), "bb-small"));
    return region;
  };
  const fields = [".bb-a", ".bb-b"].map((name) => box.querySelector(name));
  const told = box.querySelector(".bb-told");
  const shownOf = (a, b) => ((columns.flags(position(a, b)) >> 2) & 3) - 1;
  const nearest = (a) => {  // ten on each side in rank, of all or of those that differ significantly from it
    const near = [];
    for (const step of [-1, 1]) {
      for (let other = a + step, found = 0; other >= 0 && other < size && found < 10; other += step) {
        if (told.checked && !shownOf(a, other)) continue;
        near.push(other);
        found++;
      }
    }
    return near.sort((one, other) => one - other).map((other) => [a, other]);
  };
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
    for (let other = 0; other < size; other++) {
      const shown = other === a ? 0 : shownOf(a, other);
      if (shown) (shown > 0) === (other < a) ? above++ : below++;
    }
    const [low, high] = data.ranks[a];
    const rank = low === high ? `${low}` : `${low} to ${high}`;
    const score = `${first}: score ${written(data.scores[a], data.digits.score)}`;
    answer.append(element("p", !tested ? `${score}.` : `${score}, rank ${rank} of`
      + ` ${data.all}. Of the systems here, ${above} are significantly better, ${below} significantly worse,`
      + ` and ${size - 1 - above - below} cannot be told apart from it.`, "bb-small"));
    const which = told.checked ? "the nearest in rank that differ significantly from it" : "its neighbours in rank";
    answer.append(table(`${first} and ${which}. ${how}`, nearest(a)));
  };
  let unpacked;
  const ask = () => {
    unpacked ??= unpack();
    unpacked.then(show, () => answer.replaceChildren(element("p",
      "This browser cannot unpack the pairs. They are in the JSON and the CSV.", "bb-small")));
  };
  for (const field of [...fields, told]) field.addEventListener("input", ask);
  // The page can be linked to: report.html#a=name&b=name
  const asked = new URLSearchParams(location.hash.slice(1));
  if (place.has(asked.get("a"))) {
    fields[0].value = asked.get("a");
    fields[1].value = asked.get("b") || "";
    ask();
  }
}
