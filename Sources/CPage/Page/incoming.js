// What reaches the page from outside: pasted and dropped texts, dropped files, and links to the page.

import { $ } from "./dom.js";
import { may } from "./rights.js";

// isTyping(target), isDragging() of a row, text(text), files(files)
export function listenToInput({ isTyping, isDragging, text, files }) {
  document.addEventListener("paste", (event) => {
    if (isTyping(event.target) || !may("add")) return;
    const { clipboardData: data } = event;
    const pasted = data.getData("text/plain");
    // A picture that was copied is not a list.
    const lists = [...data.files].filter(({ type }) => !type.startsWith("image/"));
    if (!pasted.trim() && !lists.length) return;
    event.preventDefault();
    if (lists.length) files(lists);
    else text(pasted);
  });

  // Text that is dropped into a field of a dialog belongs to the field. A file never does.
  const isOurs = ({ target, dataTransfer }) => !isDragging()
    && (dataTransfer?.types.includes("Files") || !target.closest?.("dialog :is(input, textarea)"));
  const drop = $("drop");
  document.addEventListener("dragover", (event) => {
    drop.hidden = !isOurs(event) || !may("add");
    // Otherwise the browser would leave the page for what is dropped.
    if (isOurs(event)) event.preventDefault();
  });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.hidden = true; });
  document.addEventListener("drop", (event) => {
    drop.hidden = true;
    if (!isOurs(event)) return;
    event.preventDefault();
    const { dataTransfer: data } = event;
    if (data.files.length) { files([...data.files]); return; }
    const dropped = data.getData("text/uri-list") || data.getData("text/plain");
    if (dropped.trim()) text(dropped);
  });
}

// Reads the fragment of the page's address, and removes it: `#code=…` and `#token=…` log in, `#add=URL` fills in the
// form that adds downloads. The URL need not be encoded.
export function takeLink() {
  const link = location.hash.slice(1);
  if (!/^(code|token|add)=/.test(link)) return {};
  history.replaceState(history.state, "", location.pathname);
  if (!link.startsWith("add=")) return Object.fromEntries(new URLSearchParams(link));
  const text = link.slice(4);
  try {
    return { text: /^[a-z]+:\/\//i.test(text) ? text : decodeURIComponent(text) };
  } catch {
    return { text };
  }
}
