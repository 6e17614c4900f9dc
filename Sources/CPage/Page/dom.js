// Functions for elements of the document.

export const $ = (id) => document.getElementById(id);

// Creates an element: el("button", {class: "x", type: "button"}, "text", child). Nothing is parsed as HTML.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "onclick") node.addEventListener("click", value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const svgNamespace = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export const icon = (name) => svg("svg", { "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));

// Sets only a text that differs: each assignment would cost a layout.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value);
  }
}

// Announces a text to screen readers.
let announcement = 0;
export function announce(text) {
  const live = $("live");
  live.textContent = "";
  cancelAnimationFrame(announcement);
  // Screen readers read only changes.
  announcement = requestAnimationFrame(() => { live.textContent = text; });
}

// Returns a function that runs `draw` in the next frame, once per frame, and not while the page is hidden.
export function inFrame(draw) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => { isScheduled = false; draw(); });
  };
}
