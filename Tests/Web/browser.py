"""Opens pages in the browser and checks what holds for each of them."""

import json
import os

from playwright.sync_api import expect

AUDIT = open(os.path.join(os.path.dirname(__file__), "audit.js"), encoding="utf-8").read()
# In milliseconds. On a busy machine, a program may not run for many seconds, and a commit of the queue may take long.
TIMEOUT = 120_000
expect.set_options(timeout=TIMEOUT)
# Roles that must have a name for screen readers.
NAMED = {
    "button", "link", "textbox", "searchbox", "checkbox", "combobox", "spinbutton", "dialog", "image", "grid",
    "progressbar", "group", "toolbar", "region", "complementary", "RootWebArea", "columnheader", "InputTime",
}


class Pages:
    """Opens pages and records what no page may do: errors, warnings, requests to other servers."""

    def __init__(self, browser, scene):
        self.browser = browser
        self.scene = scene
        self.complaints = []
        self.expects_loss = False

    def open(self, path=None, prepare=None, **options):
        options.setdefault("viewport", {"width": 1280, "height": 800})
        context = self.new_context(**options)
        page = context.new_page()
        page.on("console", self.on_console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", self.on_request)
        if prepare:
            prepare(page)
        link = path or self.scene.pawl("daemon", "token", "--url")
        page.goto(link)
        return page

    def new_context(self, **options):
        context = self.browser.new_context(**options)
        context.set_default_timeout(TIMEOUT)
        return context

    def on_console(self, message):
        # The browser itself logs a lost connection and a refused login, and what its end interrupts.
        if message.text == "Error: The browser is shutting down.":
            return
        if message.type in ("error", "warning") and not self.expects_loss:
            self.complaints.append(f"console: {message.text}")

    def on_request(self, request):
        if not request.url.startswith((self.scene.url + "/", "data:")):
            self.complaints.append(f"request to another server: {request.url}")


def audit(page, where):
    """Requires contrast, valid references and names."""
    # A dialog that is just opening cannot be seen yet.
    page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
    found = page.evaluate(AUDIT)
    client = page.context.new_cdp_session(page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    client.detach()
    roles = set()
    for node in nodes:
        role = node.get("role", {}).get("value")
        if node.get("ignored") or role not in NAMED:
            continue
        roles.add(role)
        name = node.get("name", {}).get("value", "").strip()
        if not name and role not in ("group", "image"):
            found.append(f"a {role} without a name: {json.dumps(node.get('properties', []))[:200]}")
    assert "button" in roles, f"{where}: nothing was examined"
    assert not found, f"{where}: " + "; ".join(sorted(set(found)))


def thread_clock(page):
    """A function that returns the CPU time of the page's thread in seconds: other programs may be running."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds():
        metrics = client.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    return seconds
