"""Checks of what the page does. Each starts with an empty queue."""

import os
import re
import time

from playwright.sync_api import expect

from browser import TIMEOUT, audit

CHECKS = []
KIB = 1 << 10
MIB = 1 << 20


def check(function):
    CHECKS.append(function)
    return function


def rows(page):
    return page.locator("#rows .row:not([hidden])")


def row(page, name):
    exact = re.compile(f"^{re.escape(name)}$")
    return rows(page).filter(has=page.locator(".name", has_text=exact))


def in_state(page, name, state):
    expect(row(page, name)).to_have_attribute("data-state", state)


def adding(page, scene):
    """Opens the dialog that adds downloads and fills in the folder; returns the dialog and its field of URLs."""
    page.get_by_role("button", name="Add").click()
    dialog = page.get_by_role("dialog", name="Add downloads")
    dialog.get_by_label("Folder").fill(scene.folder)
    return dialog, dialog.get_by_label("URLs")


def names(page):
    """The displayed names, from the top."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#rows .row:not([hidden])")]
            .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
            .map((row) => row.querySelector(".name").textContent)"""
    )


def until(page, condition):
    """Waits for a condition that no element of the page shows."""
    end = time.monotonic() + TIMEOUT / 1000
    while not condition():
        assert time.monotonic() < end, "the condition did not become true"
        page.evaluate("new Promise(requestAnimationFrame)")


def in_order(page, wanted):
    page.wait_for_function(
        """(wanted) => JSON.stringify([...document.querySelectorAll("#rows .row:not([hidden])")]
            .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
            .map((row) => row.querySelector(".name").textContent)) === JSON.stringify(wanted)""",
        arg=wanted,
    )


@check
def a_link_logs_in_once_and_a_token_always(scene, origin, pages):
    link = scene.pawl("daemon", "token", "--url")
    page = pages.open(link)
    expect(page.locator("#empty")).to_contain_text("No downloads yet")
    assert page.url == scene.url + "/", page.url
    pages.expects_loss = True
    second = pages.open(link)
    dialog = second.get_by_role("dialog", name="Log in")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Token").fill("wrong")
    dialog.get_by_role("button", name="Log in").click()
    expect(dialog.get_by_role("alert")).to_contain_text("token")
    dialog.get_by_label("Token").fill(scene.pawl("daemon", "token"))
    dialog.get_by_role("button", name="Log in").click()
    expect(dialog).to_be_hidden()
    expect(second.locator("#empty")).to_be_visible()
    assert second.context.cookies()[0]["httpOnly"]
    by_token = pages.open(scene.url + "/#token=" + scene.pawl("daemon", "token"))
    expect(by_token.locator("#empty")).to_be_visible()
    assert by_token.url == scene.url + "/"
    pages.expects_loss = False


@check
def a_click_before_the_scripts_are_ready_is_not_lost(scene, origin, pages):
    held = []
    page = pages.open(prepare=lambda page: page.route("**/texts.en.js", lambda route: held.append(route)))
    until(page, lambda: held)
    page.get_by_role("button", name="Add").click()
    dialog = page.get_by_role("dialog", name="Add downloads")
    expect(dialog).to_be_hidden()
    held[0].continue_()
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("URLs")).to_be_focused()


@check
def urls_are_typed_pasted_and_dropped(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    page.get_by_role("button", name="Add").click()
    dialog = page.get_by_role("dialog", name="Add downloads")
    urls_field = dialog.get_by_label("URLs")
    expect(urls_field).to_be_focused()
    dialog.get_by_label("Folder").fill(scene.folder)
    urls_field.fill("file:///etc/passwd")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("alert")).to_contain_text("not an HTTP, FTP or SFTP URL")
    urls_field.fill(f"{origin.url('one', 1000)}\n{origin.url('two', 1000)}")
    expect(dialog.locator("#add-count")).to_have_text("2 URLs")
    # Text that is dropped into a field belongs to the field.
    assert urls_field.evaluate(
        """(field) => field.dispatchEvent(new DragEvent("drop", {
            dataTransfer: new DataTransfer(), bubbles: true, cancelable: true }))"""
    )
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_be_hidden()
    for name in ("one", "two"):
        in_state(page, name, "finished")
        assert os.path.getsize(os.path.join(scene.folder, name)) == 1000
    for kind in ("paste", "drop"):
        page.evaluate(
            """([kind, text]) => {
                const data = new DataTransfer();
                data.setData("text/plain", text);
                const more = kind === "paste" ? { clipboardData: data } : { dataTransfer: data };
                const event = kind === "paste" ? new ClipboardEvent(kind, { ...more, bubbles: true })
                    : new DragEvent(kind, { ...more, bubbles: true, cancelable: true });
                document.body.dispatchEvent(event);
            }""",
            [kind, origin.url(kind, 10)],
        )
        expect(urls_field).to_have_value(origin.url(kind, 10))
        dialog.get_by_role("button", name="Add").click()
        in_state(page, kind, "finished")


@check
def the_good_lines_of_a_list_are_added_once_despite_bad_ones(scene, origin, pages):
    page = pages.open()
    dialog, urls_field = adding(page, scene)
    dialog.get_by_label("Add paused").check()
    urls = [origin.url(f"many-{number}", 10) for number in range(260)]
    # The page accepts this URL, the daemon does not.
    refused = origin.url("a" * 40_000, 10)
    urls_field.fill("\n".join(["# a list", *urls[:255], refused, "nonsense", *urls[255:]]))
    # The browser logs an error response to the console.
    pages.expects_loss = True
    dialog.get_by_role("button", name="Add").click()
    alert = dialog.get_by_role("alert")
    expect(alert).to_contain_text("260 added, 2 were not:")
    expect(alert).to_contain_text("“nonsense” is not an HTTP, FTP or SFTP URL")
    expect(urls_field).to_have_value(f"{refused}\nnonsense")
    assert scene.ask("GET", "/v1/status")["counts"] == {"paused": 260}
    # A list in which everything is bad is not sent line by line.
    sent = []
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    urls_field.fill("\n".join(origin.url(f"{number}-" + "a" * 4_200, 10) for number in range(200)))
    dialog.get_by_label("Folder").fill("/no/such/folder")
    dialog.get_by_role("button", name="Add").click()
    expect(alert).to_contain_text("None of the 200 was added")
    assert len(sent) < 100, len(sent)
    pages.expects_loss = False
    urls_field.fill(origin.url("last", 10))
    dialog.get_by_label("Folder").fill(scene.folder)
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_be_hidden()
    assert scene.ask("GET", "/v1/status")["counts"] == {"paused": 261}


@check
def the_map_shows_the_range_of_each_connection(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url("map.iso", 64 * MIB, hold=KIB, drip=16 * KIB)], settings={"connections": 4})
    in_state(page, "map.iso", "running")
    row(page, "map.iso").click()
    detail = page.get_by_role("complementary", name="map.iso")
    expect(detail.locator(".connections tbody tr")).to_have_count(4)
    numbers = detail.locator(".connections tbody td:first-child").all_inner_texts()
    assert len(set(numbers)) == 4, numbers
    page.wait_for_function(
        """() => new Set([...document.querySelectorAll(".map rect[class^='due']")]
            .map((cell) => cell.getAttribute("class"))).size === 4"""
    )
    page.wait_for_function("""() => document.querySelectorAll(".map rect[class^='done']").length > 4""")
    segments_map = detail.get_by_role("img", name="% done")
    expect(segments_map).to_have_accessible_name(re.compile("4 connections"))
    expect(detail.get_by_role("img", name="the scale ends at")).to_be_visible()
    expect(detail.locator(".events li")).to_have_count(2)
    expect(page.locator("#total")).to_contain_text("/s")
    origin.release()
    in_state(page, "map.iso", "finished")
    expect(detail.locator(".badge")).to_have_text("Finished")
    expect(detail.locator(".events li").first).to_contain_text("Finished")
    expect(detail.locator(".segments")).to_be_hidden()
    assert os.path.getsize(os.path.join(scene.folder, "map.iso")) == 64 * MIB


@check
def the_map_of_a_paused_download_shows_its_gaps(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url("gaps.iso", 32 * MIB, hold=MIB)], settings={"connections": 4})
    in_state(page, "gaps.iso", "running")
    row(page, "gaps.iso").click()
    until(page, lambda: scene.downloads()[0]["completedBytes"] >= 4 * MIB)
    row(page, "gaps.iso").get_by_role("button", name="Pause").click()
    in_state(page, "gaps.iso", "paused")

    def shows_gaps(page):
        page.wait_for_function(
            """() => [...document.querySelectorAll(".map rect")]
                .map((cell) => (cell.getAttribute("class") ?? "").slice(0, 4) === "done" ? "x" : " ").join("")
                .trim().split(/ +/).length >= 4"""
        )

    shows_gaps(page)
    # A page that was opened after the download was paused.
    other = pages.open()
    row(other, "gaps.iso").click()
    shows_gaps(other)
    expect(other.locator(".connections")).to_be_hidden()


@check
def each_connection_shows_its_host(scene, origin, pages):
    page = pages.open()
    url = origin.url("mirrored.iso", 64 * MIB, hold=KIB, drip=KIB)
    mirror = url.replace("127.0.0.1", "localhost")
    scene.add([url], settings={"connections": 4, "mirrors": [mirror]})
    in_state(page, "mirrored.iso", "running")
    row(page, "mirrored.iso").click()
    detail = page.get_by_role("complementary", name="mirrored.iso")
    properties = detail.locator(".properties")
    expect(properties.locator("dt:text-is('Source') + dd")).to_have_text(url)
    expect(properties.locator("dt:text-is('Mirror') + dd")).to_have_text(mirror)
    hosts = detail.locator(".connections .host")
    expect(hosts.filter(has_text="from localhost:").first).to_be_visible()
    expect(hosts.filter(has_text="from 127.0.0.1:").first).to_be_visible()
    origin.release()
    in_state(page, "mirrored.iso", "finished")


@check
def search_finds_downloads_that_are_not_loaded_and_ignores_case(scene, origin, pages):
    names = ["%C3%84pfel%20neu.ISO"] + [f"other-{number}" for number in range(250)]
    scene.add([origin.url(name, 10) for name in names], isPaused=True)
    scene.ask("POST", "/v1/actions/cancel", {"all": True})
    page = pages.open()
    expect(page.locator("#grid:not([aria-busy])")).to_have_attribute("aria-rowcount", "201")
    page.get_by_label("Search by name or URL").fill("äPFEL N")
    in_order(page, ["Äpfel neu.ISO"])


@check
def old_ended_downloads_are_loaded_only_when_they_are_displayed(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url("old.iso", 10)])
    in_state(page, "old.iso", "finished")
    scene.add([origin.url(f"other-{number}", 10) for number in range(1250)], isPaused=True)
    scene.ask("POST", "/v1/actions/cancel", {"all": True})
    page = pages.open()
    grid = page.locator("#grid:not([aria-busy])")
    expect(grid).to_have_attribute("aria-rowcount", "201")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "newest" in request.url else None)
    page.get_by_role("button", name="Finished 1").click()
    in_order(page, ["old.iso"])
    page.get_by_role("button", name="All 1,251").click()
    expect(grid).to_have_attribute("aria-rowcount", "201")
    search = page.get_by_label("Search by name or URL")
    search.fill("/OLD.")
    in_order(page, ["old.iso"])
    search.fill("")
    expect(grid).to_have_attribute("aria-rowcount", "201")
    assert len(asked) == 2, asked
    # Each page continues where the previous one ended.
    grid.focus()
    for count in (201, 1201, 1252):
        expect(grid).to_have_attribute("aria-rowcount", str(count))
        page.keyboard.press("End")
    in_state(page, "old.iso", "finished")
    shown = names(page)
    assert shown == [f"other-{number}" for number in range(len(shown) - 2, -1, -1)] + ["old.iso"], shown
    assert len(asked) == 4, asked


@check
def a_download_is_paused_resumed_cancelled_and_removed(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url("big", 4 * MIB, hold=MIB), origin.url("small", 10)], settings={"connections": 1})
    in_state(page, "big", "running")
    in_state(page, "small", "finished")
    row(page, "big").get_by_role("button", name="Pause").click()
    in_state(page, "big", "paused")
    row(page, "big").click()
    detail = page.get_by_role("complementary", name="big")
    detail.get_by_role("button", name="Resume").click()
    in_state(page, "big", "running")
    detail.get_by_role("button", name="Change…").click()
    dialog = page.get_by_role("dialog", name="Change download")
    dialog.get_by_label("Priority").select_option("high")
    dialog.get_by_label("Speed limit").fill("0.5")
    dialog.get_by_role("button", name="Change").click()
    expect(detail.locator(".properties")).to_contain_text("512 KiB/s")
    expect(row(page, "big")).to_contain_text("high priority")
    # Cancelling deletes the received bytes, so the page asks for confirmation.
    cancelling = page.get_by_role("dialog", name="Cancel download")
    detail.get_by_role("button", name="Cancel…").click()
    expect(cancelling).to_contain_text("“big”")
    cancelling.get_by_role("button", name="Keep").click()
    expect(cancelling).to_be_hidden()
    assert [each["state"] for each in scene.downloads() if each["name"] == "big"] != ["cancelled"]
    detail.get_by_role("button", name="Cancel…").click()
    cancelling.get_by_role("button", name="Cancel and delete").click()
    in_state(page, "big", "cancelled")
    detail.get_by_role("button", name="Remove…").click()
    dialog = page.get_by_role("dialog", name="Remove download")
    dialog.get_by_role("button", name="Cancel").click()
    expect(row(page, "big")).to_have_count(1)
    detail.get_by_role("button", name="Remove…").click()
    dialog.get_by_role("button", name="Remove").click()
    expect(row(page, "big")).to_have_count(0)
    expect(detail).to_be_hidden()
    # By keyboard alone, and with its file.
    path = os.path.join(scene.folder, "small")
    assert os.path.exists(path)
    expect(page.get_by_role("grid", name="Downloads")).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("Delete")
    dialog.get_by_label("Also delete files").check()
    dialog.get_by_role("button", name="Remove").click()
    expect(page.locator("#empty")).to_be_visible()
    expect(page.locator("#live")).to_have_text("Removed “small”")
    # Without an offer to undo it, because the file is gone.
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()
    scene.ask("GET", "/v1/status")
    assert scene.downloads() == []


@check
def the_buttons_of_a_download_stay_where_they_are(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url("big", 4 * MIB, hold=MIB, drip=1)], settings={"connections": 1})
    in_state(page, "big", "running")
    row(page, "big").click()
    detail = page.get_by_role("complementary", name="big")
    button = detail.get_by_role("button", name="Cancel…")
    expect(detail).to_contain_text("left")
    while_running = button.bounding_box()
    detail.get_by_role("button", name="Pause").click()
    in_state(page, "big", "paused")
    expect(detail).not_to_contain_text("left")
    assert button.bounding_box() == while_running, (button.bounding_box(), while_running)


@check
def files_that_could_not_be_deleted_are_reported(scene, origin, pages):
    scene.add([origin.url("small", 10)])
    page = pages.open()
    in_state(page, "small", "finished")
    # A folder, which is not removed as a file.
    path = os.path.join(scene.folder, "small")
    os.remove(path)
    os.mkdir(path)
    row(page, "small").click()
    page.get_by_role("complementary", name="small").get_by_role("button", name="Remove…").click()
    dialog = page.get_by_role("dialog", name="Remove")
    dialog.get_by_label("Also delete files").check()
    dialog.get_by_role("button", name="Remove").click()
    expect(dialog.get_by_role("alert")).to_contain_text("some files were not deleted", ignore_case=True)
    expect(row(page, "small")).to_have_count(0)
    dialog.get_by_role("button", name="Remove").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#empty")).to_be_visible()


@check
def an_error_is_shown_with_advice(scene, origin, pages):
    page = pages.open()
    scene.add([f"http://127.0.0.1:{origin.server_port}/missing.zip"])
    in_state(page, "missing.zip", "failed")
    expect(row(page, "missing.zip")).to_contain_text("404")
    page.locator("#grid").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    detail = page.get_by_role("complementary", name="missing.zip")
    expect(detail).to_be_focused()
    expect(detail.get_by_role("region", name="Problem")).to_contain_text("What to do: check the URL")
    expect(detail.get_by_role("button", name="Retry")).to_be_visible()
    page.keyboard.press("Escape")
    expect(detail).to_be_hidden()
    expect(page.locator("#grid")).to_be_focused()


@check
def the_queue_is_reordered_by_keys_buttons_and_mouse(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url(name, 10) for name in ("a", "b", "c", "d")], isPaused=True)
    in_order(page, ["a", "b", "c", "d"])
    page.locator("#grid").focus()
    page.keyboard.press("End")
    page.keyboard.press("Alt+ArrowUp")
    in_order(page, ["a", "b", "d", "c"])
    page.keyboard.press("Alt+Home")
    in_order(page, ["d", "a", "b", "c"])
    page.keyboard.press("Alt+ArrowDown")
    in_order(page, ["a", "d", "b", "c"])
    row(page, "b").drag_to(row(page, "a"), target_position={"x": 60, "y": 4})
    in_order(page, ["b", "a", "d", "c"])
    row(page, "a").click()
    moves = {"Move to the end": "bdca", "Move up": "bdac", "Move to the start": "abdc", "Move down": "badc"}
    for button, order in moves.items():
        page.get_by_role("button", name=button).click()
        in_order(page, list(order))
    page.get_by_role("button", name="Move to the end").click()
    in_order(page, ["b", "d", "c", "a"])
    other = pages.open()
    in_order(other, ["b", "d", "c", "a"])
    other.locator("#grid").focus()
    other.keyboard.press("End")
    other.keyboard.press("Alt+Home")
    in_order(page, ["a", "b", "d", "c"])


@check
def limits_and_the_timetable_are_saved(scene, origin, pages):
    before = scene.ask("GET", "/v1/settings")
    page = pages.open()
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    dialog.get_by_label("Total speed limit").fill("8")
    dialog.get_by_label("Simultaneous downloads").fill("3")
    dialog.get_by_label("Connections per host").fill("7")
    dialog.get_by_label("Download on metered networks").uncheck()
    dialog.get_by_role("button", name="Add period").click()
    period = dialog.get_by_role("group", name="Period")
    # The limit below must apply now, on each day of the week and after midnight.
    days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    omitted = days.pop((time.localtime().tm_wday + 3) % 7)
    period.get_by_label(omitted).uncheck()
    period.get_by_label("From").fill("00:00")
    period.get_by_label("To").fill("00:00")
    period.get_by_label("MiB/s").fill("2")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    settings = scene.ask("GET", "/v1/settings")
    assert settings["limitBytesPerSecond"] == 8 * MIB
    assert settings["maximumConcurrentDownloads"] == 3
    assert settings["connectionsPerHost"] == 7
    assert settings["usesMeteredNetwork"] is False
    assert settings["timetable"] == [{"days": days, "from": "00:00", "to": "24:00", "limitBytesPerSecond": 2 * MIB}]
    expect(page.locator("#limit")).to_contain_text("Limit 2.00 MiB/s")
    page.locator("#limit").click()
    expect(dialog.get_by_label("Connections per host")).to_have_value("7")
    metered = dialog.get_by_label("Download on metered networks")
    expect(metered).not_to_be_checked()
    metered.check()
    expect(period.get_by_label(omitted)).not_to_be_checked()
    period.get_by_role("button", name="Remove period").click()
    dialog.get_by_label("Total speed limit").fill("")
    dialog.get_by_label("Simultaneous downloads").fill(str(before["maximumConcurrentDownloads"]))
    dialog.get_by_label("Connections per host").fill(str(before["connectionsPerHost"]))
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator("#limit")).to_have_text("No limit")
    assert scene.ask("GET", "/v1/settings") == before


@check
def downloads_are_filtered_searched_and_selected(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url(name, 10) for name in ("apple.iso", "pear.iso", "plum.zip")], isPaused=True)
    in_order(page, ["apple.iso", "pear.iso", "plum.zip"])
    page.get_by_label("Search by name or URL").fill("ISO")
    in_order(page, ["apple.iso", "pear.iso"])
    page.locator("#grid").focus()
    page.keyboard.press("Control+a")
    expect(page.locator("#selected")).to_have_text("2 selected")
    page.get_by_role("toolbar", name="Selected downloads").get_by_role("button", name="Resume").click()
    for name in ("apple.iso", "pear.iso"):
        in_state(page, name, "finished")
    page.get_by_label("Search by name or URL").fill("")
    page.get_by_role("button", name="Paused 1").click()
    in_order(page, ["plum.zip"])
    expect(page.get_by_role("button", name="Finished 2")).to_be_visible()


@check
def the_page_is_up_to_date_after_the_daemon_was_killed(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url("going", 4 * MIB, hold=MIB)], settings={"connections": 1})
    scene.add([origin.url("gone", 10), origin.url("stays", 10)], isPaused=True)
    in_state(page, "going", "running")
    row(page, "going").click()
    pages.expects_loss = True
    scene.kill()
    expect(page.get_by_role("status").filter(has_text="does not respond")).to_be_visible()
    scene.start()
    scene.ask("POST", "/v1/actions/remove", {"targets": ["gone"]})
    expect(page.locator("#banner")).to_be_hidden()
    expect(row(page, "gone")).to_have_count(0)
    in_state(page, "stays", "paused")
    in_state(page, "going", "running")
    origin.release()
    in_state(page, "going", "finished")
    expect(page.locator("#detail .events li").first).to_contain_text("Finished")
    pages.expects_loss = False


@check
def a_silent_stream_is_closed_and_opened_again(scene, origin, pages):
    page = pages.open(prepare=lambda page: page.clock.install())
    scene.add([origin.url("going", 4 * MIB, hold=MIB)], settings={"connections": 1})
    in_state(page, "going", "running")
    asked = []
    page.on("request", lambda request: asked.append(request) if request.url.endswith("/v1/events") else None)
    banner = page.locator("#banner")
    with scene.standing_still():
        # The download completes everywhere but in the stopped daemon.
        origin.release()
        for attempts in (1, 2):
            page.clock.fast_forward(31_000)
            expect(banner).to_contain_text("does not respond")
            # The page also stops waiting for a response that never starts.
            until(page, lambda: len(asked) >= attempts)
        in_state(page, "going", "running")
    expect(banner).to_be_hidden()
    in_state(page, "going", "finished")
    scene.add([origin.url("next", 10)])
    in_state(page, "next", "finished")


@check
def events_during_loading_are_not_lost(scene, origin, pages):
    scene.add([origin.url("early", 10)], isPaused=True)
    held = []
    page = pages.open(prepare=lambda page: page.route("**/v1/downloads?state=waiting*", lambda route: held.append(route)))
    expect(page.locator("#filter-all .count")).to_have_text("1")
    until(page, lambda: held)
    before = held[0].fetch()
    scene.add([origin.url("late", 4 * MIB, hold=MIB)], settings={"connections": 1})
    in_state(page, "late", "running")
    held[0].fulfill(response=before)
    expect(page.locator("#grid:not([aria-busy])")).to_be_visible()
    in_state(page, "late", "running")
    in_state(page, "early", "paused")


@check
def the_page_is_accessible(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    audit(page, "empty list")
    scene.add([origin.url("running.iso", 4 * MIB, hold=MIB)], settings={"connections": 1})
    scene.add([f"http://127.0.0.1:{origin.server_port}/missing", origin.url("done", 100)])
    scene.add([origin.url("later", 10)], isPaused=True)
    for scheme in ("light", "dark"):
        page = pages.open(color_scheme=scheme, reduced_motion="reduce")
        for name, state in (("missing", "failed"), ("done", "finished"), ("running.iso", "running")):
            in_state(page, name, state)
        audit(page, f"list, {scheme}")
        for name in ("running.iso", "missing"):
            row(page, name).click()
            expect(page.get_by_role("complementary", name=name)).to_be_visible()
            audit(page, f"detail of {name}, {scheme}")
        page.keyboard.press("Control+a")
        expect(page.get_by_role("toolbar", name="Selected downloads")).to_be_visible()
        audit(page, f"all selected, {scheme}")
        for opener, name in (("Add", "Add downloads"), ("Settings", "Settings"), ("Change…", "Change download"), ("Remove…", "Remove download")):
            button = page.get_by_role("button", name=opener, exact=True).first
            button.click()
            dialog = page.get_by_role("dialog", name=name)
            expect(dialog).to_be_visible()
            audit(page, f"{name}, {scheme}")
            page.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
            expect(button).to_be_focused()
