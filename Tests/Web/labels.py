"""Checks of labels: in the form that adds downloads, in the list, for a selection, and in the settings."""

import os

from playwright.sync_api import expect

from browser import audit
from checks import adding, check, in_order, row, until


def label_of(scene, name):
    return next(each for each in scene.downloads() if each["name"] == name).get("label")


def labels(scene):
    """The labels by name, with what they have besides their downloads."""
    found = scene.ask("GET", "/v1/labels")["labels"]
    return {each["name"]: {key: each[key] for key in each if key not in ("name", "counts")} for each in found}


def choose(page, name):
    page.get_by_role("combobox", name="Label").select_option(name)


@check
def a_download_is_added_with_a_label(scene, origin, pages):
    folder = os.path.join(scene.folder, "films/")
    scene.ask("POST", "/v1/labels", {"name": "films", "folder": folder, "priority": "low"})
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    dialog, urls = adding(page, scene)
    dialog.get_by_label("Folder").fill("")
    dialog.get_by_text("More options").click()
    field = dialog.get_by_label("Label")
    # The labels that there are, are offered.
    until(page, lambda: page.locator("#labels option").evaluate_all("(all) => all.map((each) => each.value)") == ["films"])
    assert field.get_attribute("list") == "labels"
    field.fill("films")
    # The form shows what the downloads take from the label.
    expect(dialog.get_by_label("Folder")).to_have_attribute("placeholder", folder)
    expect(dialog.get_by_label("Priority")).to_have_value("low")
    audit(page, "the form with a label")
    dialog.get_by_label("Add paused").check()
    urls.fill(origin.url("one.mkv", 10))
    dialog.get_by_role("button", name="Add").click()
    expect(row(page, "one.mkv")).to_contain_text("films")
    (added,) = scene.downloads()
    assert (added["label"], added["priority"], added["destination"]) == ("films", "low", folder), added
    # What the user chooses counts more than the label.
    page.get_by_role("button", name="Add").click()
    dialog.get_by_label("Priority").select_option("high")
    dialog.get_by_label("Label").fill("films")
    dialog.get_by_label("Folder").fill(scene.folder)
    urls.fill(origin.url("two.mkv", 10))
    dialog.get_by_role("button", name="Add").click()
    expect(row(page, "two.mkv")).to_have_count(1)
    added = next(each for each in scene.downloads() if each["name"] == "two.mkv")
    assert (added["priority"], added["destination"]) == ("high", scene.folder + "/"), added
    # A name that cannot be one.
    page.get_by_role("button", name="Add").click()
    dialog.get_by_label("Label").fill("a,b")
    urls.fill(origin.url("three.mkv", 10))
    pages.expects_loss = True
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("alert")).to_contain_text("invalid label")


@check
def the_list_is_filtered_by_label(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in ("a.mkv", "b.mkv")], isPaused=True, label="films")
    scene.add([origin.url(name, 10) for name in ("c.mp3", "d.mp3")], label="music")
    page = pages.open()
    expect(page.get_by_role("button", name="Finished 2")).to_be_visible()
    choose(page, "music")
    expect(row(page, "c.mp3")).to_have_count(1)
    expect(row(page, "a.mkv")).to_have_count(0)
    # The counts are those of the label.
    expect(page.get_by_role("button", name="All 2")).to_be_visible()
    expect(page.get_by_role("button", name="Paused 0")).to_be_visible()
    # Downloads that get the label later appear.
    scene.add([origin.url("e.mp3", 10)], isPaused=True, label="music")
    expect(page.get_by_role("button", name="Paused 1")).to_be_visible()
    expect(row(page, "e.mp3")).to_have_count(1)
    audit(page, "the list of one label")
    choose(page, "")
    expect(row(page, "a.mkv")).to_have_count(1)
    expect(page.get_by_role("button", name="All 5")).to_be_visible()
    # As a column, which sorts.
    page.get_by_role("button", name="View").click()
    page.get_by_role("menuitemcheckbox", name="Label").click()
    page.keyboard.press("Escape")
    expect(row(page, "a.mkv").locator(".col-label")).to_have_text("films")
    expect(row(page, "a.mkv").locator(".sub")).not_to_contain_text("films")
    page.locator("#head").get_by_role("button", name="Label").click()
    in_order(page, ["a.mkv", "b.mkv", "e.mp3", "d.mp3", "c.mp3"])


@check
def the_filter_by_label_finds_old_downloads(scene, origin, pages):
    scene.add([origin.url("old.iso", 10)], isPaused=True, label="kept")
    scene.add([origin.url(f"other-{number}", 10) for number in range(400)], isPaused=True)
    scene.ask("POST", "/v1/actions/cancel", {"all": True})
    page = pages.open()
    expect(page.locator("#grid:not([aria-busy])")).to_have_attribute("aria-rowcount", "201")
    choose(page, "kept")
    in_order(page, ["old.iso"])


@check
def labels_are_set_and_removed_in_the_menu_and_for_a_selection(scene, origin, pages):
    scene.add([origin.url(name, 10) for name in ("a", "b", "c")], isPaused=True)
    page = pages.open()
    in_order(page, ["a", "b", "c"])
    expect(page.get_by_role("combobox", name="Label")).to_be_hidden()
    row(page, "a").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Label…").click()
    dialog = page.get_by_role("dialog", name="Set label")
    expect(dialog).to_contain_text("“a”")
    expect(dialog.get_by_label("Label")).to_be_focused()
    audit(page, "the form of a label")
    page.keyboard.type("films")
    page.keyboard.press("Enter")
    expect(row(page, "a")).to_contain_text("films")
    expect(page.locator("#live")).to_have_text("Label set: films")
    assert label_of(scene, "a") == "films"
    page.locator("#grid").focus()
    page.keyboard.press("Control+a")
    toolbar = page.get_by_role("toolbar", name="Selected downloads")
    toolbar.get_by_role("button", name="Label…").click()
    # The downloads have different labels.
    expect(dialog.get_by_label("Label")).to_have_value("")
    expect(dialog).to_contain_text("3 downloads")
    dialog.get_by_label("Label").fill("music")
    dialog.get_by_role("button", name="Set").click()
    for name in ("a", "b", "c"):
        expect(row(page, name)).to_contain_text("music")
    toolbar.get_by_role("button", name="Label…").click()
    expect(dialog.get_by_label("Label")).to_have_value("music")
    dialog.get_by_label("Label").fill("")
    dialog.get_by_role("button", name="Set").click()
    expect(row(page, "b")).not_to_contain_text("music")
    until(page, lambda: [label_of(scene, name) for name in "abc"] == [None] * 3)
    row(page, "c").click()
    detail = page.get_by_role("complementary", name="c")
    expect(detail).not_to_contain_text("Label")
    scene.ask("POST", "/v1/changes", {"selection": {"targets": ["c"]}, "changes": {"label": "elsewhere"}})
    # Another program's change arrives, too.
    expect(detail.locator(".properties")).to_contain_text("elsewhere")


@check
def labels_are_managed_in_the_settings(scene, origin, pages):
    folder = os.path.join(scene.folder, "books")
    scene.add([origin.url("a", 10)], isPaused=True, label="films")
    page = pages.open()
    expect(row(page, "a")).to_contain_text("films")
    opener = page.get_by_role("button", name="Settings")
    opener.click()
    dialog = page.get_by_role("dialog", name="Settings")
    films = dialog.get_by_role("group", name="films")
    expect(films).to_contain_text("1 download")
    films.get_by_label("Speed limit").fill("2")
    dialog.get_by_role("button", name="Add label").click()
    books = dialog.get_by_role("group", name="Add label")
    expect(books.get_by_label("Name")).to_be_focused()
    page.keyboard.type("books")
    books.get_by_label("Folder").fill(folder)
    books.get_by_label("Priority").select_option("high")
    audit(page, "the labels in the settings")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    wanted = {"books": {"folder": folder + "/", "priority": "high"}, "films": {"limitBytesPerSecond": 2 << 20}}
    assert labels(scene) == wanted, labels(scene)
    # What was not touched is not sent, and a refused one stays in the form.
    opener.click()
    sent = []
    page.on("request", lambda request: sent.append(request.post_data_json) if "/v1/labels" in request.url and request.method == "POST" else None)
    books = dialog.get_by_role("group", name="books")
    expect(books.get_by_label("Folder")).to_have_value(folder + "/")
    books.get_by_label("Folder").fill("/etc")
    pages.expects_loss = True
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("/etc")
    pages.expects_loss = False
    assert sent == [{"name": "books", "folder": "/etc"}], sent
    books.get_by_label("Folder").fill("")
    books.get_by_label("Priority").select_option("normal")
    films.get_by_role("button", name="Remove label").click()
    expect(films).to_have_count(0)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    assert "films" not in labels(scene), labels(scene)
    # Its download continues without it.
    expect(row(page, "a")).not_to_contain_text("films")


@check
def labels_fit_on_a_phone(scene, origin, pages):
    scene.add([origin.url("a-file-with-a-long-name.tar.gz", 10)], isPaused=True, label="a label with a rather long name")
    page = pages.open(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    expect(page.get_by_role("combobox", name="Label")).to_be_visible()
    # There are no columns, so the label is under the name.
    expect(page.locator("#rows .row .sub").first).to_contain_text("a label with")
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_role("group", name="a label with a rather long name")).to_be_visible()
    width = dialog.evaluate("(dialog) => dialog.scrollWidth - dialog.clientWidth")
    assert width <= 0, width
    audit(page, "labels on a phone")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 360
