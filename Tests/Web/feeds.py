"""Checks of feeds: their list, the form that adds and changes one, and their removal."""

from xml.sax.saxutils import quoteattr

from playwright.sync_api import expect

from browser import audit
from checks import check, row, until
from rights import log_in
from words import write_from_right_to_left


def document(items, title):
    """A feed whose items are pairs of a name and the URL of a file."""
    entries = "".join(
        f"<item><title>Episode {name}</title><guid>{name}</guid><enclosure url={quoteattr(url)}/></item>"
        for name, url in items
    )
    return f"<rss><channel><title>{title}</title>{entries}</channel></rss>".encode()


def serve(origin, names, title="The show"):
    """Serves a feed with items of these names; returns its URL."""
    origin.documents["feed.xml"] = document([(name, origin.url(name, 10)) for name in names], title)
    return f"http://127.0.0.1:{origin.server_port}/feed.xml"


def feeds(scene):
    return scene.ask("GET", "/v1/feeds")["feeds"]


def order(scene, url, **more):
    return scene.ask("POST", "/v1/feeds", {"download": {"url": url, "destination": scene.folder + "/", "isPaused": True}, **more})


def opened(page):
    page.get_by_role("button", name="Feeds").click()
    dialog = page.get_by_role("dialog", name="Feeds")
    expect(dialog).to_be_visible()
    return dialog


@check
def a_feed_is_added_and_its_newest_item_is_downloaded(scene, origin, pages):
    url = serve(origin, ["3.mp3", "2.mp3", "1.mp3"])
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    dialog = opened(page)
    expect(dialog).to_contain_text("The daemon checks feeds")
    dialog.get_by_role("button", name="Add feed…").click()
    form = page.get_by_role("dialog", name="Add feed")
    expect(form.get_by_label("URL of the feed")).to_be_focused()
    audit(page, "the form of a feed")
    page.keyboard.type(url)
    form.get_by_label("Name", exact=True).fill("talks")
    form.get_by_label("Check interval").select_option("21600")
    form.get_by_label("Only items that match").fill("*.mp3\nvideo")
    form.get_by_label("Leave out items that match").fill("Episode 3")
    form.get_by_label("Folder").fill(scene.folder)
    form.get_by_label("Label").fill("podcasts")
    form.get_by_label("Items to add at the first check").fill("2")
    form.get_by_label("Add downloads as paused").check()
    form.get_by_role("button", name="Add").click()
    expect(form).to_be_hidden()
    entry = dialog.get_by_role("listitem")
    expect(entry).to_contain_text("talks")
    expect(entry).to_contain_text(url)
    expect(entry).to_contain_text("Every 6 h · checked")
    expect(entry).to_contain_text("2 downloads added")
    audit(page, "the list of feeds")
    (feed,) = feeds(scene)
    assert feed["rules"] == {"everySeconds": 21600, "match": ["*.mp3", "video"], "exclude": ["Episode 3"], "newest": 2}, feed
    dialog.get_by_role("button", name="Close").click()
    for name in ("2.mp3", "1.mp3"):
        expect(row(page, name)).to_contain_text("podcasts")
    assert {each["state"] for each in scene.downloads()} == {"paused"}


@check
def a_feed_without_a_name_has_that_of_its_title(scene, origin, pages):
    url = serve(origin, [], title="Radio \u202eplays")
    page = pages.open()
    dialog = opened(page)
    dialog.get_by_role("button", name="Add feed…").click()
    page.get_by_label("URL of the feed").fill(url)
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("heading", name="Radio plays")).to_be_visible()
    expect(dialog.get_by_role("status")).to_have_text("Radio plays: nothing new")


@check
def a_feed_is_checked_now(scene, origin, pages):
    url = serve(origin, ["1.mp3"])
    order(scene, url, name="show", rules={"everySeconds": 0})
    page = pages.open()
    dialog = opened(page)
    entry = dialog.get_by_role("listitem")
    expect(entry).to_contain_text("Only on request")
    entry.get_by_role("button", name="Check now show").click()
    expect(dialog.get_by_role("status")).to_have_text("show: 1 download added")
    # The button keeps the focus, so the key works again.
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("status")).to_have_text("show: nothing new")
    serve(origin, ["3.mp3", "2.mp3", "1.mp3"])
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("status")).to_have_text("show: 2 downloads added")
    expect(entry).to_contain_text("3 downloads added")
    # A feed that cannot be read shows why.
    del origin.documents["feed.xml"]
    page.keyboard.press("Enter")
    expect(entry).to_contain_text("404")
    expect(dialog.get_by_role("status")).to_have_text("show: the feed cannot be read")
    audit(page, "a feed with a problem")


@check
def the_list_of_feeds_shows_what_the_schedule_does(scene, origin, pages):
    page = pages.open(prepare=lambda page: page.clock.install())
    dialog = opened(page)
    url = serve(origin, ["1.mp3"])
    order(scene, url, name="show")
    until(page, lambda: feeds(scene)[0]["added"] == 1)
    page.clock.fast_forward(11_000)
    expect(dialog.get_by_role("listitem")).to_contain_text("1 download added")
    expect(dialog.get_by_role("listitem")).to_contain_text("next")
    # The closed list is not loaded.
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.fast_forward(30_000)
    page.evaluate("new Promise(requestAnimationFrame)")
    assert not [each for each in asked if "feeds" in each], asked


@check
def a_feed_is_changed(scene, origin, pages):
    url = serve(origin, [])
    order(scene, f"{url}?token=abcdefghijklmnop", name="show", rules={"everySeconds": 7200, "match": ["iso"]})
    page = pages.open()
    dialog = opened(page)
    dialog.get_by_role("button", name="Change… show").click()
    form = page.get_by_role("dialog", name="Change feed")
    # The secret of the URL is not shown, and stays.
    field = form.get_by_label("URL of the feed")
    expect(field).to_have_value("")
    assert "REDACTED" in field.get_attribute("placeholder"), field.get_attribute("placeholder")
    expect(form.get_by_label("Check interval")).to_have_value("7200")
    expect(form.get_by_label("Only items that match")).to_have_value("iso")
    expect(form.get_by_label("Folder")).to_have_value(f"{scene.folder}/")
    expect(form.get_by_label("Items to add at the first check")).to_be_hidden()
    sent = []
    page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "PATCH" else None)
    form.get_by_label("Name", exact=True).fill("news")
    form.get_by_label("Only items that match").fill("")
    form.get_by_label("Leave out items that match").fill("beta")
    form.get_by_label("For items without a file").check()
    form.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("heading", name="news")).to_be_visible()
    expect(dialog.get_by_role("status")).to_have_text("Feed changed")
    assert sent == [{"rules": {"match": [], "exclude": ["beta"], "takesLinks": True}, "name": "news"}], sent
    # Nothing is sent if nothing was changed.
    dialog.get_by_role("button", name="Change… news").click()
    form.get_by_role("button", name="Change").click()
    expect(form).to_be_hidden()
    assert len(sent) == 1, sent
    dialog.get_by_role("button", name="Change… news").click()
    form.get_by_label("Check interval").select_option("0")
    form.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("listitem")).to_contain_text("Only on request")
    # Items that are new from now on are saved elsewhere, under their titles.
    dialog.get_by_role("button", name="Change… news").click()
    form.get_by_label("Folder").fill(f"{scene.folder}/talks")
    form.get_by_label("Label").fill("podcasts")
    form.get_by_label("File names").select_option("title")
    form.get_by_role("button", name="Change").click()
    expect(form).to_be_hidden()
    assert sent[-1] == {"rules": {"fileNames": "title"}, "destination": f"{scene.folder}/talks/", "label": "podcasts"}, sent
    serve(origin, ["1.mp3"])
    dialog.get_by_role("button", name="Check now news").click()
    expect(dialog.get_by_role("status")).to_have_text("news: 1 download added")
    (download,) = scene.downloads()
    assert (download["name"], download["label"]) == ("Episode 1.mp3", "podcasts"), download
    dialog.get_by_role("button", name="Change… news").click()
    expect(form.get_by_label("File names")).to_have_value("title")
    form.get_by_label("Label").fill("")
    form.get_by_role("button", name="Change").click()
    expect(form).to_be_hidden()
    assert sent[-1] == {"label": ""}, sent
    # The name of another feed is refused.
    order(scene, url, name="other", rules={"everySeconds": 0})
    dialog.get_by_role("button", name="Change… news").click()
    form.get_by_label("Name", exact=True).fill("other")
    pages.expects_loss = True
    form.get_by_role("button", name="Change").click()
    expect(form.get_by_role("alert")).to_contain_text("there is a feed 'other' already")
    pages.expects_loss = False


@check
def a_feed_is_removed_and_comes_back(scene, origin, pages):
    for name in ("show", "other"):
        order(scene, serve(origin, ["1.mp3"]), name=name)
    page = pages.open()
    expect(row(page, "1.mp3")).to_have_count(2)
    dialog = opened(page)
    undo = dialog.get_by_role("button", name="Undo")
    expect(undo).to_be_hidden()
    dialog.get_by_role("button", name="Remove show").click()
    expect(dialog.get_by_role("listitem")).to_have_count(1)
    expect(dialog.get_by_role("status")).to_have_text("Removed “show”")
    expect(undo).to_be_focused()
    audit(page, "a feed that was removed")
    assert [each["name"] for each in feeds(scene)] == ["other"]
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("heading", name="show")).to_be_visible()
    expect(dialog.get_by_role("status")).to_have_text("Feed “show” restored")
    expect(undo).to_be_hidden()
    # It knows its items.
    dialog.get_by_role("button", name="Check now show").click()
    expect(dialog.get_by_role("status")).to_have_text("show: nothing new")
    # The bar below the list offers it, too. The downloads stay.
    dialog.get_by_role("button", name="Remove other").click()
    expect(dialog.get_by_role("status")).to_have_text("Removed “other”")
    dialog.get_by_role("button", name="Close").click()
    expect(row(page, "1.mp3")).to_have_count(2)
    bar = page.locator("#undo")
    expect(bar).to_contain_text("Removed “other”")
    bar.get_by_role("button", name="Undo").click()
    expect(bar).to_be_hidden()
    expect(page.locator("#live")).to_have_text("Feed “other” restored")
    assert [each["name"] for each in feeds(scene)] == ["other", "show"]


@check
def feeds_fit_on_a_phone(scene, origin, pages):
    order(scene, serve(origin, []) + "?" + "x" * 200, name="a-name-without-spaces-" * 6)
    page = pages.open(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    dialog = opened(page)
    audit(page, "feeds on a phone")
    dialog.get_by_role("button", name="Add feed…").click()
    form = page.get_by_role("dialog", name="Add feed")
    for each in (dialog, form):
        assert each.evaluate("(dialog) => dialog.scrollWidth - dialog.clientWidth") <= 0
        box = each.bounding_box()
        assert 0 <= box["x"] and box["x"] + box["width"] <= 360, box
    audit(page, "the form of a feed on a phone")


@check
def the_list_of_feeds_follows_a_right_to_left_language(scene, origin, pages):
    order(scene, serve(origin, []), name="show")
    page = pages.open(prepare=write_from_right_to_left)
    dialog = opened(page)
    edge = """(dialog, selector) => dialog.getBoundingClientRect().right - dialog.querySelector(selector).getBoundingClientRect().right"""
    for selector in ("h2", "h3 bdi", "li .hint bdi", "li button"):
        assert dialog.evaluate(edge, selector) < 30, selector


@check
def a_token_that_adds_sees_feeds_and_changes_none(scene, origin, pages):
    order(scene, serve(origin, []), name="show")
    page = log_in(pages, scene, "add")
    dialog = opened(page)
    expect(dialog.get_by_role("listitem")).to_contain_text("show")
    assert dialog.get_by_role("button").all_inner_texts() == ["Close"]
