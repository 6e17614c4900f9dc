// Made from the tables of settings by a test: PAWL_RECORD=1 writes it again.

export const downloadFields = [
  {
    "name": "ifExists",
    "label": "If the file exists",
    "input": "choice",
    "choices": [
      "rename",
      "overwrite",
      "skip",
      "fail"
    ],
    "default": "rename",
    "hint": "What to do if the file exists: rename, overwrite, skip or fail. Default: rename, which adds a number to the name of the new file."
  },
  {
    "name": "checksum",
    "label": "Checksum",
    "input": "text",
    "placeholder": "sha256=…, for a single URL",
    "hint": "The file's checksum, as `sha256=hex`, `auto` or `none`. Default: the checksum that the server sends, if any."
  },
  {
    "name": "mirrors",
    "label": "Mirrors",
    "input": "text",
    "isList": true,
    "placeholder": "One URL per line",
    "hint": "Other URLs of the same file; at most 32 KiB together."
  },
  {
    "name": "fields",
    "label": "Headers",
    "input": "field",
    "isList": true,
    "isChangeable": true,
    "placeholder": "Name: value, one per line",
    "hint": "The header fields to send; a change replaces all earlier ones."
  },
  {
    "name": "userAgent",
    "label": "User-Agent",
    "input": "text",
    "placeholder": "Pawl’s own",
    "hint": "Send this User-Agent."
  },
  {
    "name": "referer",
    "label": "Referring page",
    "input": "text",
    "placeholder": "None",
    "hint": "Send this URL to every server as the page that links to the file."
  },
  {
    "name": "credentials",
    "label": "Name and password",
    "input": "credentials",
    "isChangeable": true,
    "placeholder": "name:password",
    "hint": "The name and password with which to sign in."
  },
  {
    "name": "allowsUntrustedCertificates",
    "label": "Accept any certificate",
    "input": "flag",
    "default": false,
    "hint": "Whether to accept any certificate. An attacker on the network can then read and change the data. Default: false."
  },
  {
    "name": "proxy",
    "label": "Proxy",
    "input": "text",
    "placeholder": "From the environment",
    "hint": "The URL of the proxy, with `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`, where `socks4a` and `socks5h` let the proxy resolve names; or `none`. Default: the proxy in the environment of the process."
  },
  {
    "name": "connections",
    "label": "Connections",
    "input": "number",
    "least": 1,
    "most": 64,
    "isChangeable": true,
    "placeholder": "Automatic",
    "hint": "Connections per download, 1 to 64. Default: up to 16, added while the total speed increases."
  },
  {
    "name": "retries",
    "label": "Retries",
    "input": "number",
    "least": 0,
    "most": 1000000,
    "default": 10,
    "hint": "Allow at most this many consecutive failures. A server that has never responded is asked at most four times. Default: 10."
  },
  {
    "name": "stallTimeoutSeconds",
    "label": "Stall timeout",
    "input": "seconds",
    "default": 30,
    "hint": "Replace a connection that receives nothing for this many seconds. Default: 30."
  },
  {
    "name": "maximumSeconds",
    "label": "Maximum time",
    "input": "seconds",
    "placeholder": "No limit",
    "hint": "Stop a download after this many seconds; the bytes received so far are kept."
  },
  {
    "name": "limitBytesPerSecond",
    "label": "Speed limit",
    "input": "rate",
    "isChangeable": true,
    "placeholder": "No limit",
    "hint": "Maximum bytes per second; 0 means no limit."
  },
  {
    "name": "keepsServerTime",
    "label": "Use the server’s file time",
    "input": "flag",
    "default": false,
    "hint": "Whether the finished file gets the server's modification time. With false, it has the time of the download, so that tools that compare times do not treat a new file as an old one. Default: false."
  }
];

export const daemonFields = [
  {
    "name": "limitBytesPerSecond",
    "label": "Total speed limit",
    "input": "rate",
    "isChangeable": true,
    "placeholder": "No limit",
    "hint": "Maximum bytes per second of all downloads together; 0 means no limit."
  },
  {
    "name": "maximumConcurrentDownloads",
    "label": "Simultaneous downloads",
    "input": "number",
    "least": 1,
    "most": 1000,
    "isChangeable": true,
    "default": 5,
    "hint": "Simultaneous downloads, 1 to 1000. Default: 5."
  },
  {
    "name": "connectionsPerHost",
    "label": "Connections per host",
    "input": "number",
    "least": 1,
    "most": 1000,
    "isChangeable": true,
    "default": 16,
    "hint": "Maximum number of connections per host, for all downloads together, 1 to 1000. Default: 16."
  },
  {
    "name": "usesMeteredNetwork",
    "label": "Download on metered networks",
    "input": "flag",
    "isChangeable": true,
    "default": true,
    "hint": "Whether to download on metered networks. Default: true."
  },
  {
    "name": "historyCount",
    "label": "Ended downloads to keep",
    "input": "number",
    "least": 0,
    "most": 10000000,
    "isChangeable": true,
    "default": 10000,
    "hint": "Keep at most this many ended downloads in the list, 0 to 10000000; their files stay. Default: 10000."
  },
  {
    "name": "historyDays",
    "label": "Days to keep ended downloads",
    "input": "number",
    "least": 1,
    "most": 36500,
    "isChangeable": true,
    "default": 90,
    "hint": "Keep ended downloads in the list for this many days, 1 to 36500. Default: 90."
  }
];
