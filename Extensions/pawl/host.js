// The native host, `pawl native-host`, which passes requests to the daemon. docs/extension.md describes the protocol.

export const hostName = "org.pawl.host";
const version = 1;

// The browser accepts messages of the host up to 1 MiB, and the host those of the browser.
const mostBytes = 512 * 1024;
const mostRequests = 100;

const howToConnect = "Run “pawl native-host install” in a terminal. Then try again.";

export class Problem extends Error {
  constructor({ title, advice, code }, added = []) {
    super(title);
    this.advice = advice;
    this.code = code;
    // The ids and names of the downloads that were added before the problem occurred.
    this.added = added;
  }

  // Whether the host is not installed, or cannot run.
  get isMissingHost() { return this.code === "host-missing"; }

  get text() {
    const count = this.added.length;
    const start = count ? `The first ${count} were added. The others were not: ` : "";
    return start + [this.message, this.advice].filter(Boolean).join("; ");
  }
}

async function send(message) {
  let answer;
  try {
    answer = await chrome.runtime.sendNativeMessage(hostName, { version, ...message });
  } catch (error) {
    const title = `Pawl does not respond (${error.message})`;
    throw new Problem({ title, advice: howToConnect, code: "host-missing" });
  }
  if (answer?.problem) throw new Problem(answer.problem, answer.added);
  if (answer?.version !== version) {
    throw new Problem({
      title: "Pawl and its browser extension have different versions", advice: "update both", code: "version",
    });
  }
  return answer;
}

// Returns the version of the program.
export const ping = async () => (await send({ ping: true })).program;

// Adds downloads; returns their ids and names. If not all were added, the error has those that were.
export async function add(requests) {
  const added = [];
  for (const part of parts(requests)) {
    try {
      const answer = await send({ add: part });
      if (answer.added?.length !== part.length) {
        throw new Problem({ title: "Pawl sent an invalid response", advice: "update Pawl", code: "bad-response" });
      }
      added.push(...answer.added);
    } catch (problem) {
      problem.added = [...added, ...problem.added];
      throw problem;
    }
  }
  return added;
}

// Divides the requests into lists that fit in a message.
function parts(requests) {
  const lists = [];
  let bytes = Infinity;
  const encoder = new TextEncoder();
  for (const request of requests) {
    const size = encoder.encode(JSON.stringify(request)).length;
    if (bytes + size > mostBytes || lists.at(-1).length === mostRequests) {
      lists.push([]);
      bytes = 0;
    }
    lists.at(-1).push(request);
    bytes += size;
  }
  return lists;
}
