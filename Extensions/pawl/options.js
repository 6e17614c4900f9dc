// The page with the settings. A change is saved immediately.

import { ping } from "./host.js";
import { parseHosts } from "./hosts.js";
import { load, save } from "./settings.js";

const $ = (id) => document.getElementById(id);
const mebibyte = 1024 * 1024;
const allSites = { origins: ["http://*/*", "https://*/*"] };

async function show() {
  const settings = await load();
  $("takes-over").checked = settings.takesOver;
  $("minimum").value = String(Math.round((settings.minimumBytes / mebibyte) * 100) / 100);
  $("excluded").value = settings.excludedHosts.join("\n");
  $("private").checked = settings.fromPrivateAddresses;
}

async function check() {
  $("connection").textContent = "Checking …";
  let problem = null;
  try {
    $("connection").textContent = `Connected to ${await ping()}.`;
  } catch (error) {
    problem = error;
    $("connection").textContent = error.message;
  }
  $("connection").classList.toggle("problem", problem !== null);
  $("help").hidden = !problem?.isMissingHost;
}

async function showAccess() {
  const isMissing = !(await chrome.permissions.contains(allSites));
  $("grant").hidden = $("access").hidden = !isMissing;
}

$("takes-over").addEventListener("change", (event) => save({ takesOver: event.target.checked }));
$("private").addEventListener("change", (event) => save({ fromPrivateAddresses: event.target.checked }));
$("minimum").addEventListener("change", (event) => {
  const size = Number(event.target.value);
  if (event.target.value.trim() && size >= 0) save({ minimumBytes: Math.round(size * mebibyte) });
  else show();
});
$("excluded").addEventListener("change", async (event) => {
  await save({ excludedHosts: parseHosts(event.target.value) });
  await show();
});
$("check").addEventListener("click", check);
$("grant").addEventListener("click", async () => {
  await chrome.permissions.request(allSites);
  await showAccess();
});
$("access").hidden = true;
await Promise.all([show(), check(), showAccess()]);
