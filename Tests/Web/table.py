"""Checks of the list as a table: order, columns, checkboxes, selection by touch, menus of rows."""

from playwright.sync_api import expect

from browser import audit
from checks import KIB, MIB, check, in_order, in_state, names, row, rows, until


def head(page, name):
    return page.locator("#head").get_by_role("button", name=name)


def selected(page, wanted):
    expect(page.locator("#rows .row[aria-selected=true]")).to_have_count(len(wanted))
    for name in wanted:
        expect(row(page, name)).to_have_attribute("aria-selected", "true")
        expect(row(page, name).get_by_role("checkbox")).to_be_checked()


@check
def a_heading_sorts_the_list_both_ways_and_then_by_the_queue(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in ("file-10", "file-2", "Älter", "beta")], isPaused=True)
    page = pages.open()
    in_order(page, ["file-10", "file-2", "Älter", "beta"])
    heading = page.get_by_role("columnheader", name="Name")
    head(page, "Name").click()
    in_order(page, ["Älter", "beta", "file-2", "file-10"])
    expect(heading).to_have_attribute("aria-sort", "ascending")
    # In another order than that of the queue, no download is moved up or down.
    page.locator("#grid").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("#live")).to_contain_text("sort the list in queue order")
    expect(row(page, "beta")).not_to_have_attribute("draggable", "true")
    head(page, "Name").click()
    in_order(page, ["file-10", "file-2", "beta", "Älter"])
    expect(heading).to_have_attribute("aria-sort", "descending")
    # The browser remembers the order.
    page.reload()
    in_order(page, ["file-10", "file-2", "beta", "Älter"])
    head(page, "Name").click()
    in_order(page, ["file-10", "file-2", "Älter", "beta"])
    assert heading.get_attribute("aria-sort") is None
    expect(row(page, "beta")).to_have_attribute("draggable", "true")


@check
def the_order_includes_old_downloads(scene, origin, pages):
    scene.add([origin.url("aaa", 10)])
    page = pages.open()
    in_state(page, "aaa", "finished")
    scene.add([origin.url(f"other-{number}", 10) for number in range(1250)], isPaused=True)
    scene.ask("POST", "/v1/actions/cancel", {"all": True})
    page = pages.open()
    expect(page.locator("#grid:not([aria-busy])")).to_have_attribute("aria-rowcount", "201")
    head(page, "Name").click()
    expect(page.locator("#grid")).to_have_attribute("aria-rowcount", "1252")
    until(page, lambda: names(page)[:2] == ["aaa", "other-0"])


@check
def columns_are_chosen_and_remembered(scene, origin, pages):
    scene.add([origin.url("one.iso", 5 * KIB), f"http://127.0.0.1:{origin.server_port}/two?size=10"], priority="high")
    page = pages.open()
    in_state(page, "one.iso", "finished")
    in_state(page, "two", "finished")
    opener = page.get_by_role("button", name="View")
    menu = page.get_by_role("menu", name="View")
    opener.click()
    expect(menu.get_by_role("menuitemcheckbox", name="Speed")).to_be_checked()
    for name in ("Size", "Host", "Connections"):
        menu.get_by_role("menuitemcheckbox", name=name).click()
    menu.get_by_role("menuitemcheckbox", name="Time left").click()
    audit(page, "the menu of the view")
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()

    def headings():
        return [text.strip(" ▴▾") for text in page.locator("#head .cell").all_inner_texts()]

    wanted = ["Name", "Progress", "Size", "Speed", "Connections", "Host"]
    assert headings() == wanted, headings()
    expect(row(page, "one.iso").locator(".col-size")).to_have_text("5.00 KiB")
    expect(row(page, "one.iso").locator(".col-host")).to_have_text(f"127.0.0.1:{origin.server_port}")
    apart = """() => Math.max(...[...document.querySelectorAll("#head > *")].map((cell, index) => Math.abs(
        cell.getBoundingClientRect().left - document.querySelectorAll("#rows .row")[0].children[index].getBoundingClientRect().left)))"""
    assert page.evaluate(apart) == 0, "the headings are not above their columns"
    page.reload()
    in_state(page, "one.iso", "finished")
    assert headings() == wanted, headings()
    # The menu sorts, too: on a narrow screen there are no headings.
    opener.click()
    menu.get_by_role("menuitemradio", name="Size").click()
    in_order(page, ["two", "one.iso"])
    menu.get_by_role("menuitemcheckbox", name="Descending").click()
    in_order(page, ["one.iso", "two"])
    menu.get_by_role("menuitem", name="Default view").click()
    assert headings() == ["Name", "Progress", "Speed", "Time left"], headings()
    in_order(page, ["two", "one.iso"])


@check
def checkboxes_select_rows_and_ranges(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in "abcdef"], isPaused=True)
    page = pages.open()
    in_order(page, list("abcdef"))

    def box(name):
        return row(page, name).get_by_role("checkbox")

    every = page.get_by_role("checkbox", name="Select all")
    box("b").click()
    selected(page, "b")
    until(page, lambda: every.evaluate("(box) => box.indeterminate"))
    box("d").click(modifiers=["Shift"])
    selected(page, "bcd")
    box("c").click()
    selected(page, "bd")
    expect(page.locator("#detail")).to_be_hidden()
    # The keys still work on the list.
    page.keyboard.press("End")
    page.keyboard.press(" ")
    selected(page, "bdf")
    every.click()
    selected(page, "abcdef")
    expect(every).to_be_checked()
    every.click()
    selected(page, "")
    page.get_by_role("checkbox", name="Select a", exact=True).click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("toolbar", name="Selected downloads").get_by_role("button", name="Copy URLs").click()
    until(page, lambda: page.evaluate("navigator.clipboard.readText()") == origin.url("a", 10))


TOUCH = """([index, milliseconds]) => new Promise((done) => {
    const row = document.querySelectorAll("#rows .row:not([hidden])")[index];
    const box = row.getBoundingClientRect();
    const at = { clientX: box.left + 80, clientY: box.top + 20, bubbles: true, cancelable: true, pointerType: "touch" };
    const target = row.querySelector(".name");
    target.dispatchEvent(new PointerEvent("pointerdown", at));
    setTimeout(() => {
        target.dispatchEvent(new PointerEvent("pointerup", at));
        target.dispatchEvent(new PointerEvent("click", at));
        done();
    }, milliseconds);
})"""


@check
def a_long_touch_selects_a_row(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in "abc"], isPaused=True)
    page = pages.open(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    in_order(page, list("abc"))
    page.evaluate(TOUCH, [1, 700])
    expect(page.locator("#selected")).to_have_text("1 selected")
    expect(page.locator("#detail")).to_be_hidden()
    # While something is selected, a short touch selects, too.
    page.evaluate(TOUCH, [2, 20])
    expect(page.locator("#selected")).to_have_text("2 selected")
    page.get_by_role("toolbar", name="Selected downloads").get_by_role("button", name="Clear selection").click()
    page.evaluate(TOUCH, [0, 20])
    expect(page.locator("#detail")).to_be_visible()


@check
def each_row_has_a_menu(scene, origin, pages):
    scene.add([origin.url("slow", 4 * MIB, hold=KIB, drip=KIB)], settings={"connections": 1})
    scene.add([f"http://127.0.0.1:{origin.server_port}/gone"])
    scene.add([origin.url("later", 10)], notBefore="2099-01-01T00:00:00Z")
    page = pages.open()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    in_state(page, "slow", "running")
    in_state(page, "gone", "failed")
    menu = page.get_by_role("menu", name="More actions")

    def items():
        return menu.get_by_role("menuitem").all_inner_texts()

    def clipboard(text):
        until(page, lambda: page.evaluate("navigator.clipboard.readText()") == text)

    row(page, "slow").get_by_role("button", name="More actions").click()
    expect(menu.get_by_role("menuitem", name="Show details")).to_be_focused()
    assert "Pause" in items() and "Retry" not in items(), items()
    audit(page, "the menu of a row")
    menu.get_by_role("menuitem", name="Copy URL").click()
    expect(menu).to_be_hidden()
    clipboard(origin.url("slow", 4 * MIB, hold=KIB, drip=KIB))
    # By the right button of the mouse, and with the keyboard.
    row(page, "gone").click(button="right", position={"x": 200, "y": 20})
    assert "Retry" in items() and "Move to the start" not in items(), items()
    del origin.heads["gone"]
    menu.get_by_role("menuitem", name="Retry").click()
    until(page, lambda: "gone" in origin.heads)
    page.locator("#grid").focus()
    page.keyboard.press("Home")
    page.keyboard.press("m")
    expect(menu.get_by_role("menuitem", name="Show details")).to_be_focused()
    menu.get_by_role("menuitem", name="Copy path").click()
    clipboard(next(each for each in scene.downloads() if each["name"] == "slow")["path"])
    expect(page.locator("#grid")).to_be_focused()
    # A download that waits for its time starts now.
    row(page, "later").get_by_role("button", name="More actions").click()
    menu.get_by_role("menuitem", name="Start now").click()
    in_state(page, "later", "finished")
    row(page, "later").get_by_role("button", name="More actions").click()
    menu.get_by_role("menuitem", name="Remove…").click()
    dialog = page.get_by_role("dialog", name="Remove download")
    dialog.get_by_role("button", name="Remove").click()
    expect(row(page, "later")).to_have_count(0)


@check
def a_wait_for_the_next_attempt_is_ended_in_the_menu(scene, origin, pages):
    # Nothing listens at this port.
    added = scene.add(["http://127.0.0.1:1/refused"])[0]["id"]
    page = pages.open()
    expect(row(page, "refused")).to_contain_text("Retries at")

    def starts():
        events = scene.ask("GET", f"/v1/downloads/{added}/events")["events"]
        return sum(event["kind"] == "started" for event in events)

    before = starts()
    row(page, "refused").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Retry now").click()
    until(page, lambda: starts() > before)


@check
def a_menu_stays_within_the_window(scene, origin, pages):
    scene.add([origin.url(f"file-{number:02}", 10) for number in range(20)], isPaused=True)
    page = pages.open(viewport={"width": 700, "height": 500})
    expect(page.locator("#filter-all .count")).to_have_text("20")
    rows(page).nth(3).click(button="right", position={"x": 600, "y": 30})
    box = page.get_by_role("menu", name="More actions").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 700, box
    assert box["y"] >= 0 and box["y"] + box["height"] <= 500, box


@check
def the_keys_are_shown(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    audit(page, "the keys")
    for key in ("Delete", "Alt+↑", "/", "?", "m"):
        expect(dialog.locator("kbd").get_by_text(key, exact=True)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    # In a field it is a character.
    page.get_by_label("Search by name or URL").press("?")
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="View").click()
    page.get_by_role("menuitem", name="Keyboard shortcuts").click()
    expect(dialog).to_be_visible()
