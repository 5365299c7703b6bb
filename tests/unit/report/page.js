"use strict";
// As much of a browser as the scripts of a report ask for.
class Text {
  constructor(text) { this.textContent = text; }
}
class Element {
  constructor(tag) {
    Object.assign(this, { tag, childNodes: [], attributes: {}, listeners: {}, className: "", value: "", hidden: false });
  }
  get classList() { return { contains: (name) => this.className.split(" ").includes(name) }; }
  get dataset() { return { key: this.attributes["data-key"], column: this.attributes["data-column"] }; }
  get textContent() { return this.childNodes.map((node) => node.textContent).join(""); }
  set textContent(text) { this.replaceChildren(new Text(String(text))); }
  get children() { return this.childNodes.filter((node) => node instanceof Element); }
  get rows() { return this.querySelectorAll("tr"); }
  get cells() { return this.children; }
  get tHead() { return this.querySelector("thead"); }
  get tBodies() { return this.querySelectorAll("tbody"); }
  append(...nodes) {
    for (const given of nodes) {
      const node = typeof given === "string" ? new Text(given) : given;
      if (node.parent) node.parent.childNodes.splice(node.parent.childNodes.indexOf(node), 1);
      node.parent = this;
      this.childNodes.push(node);
    }
  }
  add(tag) {
    const made = new Element(tag);
    this.append(made);
    return made;
  }
  createTHead() { return this.add("thead"); }
  createTBody() { return this.add("tbody"); }
  insertRow() { return this.add("tr"); }
  replaceChildren(...nodes) {
    this.childNodes = [];
    this.append(...nodes);
  }
  before(node) {
    node.parent = this.parent;
    this.parent.childNodes.splice(this.parent.childNodes.indexOf(this), 0, node);
  }
  get selectedIndex() { return this.index ?? 0; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  addEventListener(kind, listener) { (this.listeners[kind] ??= []).push(listener); }
  dispatch(kind) { (this.listeners[kind] ?? []).forEach((listener) => listener()); }
  is(selector) {  // tag, .class or tag.class
    const [tag, name] = selector.split(".");
    return (!tag || tag === this.tag) && (!name || this.classList.contains(name));
  }
  querySelectorAll(selector) {  // descendants of descendants, as in ".box .field"
    const [first, ...rest] = selector.split(" ");
    if (rest.length) return this.querySelectorAll(first).flatMap((found) => found.querySelectorAll(rest.join(" ")));
    return this.children.flatMap((child) => [...(child.is(selector) ? [child] : []), ...child.querySelectorAll(selector)]);
  }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
}
const built = ([tag, attributes, children]) => {
  const made = new Element(tag);
  Object.assign(made, { attributes, className: attributes.class ?? "" });
  made.append(...children.map((child) => (typeof child === "string" ? new Text(child) : built(child))));
  return made;
};
class URLSearchParams {
  constructor(text) { this.pairs = new Map(text.split("&").map((pair) => pair.split("=").map(decodeURIComponent))); }
  get(name) { return this.pairs.get(name) ?? null; }
}
// What unpacks deflated columns; `inflate`, from base64 to base64, is Python's.
class Blob {
  constructor([bytes]) { this.bytes = bytes; }
  stream() { return this; }
  pipeThrough() { return this; }
}
class DecompressionStream {}
class TextDecoder {
  decode(bytes) { return decodeURIComponent([...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")); }
}
class Response {
  constructor(blob) { this.bytes = blob.bytes; }
  async arrayBuffer() {
    const packed = btoa([...this.bytes].map((byte) => String.fromCharCode(byte)).join(""));
    return Uint8Array.from(atob(inflate(packed)), (letter) => letter.charCodeAt(0)).buffer;
  }
}
let document, location;
const open = (tree, hash) => {
  document = built(tree);
  document.createElement = (tag) => new Element(tag);
  location = { hash };
  for (const script of document.querySelectorAll("script")) if (!script.attributes.type) (0, eval)(script.textContent);
};
const type = (selector, text) => {
  const field = document.querySelector(selector);
  field.value = text;
  field.dispatch("input");
};
const click = (header) => {
  const found = document.querySelectorAll("th").find((cell) => cell.textContent === header);
  found.querySelector("button").dispatch("click");
};
const choose = (selector, value, index) => {
  const field = document.querySelector(selector);
  Object.assign(field, { value: String(value), checked: value === true, index });
  field.dispatch("input");
};
const shown = (selector) => document.querySelectorAll(selector).filter((node) => !node.hidden).length;
const text = (selector) => document.querySelectorAll(selector).map((node) => node.textContent);
const rows = (selector) => document.querySelector(selector).querySelector("tbody").rows
  .filter((row) => !row.hidden).map((row) => row.cells.map((cell) => cell.textContent));
