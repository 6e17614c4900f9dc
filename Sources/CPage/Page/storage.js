// What this browser remembers about the page: the language, the columns, the order, and the rights of the login.

// Returns what was remembered, or `usual`. The browser may keep no data for the page.
export function recall(name, usual = null) {
  try {
    return JSON.parse(localStorage.getItem(`pawl.${name}`)) ?? usual;
  } catch {
    return usual;
  }
}

// Remembers a value; `null` forgets it.
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`pawl.${name}`);
    else localStorage.setItem(`pawl.${name}`, JSON.stringify(value));
  } catch { /* The choice then lasts until the page is closed. */ }
}
