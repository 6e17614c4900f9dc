// Connects the parts of the extension. The browser starts this script for an event: each listener is added at once.

import * as menus from "./menus.js";
import * as responses from "./responses.js";
import * as takeover from "./takeover.js";

responses.watch();
takeover.watch();
menus.watch();
chrome.runtime.onInstalled.addListener(menus.create);
chrome.notifications.onClicked.addListener(() => chrome.runtime.openOptionsPage());
