// What the user is told: successes on the button of the extension, failures as notifications.

const shownMilliseconds = 3000;

export async function reportSuccess(count) {
  await chrome.action.setBadgeBackgroundColor({ color: "#1a6e33" });
  await chrome.action.setBadgeText({ text: `+${count}` });
  setTimeout(() => chrome.action.setBadgeText({ text: "" }), shownMilliseconds);
}

// With `once`, the same failure is shown only once until the browser is closed: downloads that the browser begins
// succeed without Pawl, too.
export async function reportFailure(problem, { once = false } = {}) {
  const id = problem.isMissingHost ? "host-missing" : "failure";
  if (once) {
    const { reported = [] } = await chrome.storage.session.get("reported");
    if (reported.includes(problem.code)) return;
    await chrome.storage.session.set({ reported: [...reported, problem.code] });
  }
  await chrome.notifications.create(id, {
    type: "basic",
    iconUrl: chrome.runtime.getURL("icons/128.png"),
    title: once ? "The browser downloads the file, not Pawl" : "Not added to Pawl",
    message: problem.text ?? problem.message,
  });
}
