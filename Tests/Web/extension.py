"""Checks of the browser extension, with a native host that the checks control."""

import contextlib
import json
import os
import shutil
import stat
import sys
import tempfile

from playwright.sync_api import expect

from browser import TIMEOUT, audit
from checks import KIB, MIB, check, until
from origin import Answer

BROWSER = shutil.which("chromium")
EXTENSION = os.path.join(os.path.dirname(__file__), "../../Extensions/pawl")
HOST = "org.pawl.host"

# Answers one message as the file `mode` says. `hold` waits for the file `go`, which contains the mode to continue with.
HOST_PROGRAM = """#!{python}
import json, os, struct, sys, time
folder = {folder!r}
(length,) = struct.unpack("=I", sys.stdin.buffer.read(4))
message = json.loads(sys.stdin.buffer.read(length))
with open(os.path.join(folder, "messages"), "a") as log:
    log.write(json.dumps(dict(message, callers=sys.argv[1:])) + "\\n")
def text(name):
    with open(os.path.join(folder, name)) as file:
        return file.read()
mode = text("mode")
if mode == "hold":
    while not os.path.exists(os.path.join(folder, "go")):
        time.sleep(0.02)
    mode = text("go")
if mode == "crash":
    os._exit(1)
answer = {{"version": 2 if mode == "newer" else 1}}
if mode in ("refuse", "half"):
    answer["problem"] = {{"title": "the disk is full", "advice": "make room", "code": "disk-full"}}
    if mode == "half":
        answer["added"] = [{{"id": 1, "name": "x"}}]
elif "ping" in message:
    answer["program"] = "pawl 1.2.3"
else:
    answer["added"] = [{{"id": number, "name": "x"}} for number in range(1, len(message["add"]) + 1)]
if mode == "short":
    answer["added"].pop()
body = json.dumps(answer).encode()
sys.stdout.buffer.write(struct.pack("=I", len(body)) + body)
sys.stdout.buffer.flush()
"""


class Site(Answer):
    """The origin with pages, cookies and forms besides the files."""

    def do_GET(self):
        if not self.path.startswith("/page"):
            super().do_GET()
            return
        is_script = self.path.endswith(".js")
        body = (self.server.script if is_script else self.server.page).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if is_script else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "session=secret; HttpOnly; Path=/; SameSite=Lax")
        self.send_header("Set-Cookie", "here=1; Path=/page")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.posts += 1
        if self.server.stalls:
            self.server.gate.wait()
        if "size" not in self.path:
            self.path += f"&size={3 * KIB}"
        super().do_GET()


class Extended:
    """A browser with the extension, a native host and folders of its own."""

    def __init__(self, context, folder, origin, pages):
        self.context, self.folder, self.origin, self.pages = context, folder, origin, pages
        context.set_default_timeout(TIMEOUT)
        self.worker = context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
        self.worker.on("console", pages.on_console)
        self.page = context.pages[0]
        self.opened = 0
        # Playwright's own handling of downloads asks no extension for the name of a file.
        session = context.new_cdp_session(self.page)
        session.send("Browser.setDownloadBehavior", {"behavior": "default"})

    def set_mode(self, mode):
        with open(os.path.join(self.folder, "mode"), "w", encoding="utf-8") as file:
            file.write(mode)

    def release(self, mode="add"):
        path = os.path.join(self.folder, "go")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(mode)
        os.rename(path + ".new", path)

    def messages(self):
        """The messages that the native host has received."""
        path = os.path.join(self.folder, "messages")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def requests(self):
        return [request for message in self.messages() for request in message.get("add", [])]

    def open(self, html=""):
        """Opens a page of the origin with this content; returns its URL."""
        self.origin.page = f"<!doctype html><title>A page</title>{html}"
        # To the same URL, the browser would only scroll.
        self.opened += 1
        url = f"http://127.0.0.1:{self.origin.server_port}/page/one?token={self.opened}#part"
        self.page.goto(url)
        return url

    def change(self, **settings):
        self.worker.evaluate("(settings) => chrome.storage.local.set(settings)", settings)

    def choose(self, entry, **info):
        """Chooses an entry of the context menu on the open page, which only the browser itself can show."""
        self.worker.evaluate(
            """async (info) => {
                const [tab] = await chrome.tabs.query({ active: true });
                chrome.contextMenus.onClicked.dispatch(info, tab);
            }""",
            {"menuItemId": entry, "pageUrl": self.page.url, "frameId": 0, "editable": False, **info},
        )

    def downloads(self):
        return self.worker.evaluate("() => chrome.downloads.search({})")

    def notifications(self):
        return self.worker.evaluate("() => chrome.notifications.getAll()")

    def files(self):
        return sorted(os.listdir(os.path.join(self.folder, "downloads")))

    def address(self, name):
        """The URL of a file of the extension."""
        return self.worker.url.replace("background.js", name)

    def until(self, condition):
        until(self.page, condition)


@contextlib.contextmanager
def extended(origin, pages, is_connected=True, scene=None):
    """Runs a browser with the extension; without a connection, no native host is installed. With a scene, the user is
    that of its daemon, and the host is the real one."""
    folder = tempfile.mkdtemp(prefix="pawl-extension-")
    # Chromium looks for hosts in the folder of the profiles, which is here where it is by default.
    profile = os.path.join(scene.home, ".config/chromium") if scene else os.path.join(folder, "profile")
    downloads = os.path.join(folder, "downloads")
    for path in (downloads, os.path.join(profile, "Default")):
        os.makedirs(path)
    with open(os.path.join(profile, "Default/Preferences"), "w", encoding="utf-8") as file:
        json.dump({"download": {"default_directory": downloads, "prompt_for_download": False}}, file)
    if scene:
        scene.pawl("native-host", "install")
    elif is_connected:
        install_controlled_host(folder, os.path.join(profile, "NativeMessagingHosts"))
    origin.RequestHandlerClass = Site
    origin.stalls, origin.posts = False, 0
    arguments = [f"--disable-extensions-except={EXTENSION}", f"--load-extension={EXTENSION}"]
    context = pages.browser.browser_type.launch_persistent_context(
        profile,
        executable_path=BROWSER,
        args=arguments + (["--no-sandbox"] if os.geteuid() == 0 else []),
        ignore_default_args=["--disable-extensions"],
        timeout=TIMEOUT,
        env={**os.environ, **(scene.environment if scene else {})},
    )
    try:
        browser = Extended(context, folder, origin, pages)
        browser.set_mode("add")
        # The origin is this computer.
        browser.change(fromPrivateAddresses=True)
        yield browser
    finally:
        origin.release()
        context.close()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(profile, ignore_errors=True)


def install_controlled_host(folder, hosts):
    """Installs the host of these checks, which answers as the file `mode` in the folder says."""
    program = os.path.join(folder, "host")
    with open(program, "w", encoding="utf-8") as file:
        file.write(HOST_PROGRAM.format(python=sys.executable, folder=folder))
    os.chmod(program, stat.S_IRWXU)
    os.mkdir(hosts)
    with open(os.path.join(hosts, f"{HOST}.json"), "w", encoding="utf-8") as file:
        json.dump(manifest(program), file)


def manifest(program):
    """The host's manifest as `pawl native-host install` writes it: only this extension may start the host."""
    return {
        "name": HOST,
        "description": "Pawl",
        "path": program,
        "type": "stdio",
        "allowed_origins": ["chrome-extension://odbjaenahpejckehdnennpcngmflbamd/"],
    }


def link(url, name="file", attributes=""):
    return f'<a href="{url}" {attributes}>{name}</a>'


# MARK: Handing over


@check
def a_link_is_handed_over_with_cookies_referrer_and_user_agent(scene, origin, pages):
    with extended(origin, pages) as browser:
        page = browser.open()
        agent = browser.page.evaluate("navigator.userAgent")
        file = origin.url("file", 10)
        browser.choose("link", linkUrl=file + "#part")
        browser.until(browser.messages)
        (message,) = browser.messages()
        assert message["version"] == 1 and message["callers"][0] == manifest("")["allowed_origins"][0], message
        # The cookie of another path is not sent, nor is the page's fragment.
        assert message["add"] == [
            {"url": file, "userAgent": agent, "cookies": "session=secret", "referrer": page.split("#")[0]}
        ], message
        # Another site gets no path, no query and no cookie.
        other = f"http://localhost:{origin.server_port}/file"
        browser.choose("link", linkUrl=other)
        browser.until(lambda: len(browser.messages()) == 2)
        home = f"http://127.0.0.1:{origin.server_port}/"
        assert browser.requests()[1] == {"url": other, "userAgent": agent, "referrer": home}, browser.requests()[1]
        assert browser.downloads() == []


@check
def partitioned_cookies_are_handed_over(scene, origin, pages):
    with extended(origin, pages) as browser:
        browser.open()
        browser.worker.evaluate(
            """async () => {
                const url = "https://files.pawl.example/";
                const set = (name, topLevelSite) => chrome.cookies.set({
                    url, name, value: "1", secure: true, sameSite: "no_restriction",
                    ...(topLevelSite ? { partitionKey: { topLevelSite } } : {}),
                });
                await set("plain");
                await set("own", "https://pawl.example");
                await set("embedded", "https://page.example");
                await set("foreign", "https://other.example");
            }"""
        )

        def names():
            return sorted(pair.split("=")[0] for pair in browser.requests()[-1]["cookies"].split("; "))

        browser.choose("link", linkUrl="https://files.pawl.example/a")
        browser.until(lambda: len(browser.requests()) == 1)
        assert names() == ["own", "plain"], names()
        # An image gets those that it has on this page.
        browser.choose("image", srcUrl="https://files.pawl.example/b", pageUrl="https://www.page.example/")
        browser.until(lambda: len(browser.requests()) == 2)
        assert names() == ["embedded", "own", "plain"], names()


@check
def the_button_hands_the_page_over(scene, origin, pages):
    with extended(origin, pages) as browser:
        page = browser.open()
        # The number on the button disappears after a while, which may be over before this check reads it.
        browser.worker.evaluate(
            """() => {
                const real = setTimeout;
                globalThis.setTimeout = (work, milliseconds, ...more) => real(work, 100 * milliseconds, ...more);
            }"""
        )
        browser.worker.evaluate(
            """async () => {
                const [tab] = await chrome.tabs.query({ active: true });
                chrome.action.onClicked.dispatch(tab);
            }"""
        )
        browser.until(browser.messages)
        (request,) = browser.requests()
        assert request["url"] == page.split("#")[0] and "referrer" not in request, request
        assert "session=secret" in request["cookies"] and "here=1" in request["cookies"], request
        browser.until(lambda: browser.worker.evaluate("chrome.action.getBadgeText({})") == "+1")


@check
def each_url_of_a_selection_is_handed_over_once(scene, origin, pages):
    with extended(origin, pages) as browser:
        one, two, text = (origin.url(name, 10) for name in ("one", "two", "text"))
        browser.open(
            f"<p>before {link(origin.url('before', 10))}</p>"
            f"<p id=part>{link(one)} {link(two)} {link(one)} and {text.replace('&', '&amp;')}, {link('blob:x')}</p>"
        )
        browser.page.evaluate("getSelection().selectAllChildren(document.getElementById('part'))")
        browser.choose("selection", selectionText="file file")
        browser.until(browser.messages)
        assert [request["url"] for request in browser.requests()] == [one, two, text], browser.requests()


@check
def many_urls_are_divided_into_messages(scene, origin, pages):
    with extended(origin, pages) as browser:
        urls = [origin.url(f"many-{number}", 10) for number in range(230)]
        browser.open("<p>" + " ".join(map(link, urls)) + "</p>")
        browser.page.evaluate("getSelection().selectAllChildren(document.body)")
        browser.choose("selection", selectionText="")
        browser.until(lambda: len(browser.requests()) == 230)
        assert [len(message["add"]) for message in browser.messages()] == [100, 100, 30]
        assert [request["url"] for request in browser.requests()] == urls


@check
def a_failed_hand_over_is_reported(scene, origin, pages):
    with extended(origin, pages) as browser:
        browser.open()
        browser.choose("link", linkUrl="blob:http://127.0.0.1/x")
        browser.until(lambda: "failure" in browser.notifications())
        assert browser.messages() == []
        browser.worker.evaluate("chrome.notifications.clear('failure')")
        browser.set_mode("refuse")
        browser.choose("link", linkUrl=origin.url("file", 10))
        browser.until(lambda: "failure" in browser.notifications())
        browser.set_mode("half")
        half = """async () => {
            const { add } = await import("./host.js");
            return add([{ url: "http://a.example/" }, { url: "http://b.example/" }]).catch((error) => [error.added, error.text]);
        }"""
        page = browser.context.new_page()
        page.goto(browser.address("options.html"))
        added, text = page.evaluate(half)
        assert added == [{"id": 1, "name": "x"}], added
        assert text == "The first 1 were added. The others were not: the disk is full; make room", text
        browser.set_mode("crash")
        browser.choose("link", linkUrl=origin.url("file", 10))
        browser.until(lambda: "host-missing" in browser.notifications())


# MARK: Taking over


@check
def a_download_is_taken_over_only_after_it_was_confirmed(scene, origin, pages):
    with extended(origin, pages) as browser:
        browser.set_mode("hold")
        file = origin.url("file", 4 * MIB, hold=KIB, drip=KIB)
        page = browser.open(link(file))
        agent = browser.page.evaluate("navigator.userAgent")
        browser.page.get_by_role("link").click()
        browser.until(browser.messages)
        (item,) = browser.downloads()
        assert item["state"] == "in_progress", item
        browser.release()
        browser.until(lambda: not browser.downloads())
        (request,) = browser.requests()
        assert request == {
            "url": file, "userAgent": agent, "cookies": "session=secret", "referrer": page.split("#")[0],
            "fileName": "file",
        }, request
        assert browser.files() == [], browser.files()


@check
def a_download_that_ends_in_the_meantime_is_not_lost(scene, origin, pages):
    with extended(origin, pages) as browser:
        browser.set_mode("hold")
        browser.open(link(origin.url("file", 2 * MIB), attributes='download="other name.bin"'))
        browser.page.get_by_role("link").click()
        browser.until(browser.messages)
        # The browser has received all bytes, but waits for the name.
        browser.until(lambda: browser.downloads()[0]["bytesReceived"] == 2 * MIB)
        assert browser.requests()[0]["fileName"] == "other name.bin", browser.requests()
        browser.release("refuse")
        browser.until(lambda: browser.downloads()[0]["state"] == "complete")
        assert browser.files() == ["other name.bin"], browser.files()


def watching(browser):
    """A page of the extension that hands downloads over itself while the extension does not."""
    browser.change(takesOver=False)
    page = browser.context.new_page()
    page.goto(browser.address("options.html"))
    page.evaluate("async () => (await import('./responses.js')).watch()")
    browser.page.bring_to_front()
    return page


# Takes over the download that runs; the title becomes the result.
TAKE_OVER = """async (changes) => {
    const { takeOver } = await import("./takeover.js");
    const [item] = await chrome.downloads.search({});
    await chrome.storage.local.set({ takesOver: true });
    takeOver({ ...item, ...changes }, "file").then((isTaken) => { document.title = String(isTaken); });
}"""


# The following checks do what only Firefox does: a download does not wait, and is reported before its response.
@check
def a_file_that_is_complete_at_the_confirmation_is_kept(scene, origin, pages):
    with extended(origin, pages) as browser:
        page = watching(browser)
        browser.open(link(origin.url("file", 2 * MIB, hold=KIB, drip=KIB)))
        browser.page.get_by_role("link").click()
        browser.until(lambda: browser.files() and browser.downloads()[0]["filename"])
        browser.set_mode("hold")
        page.evaluate(TAKE_OVER, {})
        browser.until(browser.requests)
        origin.release()
        browser.until(lambda: browser.downloads()[0]["state"] == "complete")
        browser.release()
        expect(page).to_have_title("false")
        assert browser.downloads()[0]["exists"] and browser.files() == ["file"], browser.files()


@check
def a_size_that_is_known_late_counts(scene, origin, pages):
    with extended(origin, pages) as browser:
        page = watching(browser)
        browser.open(link(origin.url("small", MIB - 1, hold=KIB, drip=KIB)))
        browser.page.get_by_role("link").click()
        browser.until(lambda: browser.downloads() and browser.downloads()[0]["filename"])
        page.evaluate(TAKE_OVER, {"totalBytes": -1, "fileSize": -1})
        expect(page).to_have_title("false")
        assert browser.requests() == [], browser.requests()


@check
def an_earlier_response_of_the_url_does_not_count(scene, origin, pages):
    with extended(origin, pages) as browser:
        page = watching(browser)
        # In a frame: nothing can be asked of a page that waits for the next one.
        form = '<form method="post" target="frame"><button>Send</button></form>'
        url = browser.open(form + '<iframe name="frame"></iframe>')
        of_url = "async (url) => (await (await import('./responses.js')).responseFor(url))?.method ?? null"
        assert page.evaluate(of_url, url) == "GET"
        origin.stalls = True
        browser.page.get_by_role("button").click()
        browser.until(lambda: origin.posts)
        assert page.evaluate(of_url, url) is None
        origin.release()
        browser.until(lambda: page.evaluate(of_url, url) == "POST")


def keeps(browser, name, size, start=None, is_asked=False):
    """Begins a download and requires that the browser completes it."""
    asked = len(browser.messages())
    if start:
        start()
    else:
        browser.open(link(browser.origin.url(name, size)))
        browser.page.get_by_role("link").click()
    path = os.path.join(browser.folder, "downloads", name)
    ended = {"filename": path, "state": "complete"}
    browser.until(lambda: any(ended.items() <= item.items() for item in browser.downloads()))
    assert os.path.getsize(path) == size
    assert (len(browser.messages()) > asked) == is_asked, browser.messages()[asked:]


@check
def a_failing_host_leaves_the_download_to_the_browser(scene, origin, pages):
    with extended(origin, pages) as browser:
        for mode in ("crash", "refuse", "newer", "short"):
            browser.set_mode(mode)
            keeps(browser, mode, 2 * MIB, is_asked=True)
        assert {"host-missing", "failure"} <= set(browser.notifications()), browser.notifications()
        browser.worker.evaluate("chrome.notifications.clear('host-missing')")
        # The same failure is reported once.
        browser.set_mode("crash")
        keeps(browser, "again", 2 * MIB, is_asked=True)
        assert "host-missing" not in browser.notifications(), browser.notifications()


@check
def without_a_host_the_browser_downloads_and_says_what_to_do(scene, origin, pages):
    with extended(origin, pages, is_connected=False) as browser:
        keeps(browser, "file", 2 * MIB)
        assert list(browser.notifications()) == ["host-missing"], browser.notifications()
        page = browser.context.new_page()
        page.goto(browser.address("options.html"))
        expect(page.locator("#connection")).to_contain_text("Pawl does not respond")
        expect(page.locator("#help")).to_contain_text("pawl native-host install")


@check
def what_only_the_browser_can_fetch_stays_there(scene, origin, pages):
    with extended(origin, pages) as browser:
        browser.change(minimumBytes=0)
        size = 3 * KIB

        def from_form():
            browser.open(f'<form method="post" action="{origin.url("form", size)}"><button>Send</button></form>')
            browser.page.get_by_role("button").click()

        def from_script(make):
            def start():
                browser.open("<a id=made download=script.bin href=#>file</a>")
                browser.page.evaluate(f"(size) => {{ document.getElementById('made').href = {make}; }}", size)
                browser.page.get_by_role("link").click()

            return start

        keeps(browser, "form", size, from_form)

        def from_same_url():
            browser.open('<form method="post"><button>Send</button></form>')
            browser.page.get_by_role("button").click()

        keeps(browser, "one", size, from_same_url)
        blob = "new Blob(['x'.repeat(size)], { type: 'application/octet-stream' })"
        keeps(browser, "script.bin", size, from_script(f"URL.createObjectURL({blob})"))
        os.remove(os.path.join(browser.folder, "downloads/script.bin"))
        keeps(browser, "script.bin", size, from_script("'data:application/octet-stream,' + 'x'.repeat(size)"))


@check
def a_file_of_a_service_worker_stays_with_the_browser(scene, origin, pages):
    with extended(origin, pages) as browser:
        browser.change(minimumBytes=0)
        origin.script = (
            "addEventListener('fetch', (event) => { if (event.request.url.includes('made')) event.respondWith("
            "new Response('x'.repeat(3000), { headers: { 'Content-Type': 'application/octet-stream' } })); });"
            "addEventListener('activate', (event) => event.waitUntil(clients.claim()));"
        )

        def start():
            browser.open(link("made"))
            browser.page.evaluate(
                """() => new Promise((done) => {
                    navigator.serviceWorker.addEventListener("controllerchange", done);
                    navigator.serviceWorker.register("worker.js");
                })"""
            )
            browser.page.get_by_role("link").click()

        keeps(browser, "made", 3000, start)


@check
def the_settings_decide_what_is_taken_over(scene, origin, pages):
    with extended(origin, pages) as browser:
        keeps(browser, "small", MIB - 1)
        browser.change(excludedHosts=["27.0.0.1"])
        assert takes(browser, "other")
        browser.change(excludedHosts=["127.0.0.1"])
        keeps(browser, "excluded", 2 * MIB)
        browser.change(excludedHosts=[], fromPrivateAddresses=False)
        keeps(browser, "private", 2 * MIB)
        browser.change(fromPrivateAddresses=True, takesOver=False)
        keeps(browser, "off", 2 * MIB)
        browser.change(takesOver=True, minimumBytes=3 * MIB)
        keeps(browser, "below", 3 * MIB - 1)
        assert takes(browser, "above", 3 * MIB)


def takes(browser, name, size=2 * MIB):
    """Begins a download and waits until the browser no longer has it; returns whether it was handed over."""
    asked = len(browser.messages())
    file = browser.origin.url(name, size, hold=KIB, drip=KIB)
    browser.open(link(file))
    browser.page.get_by_role("link").click()
    browser.until(lambda: len(browser.messages()) > asked)
    browser.until(lambda: all(item["url"] != file for item in browser.downloads()))
    return browser.requests()[-1]["url"] == file


@check
def cookies_that_the_browser_withholds_are_not_handed_over(scene, origin, pages):
    with extended(origin, pages) as browser:
        browser.open()
        browser.context.add_cookies(
            [{"name": "strict", "value": "1", "domain": "localhost", "path": "/", "sameSite": "Strict"}]
        )
        size = 2 * MIB
        elsewhere = origin.url("file", size).replace("127.0.0.1", "localhost")

        def start():
            browser.open(link(elsewhere))
            browser.page.get_by_role("link").click()

        keeps(browser, "file", size, start)
        # Within the site, the browser sends it, too.
        browser.origin.page = f"<!doctype html>{link(elsewhere.replace('file', 'own'))}"
        browser.page.goto(f"http://localhost:{origin.server_port}/page")
        browser.page.get_by_role("link").click()
        browser.until(browser.requests)
        assert "strict=1" in browser.requests()[0]["cookies"], browser.requests()


def decide(browser, module, function, cases):
    """Calls a function of a module with each list of arguments, in a page of the extension."""
    page = browser.context.new_page()
    page.goto(browser.address("options.html"))
    for arguments, wanted in cases:
        got = page.evaluate(
            """async ([module, name, values]) => (await import(`./${module}`))[name](...values) ?? null""",
            [module, function, arguments],
        )
        assert got == wanted, f"{function}{tuple(arguments)}: {got!r}, not {wanted!r}"
    page.close()


@check
def the_rules_decide_which_downloads_are_kept(scene, origin, pages):
    item = {"url": "http://a.example/x", "state": "in_progress", "totalBytes": 5 * MIB, "danger": "safe"}
    response = {"method": "GET", "address": "93.184.215.14"}
    settings = {"takesOver": True, "minimumBytes": MIB, "excludedHosts": ["b.example"], "fromPrivateAddresses": False}

    def kept(wanted, change=None, **settings_changed):
        return [{**item, **(change or {})}, {**settings, **settings_changed}], wanted

    def kept_response(wanted, url="http://a.example/x", change=None, **settings_changed):
        return [url, {**response, **(change or {})}, {**settings, **settings_changed}], wanted

    with extended(origin, pages) as browser:
        decide(browser, "takeover.js", "reasonToKeep", [
            kept(None),
            kept("the user has turned this off", takesOver=False),
            kept("only the browser has the data", {"url": "blob:http://a.example/x"}),
            kept("only the browser has the data", {"finalUrl": "data:,x"}),
            kept("another extension has started it", {"byExtensionId": "x"}),
            kept("it belongs to a private window", {"incognito": True}),
            kept("it does not run", {"state": "complete"}),
            kept("it does not run", {"paused": True}),
            kept("the browser warns of it", {"danger": "url"}),
            kept(None, {"danger": "file"}),
            kept("it is a page", {"mime": "text/html; charset=utf-8"}),
            kept("it is small", {"totalBytes": MIB - 1}),
            kept(None, {"totalBytes": -1, "fileSize": -1}),
            kept(None, {"totalBytes": 0, "fileSize": MIB}),
            kept("its host is excluded", {"url": "http://b.example/x"}),
            kept("its host is excluded", {"finalUrl": "http://c.b.example/x"}),
            kept("its host is excluded", {"referrer": "http://b.example/page"}),
            kept(None, {"url": "http://ab.example/x"}),
        ])
        decide(browser, "takeover.js", "reasonToKeepResponse", [
            kept_response(None),
            (["http://a.example/x", None, settings], "it did not come from the network"),
            kept_response("it answers a form", change={"method": "POST"}),
            kept_response("its address is private", change={"address": "10.1.2.3"}),
            kept_response("its address is private", "http://nas.local/x"),
            kept_response("its address is private", "http://[fd00::1]/x", {"address": None}),
            kept_response(None, "http://nas/x", {"address": "10.1.2.3"}, fromPrivateAddresses=True),
        ])
        private = (
            "localhost 127.1.2.3 10.0.0.1 100.64.0.1 172.31.0.1 192.168.0.1 169.254.1.1 0.0.0.0 224.0.0.1 198.18.0.1"
            " [::1] ::1 fe80::1 fd12::1 ::ffff:10.0.0.1 nas printer.local a.localhost router.home.arpa"
        )
        decide(browser, "hosts.js", "isPrivate", [([host], True) for host in private.split()])
        public = "8.8.8.8 100.128.0.1 172.32.0.1 192.169.0.1 198.20.0.1 2001:4860::1 [2606::1] example.org"
        decide(browser, "hosts.js", "isPrivate", [([host], False) for host in public.split()])


@check
def referrers_follow_the_usual_policy(scene, origin, pages):
    page = "https://me:secret@a.example/b?c=1#d"
    with extended(origin, pages) as browser:
        decide(browser, "request.js", "referrerFor", [
            ([page, "https://a.example/x"], "https://a.example/b?c=1"),
            ([page, "https://b.example/x"], "https://a.example/"),
            ([page, "http://a.example/x"], None),
            (["http://a.example/b", "https://a.example/x"], "http://a.example/"),
            ([page, "ftp://a.example/x"], None),
            (["about:blank", "https://a.example/x"], None),
            ([None, "https://a.example/x"], None),
        ])
        decide(browser, "request.js", "fetchable", [
            (["https://a.example/x#y"], "https://a.example/x"),
            (["sftp://a.example/x"], "sftp://a.example/x"),
            (["http:a"], None),
            (["javascript:alert(1)"], None),
            (["file:///etc/passwd"], None),
            ([None], None),
        ])
        decide(browser, "menus.js", "urlsIn", [
            (["see https://a.example/x, (http://b.example/y). ftp://c.example"],
             ["https://a.example/x", "http://b.example/y", "ftp://c.example"]),
            (["<https://a.example/Foo_(bar)>"], ["https://a.example/Foo_(bar)"]),
            (["nothing: here"], []),
        ])
        decide(browser, "hosts.js", "parseHosts", [
            (["A.example\n*.b.example https://c.example:8080/x"], ["a.example", "b.example", "c.example"]),
            (["münchen.example"], ["xn--mnchen-3ya.example"]),
        ])


# MARK: The options


@check
def the_options_are_accessible_and_saved(scene, origin, pages):
    with extended(origin, pages) as browser:
        page = browser.context.new_page()
        page.on("console", pages.on_console)
        page.on("pageerror", lambda error: pages.complaints.append(f"error: {error}"))
        page.goto(browser.address("options.html"))
        expect(page.locator("#connection")).to_have_text("Connected to pawl 1.2.3.")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            audit(page, f"options, {scheme}")
        page.get_by_label("Pass them to Pawl").uncheck()
        page.get_by_label("Minimum size").fill("2.5")
        page.get_by_label("Excluded hosts").fill("https://Example.org/a\n*.example.com\n\nexample.org")
        page.get_by_label("Include downloads from this computer").uncheck()
        page.get_by_label("Minimum size").focus()
        expect(page.get_by_label("Excluded hosts")).to_have_value("example.org\nexample.com")
        saved = page.evaluate("chrome.storage.local.get()")
        assert saved == {
            "takesOver": False, "minimumBytes": int(2.5 * MIB), "excludedHosts": ["example.org", "example.com"],
            "fromPrivateAddresses": False,
        }, saved
        page.reload()
        expect(page.get_by_label("Minimum size")).to_have_value("2.5")
        expect(page.get_by_label("Pass them to Pawl")).not_to_be_checked()
