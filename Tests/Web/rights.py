"""Checks that a login with a token shows only the controls that the token allows."""

import secrets

from playwright.sync_api import expect

from browser import audit
from checks import KIB, MIB, check, in_order, in_state, row


def token(scene, scope):
    """A new token, whose name is not taken."""
    name = f"for-{scope}-{secrets.token_hex(4)}"
    return scene.pawl("daemon", "token", "--scope", scope, "--name", name).split()[-1]


def log_in(pages, scene, scope):
    """Opens a page with a link that contains a token of the scope."""
    # The browser logs the requests with which the page finds out what is refused.
    pages.expects_loss = True
    return pages.open(f"{scene.url}/#token={token(scene, scope)}")


@check
def a_token_that_only_reads_has_no_controls(scene, origin, pages):
    scene.add([origin.url("slow", 4 * MIB, hold=KIB, drip=KIB)], settings={"connections": 1})
    scene.add([origin.url("later", 10)], isPaused=True)
    page = log_in(pages, scene, "read")
    in_order(page, ["slow", "later"])
    expect(page.locator("body")).to_have_attribute("data-scope", "read")
    for name in ("Add", "All downloads"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    row(page, "slow").click()
    detail = page.get_by_role("complementary", name="slow")
    expect(detail.locator(".segments")).to_be_visible()
    audit(page, "the details for a reader")
    allowed = {"Close details", "Last minute", "Last hour"}
    shown = {button.get_attribute("aria-label") or button.inner_text() for button in detail.get_by_role("button").all()}
    assert shown <= allowed, shown
    expect(row(page, "slow").get_by_role("button", name="Pause")).to_have_count(0)
    row(page, "later").get_by_role("button", name="More actions").click()
    menu = page.get_by_role("menu", name="More actions")
    expect(menu).to_be_visible()
    items = menu.get_by_role("menuitem").all_inner_texts()
    assert items == ["Show details", "Copy URL", "Copy path"], items
    page.keyboard.press("Escape")
    row(page, "later").get_by_role("checkbox").click()
    bar = page.get_by_role("toolbar", name="Selected downloads")
    # It is drawn with the next frame.
    expect(bar).to_be_visible()
    assert bar.get_by_role("button").all_inner_texts() == ["Copy URLs", "Clear selection"]
    # Neither keys nor pasted text do what is not allowed.
    page.locator("#grid").focus()
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.method != "GET" else None)
    for key in ("p", "Delete", "n", "Alt+End"):
        page.keyboard.press(key)
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData("text/plain", "https://example.org/x");
            document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
        }"""
    )
    page.evaluate("location.hash = 'add=https://example.org/x'")
    expect(page.locator("#grid:not([aria-busy])")).to_be_visible()
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert asked == [], asked
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_label("Language")).to_be_visible()
    expect(dialog.get_by_label("Total speed limit")).to_be_hidden()
    expect(dialog.get_by_text("Download with Pawl")).to_be_hidden()
    # The browser remembers the rights, and a login with more rights replaces them.
    page.reload()
    expect(page.locator("body")).to_have_attribute("data-scope", "read")
    page.goto(scene.pawl("daemon", "token", "--url"))
    expect(page.get_by_role("button", name="Add")).to_be_visible()
    in_state(page, "slow", "running")
    expect(row(page, "slow").get_by_role("button", name="Pause")).to_be_visible()


@check
def a_token_that_adds_controls_its_own_downloads_only(scene, origin, pages):
    scene.add([origin.url("users", 10)], isPaused=True)
    page = log_in(pages, scene, "add")
    in_order(page, ["users"])
    expect(page.locator("body")).to_have_attribute("data-scope", "add")
    page.get_by_role("button", name="Add").click()
    dialog = page.get_by_role("dialog", name="Add downloads")
    dialog.get_by_label("URLs").fill(origin.url("own", 10))
    dialog.get_by_label("Add paused").check()
    dialog.get_by_role("button", name="Add").click()
    in_order(page, ["users", "own"])
    expect(row(page, "own").get_by_role("button", name="Resume")).to_be_visible()
    expect(row(page, "users").get_by_role("button", name="Resume")).to_be_hidden()
    # The toolbar leaves the user's download out.
    page.locator("#grid").focus()
    page.keyboard.press("Control+a")
    page.get_by_role("toolbar", name="Selected downloads").get_by_role("button", name="Resume").click()
    in_state(page, "own", "finished")
    in_state(page, "users", "paused")
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("dialog", name="Settings").get_by_label("Total speed limit")).to_be_hidden()


@check
def the_main_token_may_do_everything(scene, origin, pages):
    before = scene.ask("GET", "/v1/settings")
    page = pages.open(f"{scene.url}/#token={scene.pawl('daemon', 'token')}")
    expect(page.locator("body")).to_have_attribute("data-scope", "manage")
    expect(page.get_by_role("button", name="Add")).to_be_visible()
    assert scene.ask("GET", "/v1/settings") == before
