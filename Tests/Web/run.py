#!/usr/bin/env python3
"""Tests the page in a real browser, against a real daemon and a real origin.

    run.py FOLDER [WORD …]    FOLDER contains pawl and pawld; with WORDs, only checks whose name has one of them
"""

import os
import shutil
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

import access  # noqa: F401 - these modules register their checks
import connected  # noqa: F401
import extension  # noqa: F401
import feeds  # noqa: F401
import fleet  # noqa: F401
import hands  # noqa: F401
import installed  # noqa: F401
import labels  # noqa: F401
import lists  # noqa: F401
import looks  # noqa: F401
import removal  # noqa: F401
import rights  # noqa: F401
import table  # noqa: F401
import weight  # noqa: F401
import words  # noqa: F401
from browser import TIMEOUT, Pages
from checks import CHECKS
from origin import Origin
from scene import Scene

BROWSER = shutil.which("chromium")


def run(function, scene, browser):
    """Runs a check, prints a line, and returns whether it passed."""
    scene.begin()
    origin = Origin()
    pages = Pages(browser, scene)
    name = function.__name__.replace("_", " ")
    begin = time.monotonic()
    try:
        note = function(scene, origin, pages)
        assert not pages.complaints, pages.complaints
    except Exception:
        print(f"✘ {name}")
        traceback.print_exc()
        for complaint in pages.complaints:
            print(f"  the page: {complaint}", file=sys.stderr)
        print(f"  the daemon: {[(each['name'], each['state']) for each in scene.downloads()][:20]}", file=sys.stderr)
        for number, context in enumerate(browser.contexts):
            for page in context.pages:
                folder = os.environ.get("PAWL_WEB_SHOTS")
                if folder:
                    page.screenshot(path=f"{folder}/{function.__name__}-{number}.png")
        return False
    finally:
        for context in list(browser.contexts):
            context.close()
        origin.release()
        scene.clear()
        origin.shutdown()
        origin.server_close()
    print(f"✔ {name}{f': {note}' if note else ''} ({time.monotonic() - begin:.1f} s)", flush=True)
    return True


def main(programs, words):
    wanted = [each for each in CHECKS if not words or any(word in each.__name__ for word in words)]
    if not wanted:
        raise SystemExit("no check matches")
    # The browser's sandbox is not available to root in a container.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with Scene(programs) as scene, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=options, timeout=TIMEOUT)
        good = [run(each, scene, browser) for each in wanted]
        browser.close()
    print(f"{sum(good)} of {len(good)} checks of the page passed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:]))
