"""Checks of what the page looks like: edges, narrow screens, right-to-left languages."""

import time

from playwright.sync_api import expect

from browser import audit
from checks import KIB, MIB, adding, check, in_order, in_state, row, rows, until

# How far the widest element of a timetable row extends beyond its dialog.
PERIOD_OVERHANG = """Math.max(...[...document.querySelectorAll(".period :is(input, button, label)")].map((each) =>
    each.getBoundingClientRect().right - document.querySelector("#settings").getBoundingClientRect().right))"""


@check
def a_selected_row_reaches_the_edge(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in "ab"], isPaused=True)
    page = pages.open()
    in_order(page, list("ab"))
    edge = """() => document.querySelector("#grid").getBoundingClientRect().right
        - document.querySelector("#rows .row").getBoundingClientRect().right"""
    assert page.evaluate(edge) == 0, "there is a gap beside the rows"
    scene.add([origin.url(f"more-{number}", 10) for number in range(40)], isPaused=True)
    expect(page.locator("#filter-all .count")).to_have_text("42")
    # With a scroll bar, the columns stay aligned with their headings.
    apart = """() => document.querySelector(".head > :nth-child(4)").getBoundingClientRect().right
        - document.querySelector("#rows .row > :nth-child(4)").getBoundingClientRect().right"""
    until(page, lambda: page.evaluate(apart) == 0)


@check
def a_start_time_in_the_past_is_not_shown(scene, origin, pages):
    scene.ask("PATCH", "/v1/settings", {"maximumConcurrentDownloads": 1})
    try:
        scene.add([origin.url("first", 4 * MIB, hold=KIB, drip=1)], settings={"connections": 1})
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 600))
        scene.add([origin.url("second", 10)], notBefore=moment)
        page = pages.open(prepare=lambda page: page.clock.install())
        expect(row(page, "second")).to_contain_text("Starts at")
        # By the page's clock, the time is over. It still waits, because the first one runs.
        page.clock.fast_forward(601_000)
        expect(row(page, "second")).to_contain_text("Queued")
        in_state(page, "first", "running")
    finally:
        scene.ask("PATCH", "/v1/settings", {"maximumConcurrentDownloads": 5})


@check
def the_page_fits_on_a_phone(scene, origin, pages):
    name = "a-very-long-name-" * 8 + ".iso"
    url = origin.url(name, 256 * MIB, hold=KIB, drip=KIB)
    settings = {"connections": 4, "mirrors": [url.replace("127.0.0.1", "localhost")]}
    scene.add([url], settings=settings)
    for width in (360, 320):
        phone = {"viewport": {"width": width, "height": 740}, "has_touch": True, "is_mobile": True}
        page = pages.open(reduced_motion="reduce", **phone)
        in_state(page, name, "running")

        def fits(where):
            wide = page.evaluate("document.scrollingElement.scrollWidth")
            assert wide <= width, f"{where}: {wide} pixels wide of {width}"

        fits("list")
        audit(page, f"list on a phone of {width}")
        rows(page).first.tap(position={"x": 80, "y": 20})
        detail = page.locator("#detail")
        expect(detail.locator(".host", has_text="from localhost:").first).to_be_visible()
        fits("detail")
        inner = detail.locator(".body").evaluate("(body) => body.scrollWidth - body.clientWidth")
        assert inner <= 0, f"detail is {inner} pixels wider than {width}"
        audit(page, f"detail on a phone of {width}")
        # Back leads to the list, also after the details were closed with their button.
        address = page.url
        page.go_back()
        expect(detail).to_be_hidden()
        assert page.url == address, page.url
        rows(page).first.tap(position={"x": 80, "y": 20})
        expect(detail).to_be_visible()
        page.get_by_role("button", name="Close details").tap()
        expect(detail).to_be_hidden()
        page.go_back()
        expect(rows(page).first).to_be_visible()
        assert page.url == address, page.url
        # A touch selects on the icon.
        rows(page).first.locator(".icon").tap()
        expect(page.locator("#selected")).to_have_text("1 selected")
        fits("selection")
        audit(page, f"selection on a phone of {width}")
        rows(page).first.tap(position={"x": 80, "y": 20})
        expect(page.get_by_role("toolbar", name="Selected downloads")).to_be_hidden()
        expect(detail).to_be_hidden()
        for button in ("Add", "Settings"):
            page.get_by_role("button", name=button).tap()
            fits(button)
            if button == "Settings":
                page.get_by_role("button", name="Add period").tap()
                cut = page.evaluate(PERIOD_OVERHANG)
                assert cut <= 0, f"the timetable's row is cut by {cut} pixels on {width}"
            audit(page, f"{button} on a phone of {width}")
            page.keyboard.press("Escape")


@check
def the_header_and_the_menus_fit_in_german(scene, origin, pages):
    scene.add([origin.url("file", 10)], isPaused=True, label="a label")
    for width in (390, 320):
        phone = {"viewport": {"width": width, "height": 740}, "has_touch": True, "is_mobile": True}
        page = pages.open(locale="de-DE", **phone)
        in_state(page, "file", "paused")
        # Speeds have up to three digits.
        page.locator("#total").evaluate("(total) => { total.textContent = '25,2 MiB/s'; }")
        apart = page.evaluate(
            """() => document.querySelector(".actions").getBoundingClientRect().left
                - document.querySelector("#total").getBoundingClientRect().right"""
        )
        assert apart > 0, f"the speed overlaps the buttons by {-apart} pixels on {width}"
        for name in ("#menu", "#view"):
            page.locator(f"[popovertarget={name[1:]}]").tap()
            until(page, lambda name=name: page.locator(name).bounding_box()["x"] >= 0)
            page.keyboard.press("Escape")
    page = pages.open(locale="de-DE")
    tops = """() => new Set([...document.querySelectorAll("#filters button")].map((each) =>
        each.getBoundingClientRect().top)).size"""
    expect(page.locator("#label-filter")).to_be_visible()
    assert page.evaluate(tops) == 1, "the filters wrap at 1280 pixels"


@check
def an_error_of_a_long_form_is_in_view(scene, origin, pages):
    page = pages.open(viewport={"width": 1280, "height": 600})
    dialog, urls_field = adding(page, scene)
    urls_field.fill(origin.url("file", 10))
    dialog.get_by_label("Folder").fill("/no/such/folder/with/a/long/name" * 4)
    dialog.get_by_text("More options").click()
    # The browser logs an error response to the console.
    pages.expects_loss = True
    dialog.get_by_role("button", name="Add").click()
    alert = dialog.get_by_role("alert")
    expect(alert).to_contain_text("Nothing was added")
    pages.expects_loss = False
    cut = alert.evaluate(
        """(alert) => alert.getBoundingClientRect().bottom
            - alert.closest("dialog").getBoundingClientRect().bottom"""
    )
    assert cut <= 0, f"{cut} pixels of the error are below the visible part"
