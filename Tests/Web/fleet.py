"""Checks of the nodes that share a queue. The daemon of the checks has its queue for itself, so that the answers of a
shared one are put in the place of its own."""

from urllib.parse import parse_qs, urlparse

from playwright.sync_api import expect

from browser import audit
from checks import check

ALPHA = {"name": "alpha", "version": "0.1.0", "state": "alive", "isSelf": True, "startedAt": "2026-11-30T12:00:00Z",
         "lagSeconds": 2.5, "downloads": 120, "running": 5, "bytesPerSecond": 3 << 20, "connections": 20}
BETA = {"name": "beta", "version": "0.1.0", "state": "lost", "isSelf": False, "startedAt": "2026-11-30T12:00:00Z",
        "lagSeconds": 75, "downloads": 3, "running": 0}
HOSTS = [{"host": "a.example", "counts": {"running": 5, "waiting": 1200}}, {"counts": {"waiting": 7}}]


def share(page, drained):
    """Answers as a daemon whose queue is in a database with two nodes."""
    def status(route):
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "store": "postgres://host/pawl"})

    def drain(route):
        drained.extend(parse_qs(urlparse(route.request.url).query)["node"])
        route.fulfill(json={**ALPHA, "state": "draining"})

    def fleet(route):
        state = "draining" if drained else "alive"
        route.fulfill(json={"isShared": True, "nodes": [{**ALPHA, "state": state}, BETA], "counts": {}, "hosts": HOSTS})

    page.route("**/v1/status", status)
    page.route("**/v1/fleet", fleet)
    page.route("**/v1/fleet/drain?*", drain)


@check
def a_daemon_that_has_its_queue_for_itself_shows_no_nodes(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    expect(page.locator("#open-fleet")).to_be_hidden()


@check
def the_nodes_of_a_shared_queue_are_shown_and_drained(scene, origin, pages):
    drained = []
    page = pages.open(prepare=lambda page: share(page, drained))
    page.get_by_role("button", name="Nodes").click()
    dialog = page.get_by_role("dialog", name="Nodes")
    expect(dialog).to_be_visible()
    alpha, beta = dialog.locator("#fleet-nodes li").all()
    expect(alpha).to_contain_text("alpha")
    for text in ["Works", "this daemon", "5 of 120 downloads run", "3.00 MiB/s", "lease renewed 3 s ago"]:
        expect(alpha).to_contain_text(text)
    expect(beta).to_contain_text("Lost")
    expect(beta.locator(".bad")).to_contain_text("0 of 3")
    expect(beta.get_by_role("button")).to_have_count(0)
    hosts = dialog.locator("#fleet-hosts")
    expect(hosts).to_contain_text("a.example")
    expect(hosts).to_contain_text("1,200 Queued")
    expect(hosts).to_contain_text("Other hosts")
    audit(page, "the nodes")
    alpha.get_by_role("button", name="Drain alpha").click()
    expect(alpha).to_contain_text("Finishes its work")
    assert drained == ["alpha"], drained
    expect(alpha.get_by_role("button")).to_have_count(0)
    for width in [390, 320]:
        page.set_viewport_size({"width": width, "height": 700})
        assert dialog.evaluate("(each) => each.scrollWidth <= each.clientWidth"), width
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
