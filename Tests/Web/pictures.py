#!/usr/bin/env python3
"""Takes the pictures of the page in the documentation: page.png, page-dark.png and page-feeds.png.

    pictures.py PROGRAMS [FOLDER]    PROGRAMS contains pawl and pawld; the default folder is docs
"""

import os
import shutil
import sys

from playwright.sync_api import expect, sync_playwright

import feeds
from browser import Pages
from checks import KIB, MIB, in_state, row, until
from origin import Origin
from scene import Scene

DOCS = os.path.join(os.path.dirname(__file__), "../../docs")
SHOWN = "debian-13.2.0-amd64-netinst.iso"


def fill(scene, origin):
    """Adds downloads in all states; five run at different speeds."""

    def url(name, size, pace=0):
        return origin.url(name, size, hold=KIB, drip=pace)

    scene.add([origin.url("checksums.txt", 3 * KIB), origin.url("notes.pdf", 2 * MIB)])
    scene.add([f"http://127.0.0.1:{origin.server_port}/moved-away.zip"])
    scene.add([origin.url("archive-2019.tar.xz", 90 * MIB)], isPaused=True, label="backup")
    for name, size, pace, connections, more in [
        ("ubuntu-26.04-desktop-amd64.iso", 5530 * MIB, 120 * KIB, 6, {"priority": "high", "label": "images"}),
        (SHOWN, 629 * MIB, 115 * KIB, 5, {"priority": "high", "label": "images"}),
        ("map-of-europe.mbtiles", 172 * MIB, 40 * KIB, 2, {}),
    ]:
        scene.add([url(name, size, pace)], settings={"connections": connections}, **more)
    lectures = [(f"lecture-{number:02}.webm", url(f"lecture-{number:02}.webm", 86 * MIB, 14 * KIB)) for number in range(7, 0, -1)]
    subscribe(scene, origin, "Lectures on distributed systems", lectures, newest=7)
    subscribe(scene, origin, "Images of new releases", [], everySeconds=21600, match=["*amd64*.iso"])


def subscribe(scene, origin, title, items, **rules):
    """Adds a feed, whose items are named in pairs of a name and a URL."""
    path = title.replace(" ", "-") + ".xml"
    origin.documents[path] = feeds.document(items, title)
    download = {
        "url": f"http://127.0.0.1:{origin.server_port}/{path}",
        "destination": scene.folder + "/",
        "settings": {"connections": 1},
        "label": "lectures" if items else "images",
    }
    added = scene.ask("POST", "/v1/feeds", {"download": download, "rules": rules})
    scene.ask("POST", f"/v1/feeds/{added['id']}/check")


def main(programs, folder):
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    origin = Origin()
    with Scene(programs) as scene, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        pages = Pages(browser, scene)
        shown = [
            (name, pages.open(color_scheme=scheme, viewport={"width": 1280, "height": 672}))
            for name, scheme in (("page.png", "light"), ("page-dark.png", "dark"))
        ]
        fill(scene, origin)
        for _, page in shown:
            in_state(page, SHOWN, "running")
            row(page, SHOWN).click()
        # Until the map and the graph of the speed have something to show.
        until_received(scene, shown[0][1])
        for name, page in shown:
            expect(page.locator("#detail .connections tbody tr").first).to_be_visible()
            page.mouse.move(640, 40)
            page.screenshot(path=os.path.join(folder, name), animations="disabled")
            print(os.path.join(folder, name))
        page = shown[0][1]
        page.get_by_role("button", name="Close details").click()
        page.get_by_role("button", name="Feeds").click()
        expect(page.get_by_role("dialog", name="Feeds").get_by_role("listitem")).to_have_count(2)
        page.screenshot(path=os.path.join(folder, "page-feeds.png"), animations="disabled")
        print(os.path.join(folder, "page-feeds.png"))
        origin.release()
        browser.close()


def until_received(scene, page):
    """Waits until a fifth of the displayed file is there; each wait of the page has a limit of its own."""
    for share in range(1, 11):

        def reached(share=share):
            (download,) = [each for each in scene.downloads() if each["name"] == SHOWN]
            return download["completedBytes"] > download.get("totalBytes", 0) * share / 50 > 0

        until(page, reached)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    main(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else DOCS)
