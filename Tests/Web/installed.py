"""Checks of the page as an app: the manifest, its icons, and the worker that keeps the page's files."""

import struct
import urllib.parse
import urllib.request

from playwright.sync_api import expect

from checks import check, in_state, until

KEPT = """() => caches.open("pawl-shell").then((cache) => cache.keys())
    .then((requests) => requests.map(({ url }) => new URL(url).pathname).sort())"""

# The files are kept at the same time, in any order.
LOADED_FILES_ARE_KEPT = """async (base) => {
    const cache = await caches.open("pawl-shell");
    const kept = new Set((await cache.keys()).map(({ url }) => new URL(url).pathname));
    const files = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)
        .filter((path) => path.startsWith(`${base}assets/`) && /[.](js|css)$/.test(path));
    return [base, `${base}assets/texts.en.js`, ...files].every((path) => kept.has(path));
}"""


def opened(pages, link=None, base="/"):
    """Opens a page and waits until its worker keeps the files of the page."""
    page = pages.open(link)
    expect(page.locator("#grid:not([aria-busy])")).to_have_count(1)
    page.evaluate("navigator.serviceWorker.ready.then(() => {})")
    # Playwright's `wait_for_function` takes a promise for a true value, whatever it resolves to.
    until(page, lambda: page.evaluate(LOADED_FILES_ARE_KEPT, base))
    return page


@check
def the_page_can_be_installed(scene, origin, pages):
    page = opened(pages)
    expect(page.locator("link[rel=manifest]")).to_have_count(1)
    client = page.context.new_cdp_session(page)
    answer = client.send("Page.getAppManifest")
    assert answer["url"].endswith(".webmanifest") and not answer["errors"], answer
    problems = client.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # Playwright's contexts are private windows, in which nothing is installed.
    assert [each["errorId"] for each in problems if each["errorId"] != "in-incognito"] == [], problems
    for icon in page.evaluate("fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())")["icons"]:
        with urllib.request.urlopen(urllib.parse.urljoin(answer["url"], icon["src"])) as file:
            content = file.read()
            assert file.headers["Content-Type"] == icon["type"], icon
        if icon["type"] == "image/png":
            assert content[:8] == b"\x89PNG\r\n\x1a\n", icon
            width, height = struct.unpack(">II", content[16:24])
            assert icon["sizes"] == f"{width}x{height}", (icon, width, height)


@check
def the_page_works_below_the_path_of_a_proxy(scene, origin, pages):
    scene.ask("PATCH", "/v1/settings", {"baseURL": "http://proxy.example/downloads/"})
    try:
        # As if a proxy had kept the path.
        base = scene.url + "/downloads/"
        page = opened(pages, f"{base}#token={scene.pawl('daemon', 'token')}", "/downloads/")
        # By the stream of events.
        scene.add([origin.url("one", 10)], isPaused=True)
        in_state(page, "one", "paused")
        kept = page.evaluate(KEPT)
        assert "/downloads/" in kept and all(path.startswith("/downloads/") for path in kept), kept
        assert page.evaluate("navigator.serviceWorker.ready.then(({ scope }) => scope)") == base
        cookies = {each["name"]: each["path"] for each in page.context.cookies([base])}
        assert cookies == {"pawl": "/downloads/"}, cookies
        answer = page.context.new_cdp_session(page).send("Page.getAppManifest")
        assert answer["url"].startswith(base) and not answer["errors"], answer
        page.get_by_role("button", name="Settings").click()
        link = page.get_by_role("dialog", name="Settings").get_by_text("Download with Pawl")
        assert f"{base}#add=" in link.get_attribute("href")
    finally:
        scene.ask("PATCH", "/v1/settings", {"baseURL": None})


@check
def the_page_opens_while_the_daemon_does_not_run(scene, origin, pages):
    scene.add([origin.url("one", 10)], isPaused=True)
    page = opened(pages)
    in_state(page, "one", "paused")
    pages.expects_loss = True
    context = page.context
    page.close()
    scene.kill()
    try:
        context.set_offline(True)
        page = context.new_page()
        page.goto(scene.url + "/")
        expect(page.locator("#banner")).to_contain_text("The daemon does not respond")
        expect(page.get_by_role("button", name="Add")).to_be_visible()
    finally:
        context.set_offline(False)
        scene.start()
    in_state(page, "one", "paused")
    expect(page.locator("#banner")).to_be_hidden()


@check
def the_page_opens_while_the_daemon_does_not_answer(scene, origin, pages):
    page = opened(pages)
    context = page.context
    page.close()
    with scene.standing_still():
        page = context.new_page()
        page.goto(scene.url + "/")
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_role("dialog", name="Add downloads")).to_be_visible()


@check
def the_worker_keeps_the_files_of_the_page_and_nothing_else(scene, origin, pages):
    page = opened(pages)
    # From the second visit on, the worker sees all requests.
    page.reload()
    expect(page.locator("#grid:not([aria-busy])")).to_have_count(1)
    assert page.evaluate("Boolean(navigator.serviceWorker.controller)")
    scene.add([origin.url("secret", 10)], isPaused=True)
    in_state(page, "secret", "paused")
    kept = page.evaluate(KEPT)
    assert "/" in kept and "/assets/main.js" in kept and "/assets/texts.en.js" in kept, kept
    assert all(path == "/" or path.startswith("/assets/") for path in kept), kept
    # A newer page of the daemon is displayed, not the kept one.
    stale = "caches.open('pawl-shell').then((cache) => cache.put('/', new Response('old', { headers: { 'Content-Type': 'text/html' } })))"
    page.evaluate(stale)
    page.reload()
    in_state(page, "secret", "paused")
