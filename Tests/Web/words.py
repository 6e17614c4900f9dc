"""Checks of the texts: their languages, the log of a download in words, and the speed over time."""

import calendar
import glob
import json
import os
import re
import time

from playwright.sync_api import expect

from browser import audit
from checks import KIB, MIB, check, in_state, row, until

PAGE = os.path.join(os.path.dirname(__file__), "../../Sources/CPage/Page")


def source(name):
    with open(os.path.join(PAGE, name), encoding="utf-8") as file:
        return file.read()


def texts_of(page, language):
    return page.evaluate("(path) => import(path).then(({ texts }) => texts)", f"/assets/texts.{language}.js")


def fields(page):
    return page.evaluate("import('/assets/fields.js').then(({ downloadFields, daemonFields }) => [downloadFields, daemonFields])")


@check
def each_language_has_every_text(scene, origin, pages):
    page = pages.open()
    english = texts_of(page, "en")
    shared = re.compile(r"^(label|placeholder|hint)\.")
    download, daemon = fields(page)
    names = {field["name"] for field in download + daemon}
    files = [re.search(r"texts\.(\w+)\.js", path)[1] for path in glob.glob(os.path.join(PAGE, "texts.*.js"))]
    assert sorted(files) == ["de", "en", "zh"], files
    for language in set(files) - {"en"}:
        texts = texts_of(page, language)
        own = {key for key in texts if not shared.match(key)}
        assert own == set(english), f"{language}: {sorted(own ^ set(english))}"
        for key in own:
            marks = [sorted(set(re.findall(r"\{\w+\}|`", json.dumps(each[key])))) for each in (texts, english)]
            assert marks[0] == marks[1], f"{language}: {key} has {marks[0]}, English {marks[1]}"
            assert json.dumps(texts[key]).strip('"'), f"{language}: {key} is empty"
        missing = [f"{kind}.{name}" for name in names for kind in ("label", "hint") if f"{kind}.{name}" not in texts]
        assert not missing, f"{language}: {missing}"
        unknown = [key for key in texts if shared.match(key) and key.rsplit(".", 1)[1] not in names]
        assert not unknown, f"{language}: {unknown}"
    # The first paint has the English texts of the page itself.
    html = source("index.html")
    written = re.findall(r'data-t="([^"]+)"[^>]*>([^<]+)<', html)
    assert len(written) > 4, written
    assert all(english[key] == text for key, text in written), written
    code = html + "".join(source(os.path.basename(path)) for path in glob.glob(os.path.join(PAGE, "[!t]*.js")))
    used = set(re.findall(r'\bt\("([^"]+)"', code)) | set(re.findall(r'data-t(?:-\w+)?="([^"]+)"', code))
    assert used <= set(english), used - set(english)


# Texts of the page that are English although the language is another one.
ENGLISH = r"""() => {
    const words = /\b(the|and|of|Add|Remove|Select|Speed|Show|Close|Search|Time left|Folder|Headers|Retries)\b/;
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.parentElement.closest("noscript, code") && words.test(node.data)) found.push(node.data);
    }
    for (const node of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
        for (const name of ["aria-label", "title", "placeholder"]) {
            const text = node.getAttribute(name) ?? "";
            if (words.test(text)) found.push(text);
        }
    }
    return found;
}"""


@check
def the_page_speaks_the_language_of_the_browser(scene, origin, pages):
    scene.add([origin.url("done.iso", 3 * MIB // 2)])
    scene.add([origin.url("waits.iso", 10)], isPaused=True)
    page = pages.open(locale="de-AT")
    in_state(page, "done.iso", "finished")
    assert page.evaluate("document.documentElement.lang") == "de"
    expect(page.get_by_role("button", name="Hinzufügen")).to_be_visible()
    expect(page.get_by_role("button", name="Angehalten 1")).to_be_visible()
    # With a comma.
    expect(row(page, "done.iso")).to_contain_text("1,50 MiB")
    row(page, "waits.iso").click()
    expect(page.get_by_role("complementary", name="waits.iso")).to_contain_text("In die Warteschlange aufgenommen.")
    found = page.evaluate(ENGLISH)
    assert not found, found
    audit(page, "in German")
    page.get_by_role("button", name="Einstellungen").click()
    dialog = page.get_by_role("dialog", name="Einstellungen")
    expect(dialog.get_by_label("Limit aller Downloads")).to_be_visible()
    dialog.get_by_label("Sprache").select_option("zh")
    dialog.get_by_role("button", name="Speichern").click()
    expect(page.get_by_role("button", name="添加")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    found = page.evaluate(ENGLISH)
    assert not found, found
    page.reload()
    expect(page.get_by_role("button", name="已完成 1")).to_be_visible()
    # A language that the page does not have.
    other = pages.open(locale="fr-FR")
    expect(other.get_by_role("button", name="Finished 1")).to_be_visible()


def write_from_right_to_left(page):
    """Makes the page treat English as a language that is written from right to left."""

    def change(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('Set(["ar"', 'Set(["en"'))

    page.route("**/assets/i18n.js", change)


@check
def the_layout_follows_a_right_to_left_language(scene, origin, pages):
    scene.add([origin.url("half.iso", 4 * MIB, hold=2 * MIB)], settings={"connections": 1})
    for width in (1280, 360):
        page = pages.open(prepare=write_from_right_to_left, viewport={"width": width, "height": 740})
        in_state(page, "half.iso", "running")
        assert page.evaluate("document.documentElement.dir") == "rtl"
        # The number stays before its unit.
        expect(row(page, "half.iso").locator(".amount")).to_contain_text("\u20664.00 MiB\u2069")
        place = """(selector) => { const { left, right } = document.querySelector(selector).getBoundingClientRect(); return [left, right]; }"""
        title, button = page.evaluate(place, ".row .title"), page.evaluate(place, ".row .act")
        assert button[1] <= title[0] + 1, (button, title)
        until(page, lambda: page.evaluate("document.querySelector('.row .fill').getBoundingClientRect().width") > 20)
        bar, fill = page.evaluate(place, ".row .progress"), page.evaluate(place, ".row .fill")
        assert abs(bar[1] - fill[1]) < 1 and fill[0] > bar[0] + 5, (bar, fill)
        page.get_by_role("button", name="View").click()
        box = page.get_by_role("menu", name="View").bounding_box()
        assert 0 <= box["x"] and box["x"] + box["width"] <= width, box
        page.keyboard.press("Escape")
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        page.context.close()
    style = source("style.css")
    fixed = re.findall(r"(?:margin|padding|border)-(?:left|right)\b|[{;] *(?:left|right):|text-align: (?:left|right)", style)
    assert not fixed, fixed


@check
def the_events_of_a_download_are_sentences(scene, origin, pages):
    page = pages.open()
    scene.add([origin.url("story.iso", 4 * MIB, hold=2 * MIB)], settings={"connections": 1})
    in_state(page, "story.iso", "running")
    until(page, lambda: scene.downloads()[0]["completedBytes"] >= 2 * MIB)
    row(page, "story.iso").click()
    detail = page.get_by_role("complementary", name="story.iso")
    lines = detail.locator(".events li span")
    expect(lines).to_have_text(["Started.", "Added to the queue."])
    detail.get_by_role("button", name="Pause").click()
    expect(lines.first).to_have_text(re.compile(r"^Paused at 2\.\d\d MiB of 4\.00 MiB\.$"))
    origin.release()
    detail.get_by_role("button", name="Resume").click()
    path = os.path.join(scene.folder, "story.iso")
    # The time is left out if it is less than a second.
    expect(lines.first).to_have_text(re.compile(rf"^Finished( in [\w ]+)?: 4\.00 MiB, saved as {re.escape(path)}\.$"))
    detail.get_by_role("button", name="Close details").click()

    def slower(route):
        """Lets the last event happen 65 s after the last start."""
        answer = route.fetch()
        page_of_events = answer.json()
        events = page_of_events["events"]
        start = next(event["at"] for event in reversed(events) if event["kind"] == "started")
        seconds = calendar.timegm(time.strptime(start[:19], "%Y-%m-%dT%H:%M:%S")) + 65
        events[-1]["at"] = time.strftime(f"%Y-%m-%dT%H:%M:%S{start[19:]}", time.gmtime(seconds))
        route.fulfill(response=answer, json=page_of_events)

    page.route("**/events", slower)
    row(page, "story.iso").click()
    expect(lines.first).to_have_text(f"Finished in 1 min 5 s: 4.00 MiB, saved as {path}.")
    page.unroute("**/events")
    scene.add([f"http://127.0.0.1:{origin.server_port}/gone"])
    in_state(page, "gone", "failed")
    row(page, "gone").click()
    lines = page.get_by_role("complementary", name="gone").locator(".events li span")
    expect(lines.first).to_have_text(re.compile(r"^Failed: .*404.*\.$"))


@check
def earlier_events_are_loaded_on_demand(scene, origin, pages):
    added = scene.add([origin.url("busy", 10)], isPaused=True)[0]["id"]
    for number in range(210):
        priority = "high" if number % 2 else "low"
        scene.ask("POST", "/v1/changes", {"selection": {"targets": [str(added)]}, "changes": {"priority": priority}})
    page = pages.open()
    row(page, "busy").click()
    detail = page.get_by_role("complementary", name="busy")
    expect(detail.locator(".events li")).to_have_count(200)
    detail.get_by_role("button", name="Show earlier events").click()
    expect(detail.locator(".events li")).to_have_count(211)
    expect(detail.locator(".events li").last).to_contain_text("Added to the queue.")
    expect(detail.get_by_role("button", name="Show earlier events")).to_be_hidden()


@check
def the_speed_of_the_last_hour_is_shown(scene, origin, pages):
    page = pages.open(prepare=lambda page: page.clock.install())
    scene.add([origin.url("long.iso", 64 * MIB, hold=KIB, drip=16 * KIB)], settings={"connections": 1})
    in_state(page, "long.iso", "running")
    opener = page.get_by_role("button", name="Show the speed over time")
    opener.click()
    expect(opener).to_have_attribute("aria-expanded", "true")
    graph = page.get_by_role("region", name="Speed of all downloads")
    picture = graph.get_by_role("img", name="the scale ends at")
    expect(graph.get_by_role("button", name="Last hour")).to_have_attribute("aria-pressed", "true")
    line = graph.locator(".speed-line")

    def xs():
        return [float(point.split(",")[0]) for point in (line.get_attribute("points") or "").split()]

    expect(picture).to_have_accessible_name(re.compile("maximum [1-9]"))
    until(page, lambda: xs() and min(xs()) > 470)
    audit(page, "the speed of the last hour")
    # Half an hour later, the first points are in the middle. The stream was silent: the speed was 0.
    page.clock.fast_forward(1_800_000)
    until(page, lambda: xs() and 230 < min(xs()) < 250 and max(xs()) > 470)

    def heights():
        return [float(point.split(",")[1]) for point in line.get_attribute("points").split()]

    until(page, lambda: heights()[-1] < 70)
    assert 72 in heights(), heights()
    graph.get_by_role("button", name="Last minute").click()
    until(page, lambda: not xs() or min(xs()) > 0)
    # The hour is kept while the page is loaded again.
    page.reload()
    opener.click()
    until(page, lambda: xs() and 230 < min(xs()) < 250)
    row(page, "long.iso").click()
    detail = page.get_by_role("complementary", name="long.iso")
    expect(detail.get_by_role("button", name="Last minute")).to_have_attribute("aria-pressed", "true")
    detail.get_by_role("button", name="Last hour").click()
    expect(detail.get_by_role("button", name="Last hour")).to_have_attribute("aria-pressed", "true")
