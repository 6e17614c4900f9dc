// Decisions about host names and addresses.

export const hostOf = (url) => (URL.canParse(url) ? new URL(url).hostname : "");

// Whether a host is one of the hosts in a list, or a subdomain of one.
export const isListed = (host, list) => list.some((each) => host === each || host.endsWith(`.${each}`));

// Reads the user's list of hosts, one per line; a line may also be a URL or begin with `*.`.
export function parseHosts(text) {
  const hosts = text.split(/\s+/).filter(Boolean).map((word) => {
    const url = word.includes("://") ? word : `http://${word.replace(/^\*?\./, "")}`;
    return hostOf(url);
  });
  return [...new Set(hosts.filter(Boolean))];
}

// Whether a name or an address is one of this computer or of a private network. A name without a dot is one of the
// local network.
export function isPrivate(host) {
  const address = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (address.includes(":")) {
    // Only 2000::/3 is assigned to the Internet.
    return !/^[23][0-9a-f]{3}:/.test(address);
  }
  const numbers = /^\d+\.\d+\.\d+\.\d+$/.test(address) ? address.split(".").map(Number) : null;
  if (!numbers) return !address.includes(".") || /\.(localhost|local|internal|home\.arpa)$/.test(address);
  const [first, second] = numbers;
  return [0, 10, 127].includes(first) || first >= 224 || (first === 100 && second >= 64 && second < 128)
    || (first === 169 && second === 254) || (first === 172 && second >= 16 && second < 32)
    || (first === 192 && second === 168) || (first === 198 && (second === 18 || second === 19));
}
