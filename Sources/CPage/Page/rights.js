// What the login of this browser may do. The daemon decides; the page only hides what the daemon would refuse.

import * as api from "./api.js";
import { recall, remember } from "./storage.js";

// `scope` is that of the token: read, add or manage. A login code gives at least the rights of manage.
// `owner` is what the daemon writes into `owner` of the downloads that this login has added, if it is known.
let rights = recall("rights", { scope: "manage" });

function apply(found) {
  rights = found;
  remember("rights", found);
  showRights();
}

// Hides the elements with `data-needs` by a rule of the style.
export const showRights = () => { document.body.dataset.scope = rights.scope; };

// Whether this login may add downloads, change settings, or control a download; without one, any download.
export function may(action, download) {
  if (rights.scope === "manage") return true;
  if (rights.scope === "read" || action === "settings") return false;
  if (action === "add" || !download) return true;
  return rights.owner ? download.owner === rights.owner : Boolean(download.owner?.startsWith("token:"));
}

export const gaveCode = () => apply({ scope: "manage" });

// Finds out what a token allows: requests that change nothing are refused to those who may not make them.
export async function gaveToken() {
  try {
    const { historyDays } = await api.settings();
    await api.changeSettings({ historyDays });
    apply({ scope: "manage" });
  } catch (error) {
    if (error.status !== 403) return;
    const name = /^the token '(.*)', whose scope/.exec(error.message)?.[1];
    apply({ scope: await mayControl() ? "add" : "read", owner: name ? `token:${name}` : null });
  }
}

async function mayControl() {
  try {
    // No finished download can be paused.
    await api.actOnAll("pause", ["finished"]);
    return true;
  } catch (error) {
    return error.status !== 403;
  }
}
