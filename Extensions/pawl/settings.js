// The settings of the extension.

export const defaults = {
  takesOver: true,
  // Smaller files stay with the browser.
  minimumBytes: 1024 * 1024,
  // Hosts whose downloads stay with the browser, including those of their subdomains.
  excludedHosts: [],
  // Whether downloads from this computer and private networks are taken over. The daemon refuses these addresses,
  // unless the user allows them.
  fromPrivateAddresses: false,
};

export const load = () => chrome.storage.local.get(defaults);
export const save = (changes) => chrome.storage.local.set(changes);
