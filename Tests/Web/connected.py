"""Checks of the browser extension with the real native host and the real daemon."""

import json
import os
import stat

from playwright.sync_api import expect

from checks import KIB, MIB, check, until
from extension import HOST, extended, link, manifest


def ended(browser, scene, count=1):
    """Waits until `count` downloads have finished; returns them by name."""
    browser.until(lambda: [each["state"] for each in scene.downloads()].count("finished") == count)
    return {each["name"]: each for each in scene.downloads()}


def fields(origin, name):
    return {key.lower(): value for key, value in origin.heads[name].items()}


@check
def the_installed_host_is_what_the_documentation_says(scene, origin, pages):
    with extended(origin, pages, scene=scene) as browser:
        folder = os.path.join(scene.home, ".config/chromium/NativeMessagingHosts")
        with open(os.path.join(folder, f"{HOST}.json"), encoding="utf-8") as file:
            written = json.load(file)
        program = os.path.join(folder, HOST)
        assert written | {"description": "Pawl"} == manifest(program), written
        assert stat.S_IMODE(os.stat(program).st_mode) == 0o755
        page = browser.context.new_page()
        page.goto(browser.address("options.html"))
        expect(page.locator("#connection")).to_contain_text(scene.pawl("--version").splitlines()[0])


@check
def a_link_reaches_the_daemon_with_cookies_referrer_and_user_agent(scene, origin, pages):
    with extended(origin, pages, scene=scene) as browser:
        page = browser.open()
        agent = browser.page.evaluate("navigator.userAgent")
        file = origin.url("linked", 10)
        browser.choose("link", linkUrl=file + "#part")
        download = ended(browser, scene)["linked"]
        assert download["url"] == file, download
        saved = os.path.join(scene.home, "Downloads/linked")
        assert download["path"] == saved and os.path.getsize(saved) == 10, download
        # What the server has received is what the browser would have sent.
        head = fields(origin, "linked")
        assert head["cookie"] == "session=secret", head
        assert head["referer"] == page.split("#")[0], head
        assert head["user-agent"] == agent, head
        # The cookies are secrets: neither the list nor an event contains them.
        for path in ("/v1/downloads?limit=10", f"/v1/downloads/{download['id']}/events"):
            assert "session=secret" not in json.dumps(scene.ask("GET", path)), path
        assert browser.downloads() == []


@check
def a_download_moves_from_the_browser_to_the_daemon(scene, origin, pages):
    with extended(origin, pages, scene=scene) as browser:
        page = browser.open(link(origin.url("moved", 4 * MIB, hold=KIB, drip=KIB), attributes='download="a name.bin"'))
        browser.page.get_by_role("link").click()
        browser.until(lambda: scene.downloads() and not browser.downloads())
        origin.release()
        download = ended(browser, scene)["a name.bin"]
        assert os.path.getsize(download["path"]) == 4 * MIB
        head = fields(origin, "moved")
        assert head["cookie"] == "session=secret" and head["referer"] == page.split("#")[0], head
        assert browser.files() == [], browser.files()


@check
def the_browser_starts_the_daemon(scene, origin, pages):
    with extended(origin, pages, scene=scene) as browser:
        browser.open()
        process = scene.ask("GET", "/v1/status")["processIdentifier"]
        scene.kill()
        try:
            browser.choose("link", linkUrl=origin.url("started", 10))
            browser.until(lambda: "started" in origin.heads)
            assert list(ended(browser, scene)) == ["started"]
            assert scene.ask("GET", "/v1/status")["processIdentifier"] != process
        finally:
            scene.pawl("daemon", "stop")
            scene.start()
