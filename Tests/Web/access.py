"""Checks of accessibility in unusual states, and that the audit finds known faults."""

from playwright.sync_api import expect

from browser import AUDIT, audit
from checks import MIB, adding, check, in_state, row, until


def audit_both(page, where):
    """Audits the displayed state in the light and the dark colour scheme."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        audit(page, f"{where}, {scheme}")
    page.emulate_media(color_scheme="light", reduced_motion="reduce")


@check
def the_audit_finds_known_faults(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    audit(page, "as it is")

    def finds(style, count, wanted):
        page.evaluate(
            """([style, count]) => {
                const box = document.createElement("div");
                box.id = "specimen";
                box.style.cssText = "position: fixed; inset: auto 40px 40px auto; display: flex";
                for (let number = 0; number < count; number += 1) {
                    const button = document.createElement("button");
                    button.textContent = "x";
                    button.style.cssText = "padding: 0; min-height: 0; " + style;
                    box.append(button);
                }
                document.body.append(box);
            }""",
            [style, count],
        )
        found = page.evaluate(AUDIT)
        page.evaluate("document.getElementById('specimen').remove()")
        text = "; ".join(found)
        assert wanted in text if wanted else not found, f"{style}: {found}"

    finds("width: 24px; height: 24px", 2, "")
    finds("width: 18px; height: 18px", 1, "")
    finds("width: 18px; height: 18px; margin-left: 6px", 2, "")
    finds("width: 18px; height: 18px; margin-left: 5px", 2, "is small, 18 x 18")
    finds("width: 22px; height: 24px", 2, "too near")
    finds("width: 24px; height: 24px; background: #fff; color: #808080", 1, "contrast 3.95")


@check
def the_login_is_accessible(scene, origin, pages):
    # The browser logs the refused request to the console.
    pages.expects_loss = True
    page = pages.open(scene.url + "/")
    dialog = page.get_by_role("dialog", name="Log in")
    expect(dialog).to_be_visible()
    audit_both(page, "login")
    dialog.get_by_label("Token").fill("wrong")
    dialog.get_by_role("button", name="Log in").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    audit_both(page, "login refused")


@check
def a_click_before_the_login_has_ended_waits_for_it(scene, origin, pages):
    held = []
    page = pages.open(prepare=lambda page: page.route("**/v1/login", lambda route: held.append(route)))
    page.get_by_role("button", name="Settings").click()
    until(page, lambda: held)
    held[0].continue_()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()


@check
def the_forms_are_accessible(scene, origin, pages):
    scene.ask("PATCH", "/v1/settings", {"timetable": [{"from": "08:00", "to": "18:00", "days": ["mon"]}]})
    page = pages.open()
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_role("group", name="Period")).to_be_visible()
    audit_both(page, "limits with a period")
    dialog.get_by_role("button", name="Remove period").click()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    dialog, urls_field = adding(page, scene)
    urls_field.fill("nonsense")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    audit_both(page, "a URL that is not valid")


@check
def the_page_is_accessible_while_something_is_wrong(scene, origin, pages):
    scene.add([origin.url("half.iso", 4 * MIB, hold=MIB)], settings={"connections": 1})
    page = pages.open()
    in_state(page, "half.iso", "running")
    until(page, lambda: scene.downloads()[0]["completedBytes"] > 0)
    row(page, "half.iso").get_by_role("button", name="Pause").click()
    in_state(page, "half.iso", "paused")
    row(page, "half.iso").click()
    detail = page.get_by_role("complementary", name="half.iso")
    expect(detail.get_by_role("img", name="% done")).to_be_visible()
    audit_both(page, "details of a paused download")
    page.evaluate("document.body.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true }))")
    expect(page.locator("#drop")).to_be_visible()
    audit_both(page, "text is dragged over the page")
    page.evaluate("document.body.dispatchEvent(new DragEvent('dragleave', { bubbles: true }))")
    expect(page.locator("#drop")).to_be_hidden()
    pages.expects_loss = True
    page.route("**/v1/actions/*", lambda route: route.abort())
    detail.get_by_role("button", name="Resume").click()
    banner = page.locator("#banner")
    expect(banner.get_by_role("button", name="Dismiss")).to_be_visible()
    audit_both(page, "an error")
    banner.get_by_role("button", name="Dismiss").click()
    expect(banner).to_be_hidden()
    scene.kill()
    try:
        expect(banner).to_contain_text("does not respond")
        audit_both(page, "the daemon does not respond")
    finally:
        scene.start()
    expect(banner).to_be_hidden()
