"""Checks of what can be undone: the removal of downloads."""

from playwright.sync_api import expect

from browser import audit
from checks import KIB, MIB, check, in_order, in_state, row, until


def bar(page):
    return page.locator("#undo")


def undo_button(page):
    return bar(page).get_by_role("button", name="Undo")


def remove(page, name):
    """Selects and removes a download."""
    row(page, name).locator(".icon").click()
    page.locator("#grid").focus()
    page.keyboard.press("Delete")
    dialog = page.get_by_role("dialog", name="Remove download")
    expect(dialog).to_contain_text(name)
    page.keyboard.press("Enter")
    expect(row(page, name)).to_have_count(0)


def facts(scene):
    return [(each["id"], each["name"], each["state"], each.get("priority")) for each in scene.downloads()]


@check
def a_removal_is_undone_with_the_button(scene, origin, pages):
    scene.add([origin.url("other", 10), origin.url("kept", 10)], isPaused=True, priority="high")
    scene.add([origin.url("runs", 4 * MIB, hold=KIB, drip=KIB)], settings={"connections": 1})
    page = pages.open()
    in_state(page, "runs", "running")
    before = facts(scene)
    for name in ("kept", "runs"):
        expect(bar(page)).to_be_hidden()
        remove(page, name)
        expect(bar(page)).to_have_text(f"Removed “{name}”Undo")
        expect(page.locator("#live")).to_have_text(f"Removed “{name}”. Press Ctrl+Z to undo.")
        undo_button(page).click()
        expect(row(page, name)).to_have_count(1)
        expect(bar(page)).to_be_hidden()
        expect(page.locator("#live")).to_have_text("1 download restored")
        # The keys work on the list again.
        expect(page.locator("#grid")).to_be_focused()
    in_state(page, "runs", "running")
    in_state(page, "kept", "paused")
    until(page, lambda: facts(scene) == before)


@check
def several_removals_are_undone_from_the_newest_to_the_oldest(scene, origin, pages):
    wanted = ["one", "two", "three", "four", "five"]
    scene.add([origin.url(name, 10) for name in wanted], isPaused=True)
    page = pages.open()
    in_order(page, wanted)
    remove(page, "one")
    remove(page, "three")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    expect(page.locator("#empty")).to_be_visible()
    expect(bar(page)).to_contain_text("3 downloads removed")
    # The button is behind the list and its headings.
    page.locator("#grid").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if undo_button(page).evaluate("(button) => button === document.activeElement"):
            break
    expect(undo_button(page)).to_be_focused()
    audit(page, "a removal that can be undone")
    page.keyboard.press("Enter")
    in_order(page, ["two", "four", "five"])
    expect(bar(page)).to_contain_text("Removed “three”")
    page.locator("#grid").focus()
    page.keyboard.press("Control+z")
    in_order(page, ["two", "three", "four", "five"])
    expect(bar(page)).to_contain_text("Removed “one”")
    page.keyboard.press("Control+z")
    in_order(page, wanted)
    expect(bar(page)).to_be_hidden()
    # Nothing is left to undo.
    sent = []
    page.on("request", lambda request: sent.append((request.method, request.url)))
    page.keyboard.press("Control+z")
    page.evaluate("new Promise(requestAnimationFrame)")
    # The list may still be loaded again.
    assert all(method == "GET" for method, _ in sent), sent


@check
def clearing_the_list_can_be_undone(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in ("one", "two")])
    page = pages.open()
    for name in ("one", "two"):
        in_state(page, name, "finished")
    page.get_by_role("button", name="All downloads").click()
    page.get_by_role("menuitem", name="Clear finished and cancelled").click()
    expect(page.locator("#empty")).to_be_visible()
    expect(bar(page)).to_contain_text("2 downloads removed")
    undo_button(page).click()
    for name in ("one", "two"):
        in_state(page, name, "finished")
    bar_is_closed(page, "two")


def bar_is_closed(page, name):
    """The offer can be dismissed."""
    remove(page, name)
    bar(page).get_by_role("button", name="Dismiss").click()
    expect(bar(page)).to_be_hidden()
    expect(page.locator("#grid")).to_be_focused()
    expect(row(page, name)).to_have_count(0)


@check
def an_undo_elsewhere_shows_the_downloads_again(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in ("one", "two")], isPaused=True)
    page, other = pages.open(), pages.open()
    in_order(other, ["one", "two"])
    remove(page, "one")
    expect(row(other, "one")).to_have_count(0)
    assert scene.pawl("undo")
    for each in (page, other):
        in_order(each, ["one", "two"])
    # What the page still offers is gone, and it says so.
    undo_button(page).click()
    expect(page.locator("#banner")).to_contain_text("can no longer be undone")
    expect(bar(page)).to_be_hidden()


@check
def a_removal_is_offered_for_a_minute_and_not_after_one_with_files(scene, origin, pages):
    wanted = ["one", "two", "three"]
    scene.add([origin.url(name, 10) for name in wanted], isPaused=True)
    page = pages.open(prepare=lambda page: page.clock.install())
    in_order(page, wanted)
    remove(page, "one")
    # Real time passes for the page, too, so it must not come near the minute.
    page.clock.run_for(30_000)
    expect(bar(page)).to_be_visible()
    page.clock.run_for(30_000)
    expect(bar(page)).to_be_hidden()
    remove(page, "two")
    expect(bar(page)).to_be_visible()
    row(page, "three").locator(".icon").click()
    page.locator("#grid").focus()
    page.keyboard.press("Delete")
    page.get_by_role("dialog", name="Remove download").get_by_label("Also delete files").check()
    page.keyboard.press("Enter")
    expect(page.locator("#empty")).to_be_visible()
    expect(bar(page)).to_be_hidden()


@check
def the_offer_to_undo_fits_on_a_phone(scene, origin, pages):
    name = "a-very-long-name-" * 8 + ".iso"
    scene.add([origin.url(name, 10), origin.url("other", 10)], isPaused=True)
    page = pages.open(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    in_order(page, [name, "other"])
    row(page, name).locator(".icon").tap()
    page.get_by_role("toolbar", name="Selected downloads").get_by_role("button", name="Remove…").tap()
    page.get_by_role("dialog", name="Remove download").get_by_role("button", name="Remove").tap()
    expect(bar(page)).to_contain_text("Removed “a-very-long-name")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 320
    for button in bar(page).get_by_role("button").all():
        box = button.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 320 and box["y"] + box["height"] <= 640, box
        assert box["height"] >= 40, box
    audit(page, "a removal that can be undone, on a phone")
    undo_button(page).tap()
    in_order(page, [name, "other"])
