// Keeps a click that arrives before the other scripts are ready. The page is drawn without them, and neither a user nor
// the browser's `load` event waits for the texts, which i18n.js loads. This script imports nothing, so it runs first.

let button = null;
// A button that opens a menu needs no script.
const keep = ({ target }) => { button = target.closest("button:not([popovertarget])"); };
addEventListener("click", keep, true);

// Called when the page reacts to its buttons.
export function ready() {
  removeEventListener("click", keep, true);
  button?.click();
}
