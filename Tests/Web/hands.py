"""Checks of each key, each field of the forms, and the actions on a selection."""

import os

from playwright.sync_api import expect

from checks import KIB, MIB, adding, check, in_order, in_state, row, rows, until


@check
def each_documented_key_works(scene, origin, pages):
    scene.add([origin.url(f"file-{number:02}", 10) for number in range(40)], isPaused=True)
    page = pages.open()
    expect(page.locator("#filter-all .count")).to_have_text("40")
    grid = page.locator("#grid")
    press = page.keyboard.press

    def current(name):
        identity = row(page, name).get_attribute("id")
        expect(grid).to_have_attribute("aria-activedescendant", identity)

    grid.focus()
    current("file-00")
    press("ArrowDown")
    current("file-01")
    press("ArrowUp")
    current("file-00")
    press("End")
    current("file-39")
    press("Home")
    current("file-00")
    first = row(page, "file-00").get_attribute("id")
    press("PageDown")
    expect(grid).not_to_have_attribute("aria-activedescendant", first)
    press("PageUp")
    current("file-00")
    press(" ")
    expect(page.locator("#selected")).to_have_text("1 selected")
    press("Shift+ArrowDown")
    press("Shift+ArrowDown")
    expect(page.locator("#selected")).to_have_text("3 selected")
    press("Escape")
    expect(page.get_by_role("toolbar", name="Selected downloads")).to_be_hidden()
    press("Home")
    press("p")
    # It moves to the end of the list, outside of the drawn rows.
    expect(page.get_by_role("button", name="Finished 1")).to_be_visible()
    press("Enter")
    expect(page.get_by_role("complementary", name="file-00")).to_be_visible()
    press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    press("n")
    expect(page.get_by_role("dialog", name="Add downloads")).to_be_visible()
    press("Escape")
    grid.focus()
    press("/")
    expect(page.get_by_label("Search by name or URL")).to_be_focused()


@check
def each_field_of_the_forms_has_an_effect(scene, origin, pages):
    page = pages.open()
    dialog, urls_field = adding(page, scene)
    dialog.get_by_label("Priority").select_option("low")
    dialog.get_by_label("Connections").fill("3")
    dialog.get_by_label("Speed limit").fill("0.5")
    dialog.get_by_label("Checksum").fill("sha256=" + "0" * 64)
    dialog.get_by_text("More options").click()
    dialog.get_by_label("Headers").fill("X-One: 1\nX-Two: a: b")
    dialog.get_by_label("User-Agent").fill("tester/1")
    dialog.get_by_label("Referring page").fill("http://pages.example/list")
    dialog.get_by_label("Name and password").fill("me:a:b")
    dialog.get_by_label("If the file exists").select_option("skip")
    dialog.get_by_label("Retries").fill("0")
    urls_field.fill(f"{origin.url('one', 10)}\n{origin.url('two', 10)}")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("alert")).to_contain_text("A checksum can only be used with a single URL")
    urls_field.fill(origin.url("slow", 4 * MIB, hold=KIB, drip=KIB))
    dialog.get_by_role("button", name="Add").click()
    in_state(page, "slow", "running")
    added = scene.downloads()[0]
    assert (added["priority"], added["limitBytesPerSecond"]) == ("low", 512 * KIB), added
    # The download runs before its request arrives.
    until(page, lambda: "slow" in origin.heads)
    head = origin.heads["slow"]
    sent = {name: head.get(name) for name in ("X-One", "X-Two", "User-Agent", "Referer")}
    assert sent == {"X-One": "1", "X-Two": "a: b", "User-Agent": "tester/1", "Referer": "http://pages.example/list"}, head
    row(page, "slow").click()
    detail = page.get_by_role("complementary", name="slow")
    expect(detail.locator(".connections tbody tr")).to_have_count(3)
    detail.get_by_role("button", name="Change…").click()
    dialog = page.get_by_role("dialog", name="Change download")
    dialog.get_by_label("Name", exact=True).fill("other")
    dialog.get_by_text("More options").click()
    dialog.get_by_label("Headers").fill("X-One: 3")
    moved = origin.url("slow", 4 * MIB, hold=KIB, drip=2 * KIB)
    dialog.get_by_label("New URL").fill(moved)
    dialog.get_by_label("Connections").fill("2")
    dialog.get_by_label("Speed limit").fill("")
    dialog.get_by_role("button", name="Change").click()
    detail = page.get_by_role("complementary", name="other")
    expect(detail.locator(".properties")).to_contain_text(f"drip={2 * KIB}")
    expect(detail.locator(".connections tbody tr")).to_have_count(2)
    in_state(page, "other", "running")
    assert "limitBytesPerSecond" not in scene.downloads()[0]
    until(page, lambda: moved.split("/", 3)[3] in origin.heads)
    head = origin.heads[moved.split("/", 3)[3]]
    assert head.get("X-One") == "3", head
    origin.release()
    # The given checksum is wrong.
    in_state(page, "other", "failed")
    detail.get_by_role("button", name="Retry").click()
    in_state(page, "other", "failed")


@check
def a_range_is_selected_with_the_shift_key(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in "abcde"], isPaused=True)
    page = pages.open()
    in_order(page, list("abcde"))

    def click(name, *keys):
        row(page, name).click(modifiers=keys)

    def selected(wanted):
        expect(page.locator("#rows .row[aria-selected=true]")).to_have_count(len(wanted))
        for name in wanted:
            expect(row(page, name)).to_have_attribute("aria-selected", "true")

    click("b")
    selected("")
    click("d", "Shift")
    selected("bcd")
    # Upwards from the last click.
    click("a", "Shift")
    selected("abcd")
    click("b", "Control")
    selected("acd")
    click("e")
    selected("")


@check
def a_late_response_closes_no_other_dialog(scene, origin, pages):
    scene.add([origin.url("stuck", 10), origin.url("plain", 10)])
    page = pages.open()
    for name in ("stuck", "plain"):
        in_state(page, name, "finished")
    # A folder, which is not removed as a file.
    path = os.path.join(scene.folder, "stuck")
    os.remove(path)
    os.mkdir(path)
    held = []
    page.route("**/v1/actions/remove-with-files", lambda route: held.append(route))
    page.route("**/v1/downloads", lambda route: held.append(route))
    dialog = page.get_by_role("dialog", name="Remove")

    def ask_to_remove(name):
        row(page, name).click()
        page.get_by_role("complementary", name=name).get_by_role("button", name="Remove…").click()
        expect(dialog).to_contain_text(f"“{name}”")

    def close(dialog):
        until(page, lambda: held)
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()

    ask_to_remove("stuck")
    dialog.get_by_label("Also delete files").check()
    dialog.get_by_role("button", name="Remove").click()
    close(dialog)
    ask_to_remove("plain")
    held.pop().continue_()
    expect(page.locator("#banner")).to_contain_text("some files were not deleted", ignore_case=True)
    os.rmdir(path)
    expect(row(page, "stuck")).to_have_count(0)
    expect(dialog).to_contain_text("“plain”")
    expect(dialog.get_by_role("alert")).to_be_hidden()
    dialog.get_by_role("button", name="Remove").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#empty")).to_be_visible()
    # The same for the dialog that adds downloads: URLs typed in the meantime stay.
    dialog, urls_field = adding(page, scene)
    urls_field.fill(origin.url("three", 10))
    dialog.get_by_role("button", name="Add").click()
    close(dialog)
    dialog, urls_field = adding(page, scene)
    urls_field.fill(origin.url("four", 10))
    held.pop().continue_()
    in_state(page, "three", "finished")
    expect(dialog).to_be_visible()
    expect(urls_field).to_have_value(origin.url("four", 10))
    dialog.get_by_role("button", name="Add").click()
    until(page, lambda: held)
    held.pop().continue_()
    expect(dialog).to_be_hidden()
    in_state(page, "four", "finished")


@check
def the_toolbar_acts_on_all_selected_downloads(scene, origin, pages):
    wanted = ["one", "two", "three"]
    scene.add([origin.url(name, 4 * MIB, hold=KIB, drip=KIB) for name in wanted], settings={"connections": 1})
    page = pages.open()
    in_order(page, wanted)
    bar = page.get_by_role("toolbar", name="Selected downloads")
    rows(page).nth(0).click(modifiers=["Control"])
    rows(page).nth(2).click(modifiers=["Control"])
    expect(page.locator("#selected")).to_have_text("2 selected")
    bar.get_by_role("button", name="Pause").click()
    in_state(page, "one", "paused")
    in_state(page, "three", "paused")
    in_state(page, "two", "running")
    bar.get_by_role("button", name="Clear selection").click()
    expect(bar).to_be_hidden()
    page.locator("#grid").focus()
    page.keyboard.press("Control+a")
    bar.get_by_role("button", name="Cancel…").click()
    dialog = page.get_by_role("dialog", name="Cancel")
    expect(dialog).to_contain_text("3 downloads")
    dialog.get_by_role("button", name="Cancel and delete").click()
    for name in wanted:
        in_state(page, name, "cancelled")
    bar.get_by_role("button", name="Remove…").click()
    dialog = page.get_by_role("dialog", name="Remove")
    expect(dialog).to_contain_text("3 downloads")
    dialog.get_by_role("button", name="Remove").click()
    expect(page.locator("#empty")).to_be_visible()


@check
def a_menu_acts_on_all_downloads(scene, origin, pages):
    # Without a size, the server has no such file.
    scene.add([origin.url("one", KIB), f"http://127.0.0.1:{origin.server_port}/gone"])
    scene.add([origin.url("slow", 4 * MIB, hold=KIB, drip=KIB)], settings={"connections": 1})
    page = pages.open()
    in_state(page, "one", "finished")
    in_state(page, "gone", "failed")
    in_state(page, "slow", "running")
    opener = page.get_by_role("button", name="All downloads")
    menu = page.get_by_role("menu", name="All downloads")

    opener.click()
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(menu.get_by_role("menuitem", name="Pause all")).to_be_focused()
    expect(menu.get_by_role("menuitem", name="Resume all paused")).to_be_disabled()
    page.keyboard.press("ArrowDown")
    expect(menu.get_by_role("menuitem", name="Retry all failed")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(opener).to_be_focused()

    opener.click()
    menu.get_by_role("menuitem", name="Pause all").click()
    expect(menu).to_be_hidden()
    in_state(page, "slow", "paused")
    in_state(page, "gone", "failed")
    opener.click()
    menu.get_by_role("menuitem", name="Resume all paused").click()
    in_state(page, "slow", "running")

    del origin.heads["gone"]
    opener.click()
    expect(menu.get_by_role("menuitem", name="Pause all")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    until(page, lambda: "gone" in origin.heads)
    in_state(page, "gone", "failed")

    opener.click()
    menu.get_by_role("menuitem", name="Clear finished and cancelled").click()
    expect(row(page, "one")).to_have_count(0)
    expect(rows(page)).to_have_count(2)
