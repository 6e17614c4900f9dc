"""Checks of what the Add form accepts: fields of one file, lists, Metalinks, links to the page."""

import os
import time
import urllib.parse

from playwright.sync_api import expect

from checks import adding, check, in_state, row, until

METALINK_4 = """<?xml version="1.0" encoding="UTF-8"?>
<metalink xmlns="urn:ietf:params:xml:ns:metalink">
<file name="sub/one.iso"><size>1000</size>
<hash type="md5">0123456789abcdef0123456789abcdef</hash><hash type="sha-256">{digest}</hash>
<url priority="2">{second}</url><url priority="1">{first}</url><url>ed2k://nothing</url></file>
<file name="../two.iso"><url>{other}</url></file>
<file name="none"><url>magnet:?xt=none</url></file>
</metalink>"""
METALINK_3 = """<metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="three">
<verification><hash type="sha1">0123456789abcdef0123456789abcdef01234567</hash></verification>
<resources><url type="http" preference="10">{second}</url><url type="http" preference="90">{first}</url>
<url type="bittorrent">http://x.example/three.torrent</url></resources></file></files></metalink>"""
DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const more = { dataTransfer: data, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent("dragover", more));
    document.body.dispatchEvent(new DragEvent("drop", more));
}"""


def drop(page, name, text):
    page.evaluate(DROP, [name, text])


@check
def each_field_of_one_file_has_an_effect(scene, origin, pages):
    page = pages.open()
    dialog, urls_field = adding(page, scene)
    urls_field.fill(origin.url("server-name", 10))
    dialog.get_by_text("More options").click()
    dialog.get_by_label("File name").fill("mine.bin")
    dialog.get_by_label("Cookies").fill("a=1; b=2")
    dialog.get_by_label("Headers").fill("X-One: 1")
    dialog.get_by_label("Start at").fill("2099-06-01T12:30")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_be_hidden()
    expect(row(page, "mine.bin")).to_contain_text("Starts at")
    added = scene.downloads()[0]
    moment = time.mktime(time.strptime("2099-06-01 12:30", "%Y-%m-%d %H:%M"))
    assert added["notBefore"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)), added
    page.get_by_role("button", name="More actions: mine.bin").click()
    page.get_by_role("menuitem", name="Start now").click()
    in_state(page, "mine.bin", "finished")
    assert os.path.getsize(os.path.join(scene.folder, "mine.bin")) == 10
    sent = origin.heads["server-name"]
    assert (sent.get("Cookie"), sent.get("X-One")) == ("a=1; b=2", "1"), sent
    # A name is for one file.
    dialog, urls_field = adding(page, scene)
    expect(dialog.locator("#add-name")).to_have_value("")
    urls_field.fill(f"{origin.url('x', 1)}\n{origin.url('y', 1)}")
    dialog.get_by_label("File name").fill("name")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("alert")).to_contain_text("A file name can only be used with a single URL")


@check
def a_folder_of_a_bucket_makes_an_object_of_the_file(scene, origin, pages):
    page = pages.open()
    dialog, urls_field = adding(page, scene)
    urls_field.fill(origin.url("to-object", 10))
    dialog.get_by_label("Folder").fill("s3://photos/in")
    dialog.get_by_text("More options").click()
    dialog.get_by_label("File name").fill("a b?.bin")
    dialog.get_by_label("Add paused").check()
    # The browser logs the refusal.
    pages.expects_loss = True
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("alert")).to_contain_text("not in an allowed folder of a bucket")
    pages.expects_loss = False
    allowances = scene.allowances()
    allowances["allowedFolders"].append("s3://photos/in/")
    scene.ask("PATCH", "/v1/settings", allowances)
    try:
        dialog.get_by_role("button", name="Add").click()
        expect(dialog).to_be_hidden()
    finally:
        scene.ask("PATCH", "/v1/settings", scene.allowances())
    row(page, "a b?.bin").click()
    properties = page.get_by_role("complementary", name="a b?.bin").locator(".properties")
    expect(properties).to_contain_text("Object")
    expect(properties).to_contain_text("s3://photos/in/a%20b%3F.bin")


@check
def a_list_of_aria2_is_read_with_its_options(scene, origin, pages):
    page = pages.open()
    dialog, urls_field = adding(page, scene)
    one, two = origin.url("one", 2000), origin.url("two", 10)
    mirror = one.replace("127.0.0.1", "localhost")
    urls_field.fill(
        f"# a comment\n{one}\t{mirror}\n  out=first.bin\n  dir=sub\n  header=X-One: 1\n  header=X-Two: 2\n  split=4\n"
        f"  max-connection-per-server=1\n{two}\n  checksum=sha-256={'0' * 64}\n  user-agent=tester/2\n"
        f"{origin.url('three', 10)}\n  strange=1\n"
    )
    expect(dialog.locator("#add-count")).to_have_text("2 URLs · The option “strange” is not supported")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("alert")).to_contain_text("2 added, 1 was not: The option “strange” is not supported")
    expect(urls_field).to_have_value(f"{origin.url('three', 10)}\n  strange=1")
    page.keyboard.press("Escape")
    in_state(page, "first.bin", "finished")
    assert os.path.getsize(os.path.join(scene.folder, "sub", "first.bin")) == 2000
    assert (origin.heads["one"].get("X-One"), origin.heads["one"].get("X-Two")) == ("1", "2"), origin.heads["one"]
    in_state(page, "two", "failed")
    assert origin.heads["two"].get("User-Agent") == "tester/2"
    downloads = {each["name"]: each for each in scene.downloads()}
    assert downloads["first.bin"]["mirrors"] == [mirror], downloads
    assert downloads["two"]["problem"]["code"].startswith("checksum"), downloads["two"]


@check
def dropped_files_fill_in_the_form(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    dialog = page.get_by_role("dialog", name="Add downloads")
    urls_field = dialog.get_by_label("URLs")
    first, second, other = (origin.url(name, 1000) for name in ("first", "second", "other"))
    text = METALINK_4.format(first=escape(first), second=escape(second), other=escape(other), digest="a" * 64)
    drop(page, "images.meta4", text)
    wanted = f"{first}\t{second}\n  out=sub/one.iso\n  size=1000\n  checksum=sha256={'a' * 64}\n{other}\n  out=two.iso"
    expect(urls_field).to_have_value(wanted)
    expect(dialog.locator("#add-count")).to_have_text("2 URLs")
    # A second one is appended; nothing is added by itself.
    drop(page, "three.metalink", METALINK_3.format(first=escape(first), second=escape(second)))
    digest = "0123456789abcdef0123456789abcdef01234567"
    expect(urls_field).to_have_value(f"{wanted}\n{first}\t{second}\n  out=three\n  checksum=sha1={digest}")
    assert scene.downloads() == []
    page.keyboard.press("Escape")
    drop(page, "list.txt", f"{first}\r\n# comment\r\n{second}\r\n")
    expect(dialog.locator("#add-count")).to_have_text("2 URLs")
    page.keyboard.press("Escape")
    # The style that Chromium's parser adds to its report is blocked, and the browser logs this.
    pages.expects_loss = True
    drop(page, "broken.meta4", "<metalink><file></metalink>")
    expect(dialog.get_by_role("alert")).to_contain_text("not a valid Metalink")
    pages.expects_loss = False
    expect(urls_field).to_have_value("")
    drop(page, "picture.png", "\x89PNG\0")
    expect(dialog.get_by_role("alert")).to_contain_text("picture.png is not a text file")
    # Without dragging.
    dialog.locator("#add-file").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": second.encode()})
    expect(urls_field).to_have_value(second)
    expect(dialog.get_by_role("button", name="Load a list…")).to_be_visible()
    dialog.get_by_label("Folder").fill(scene.folder)
    dialog.get_by_role("button", name="Add", exact=True).click()
    in_state(page, "second", "finished")


def escape(url):
    return url.replace("&", "&amp;")


@check
def a_link_to_the_page_fills_in_a_url_and_adds_nothing(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    url = origin.url("linked", 10, hold=5)
    dialog = page.get_by_role("dialog", name="Add downloads")
    for written in (urllib.parse.quote(url, safe=""), url):
        page.evaluate("(link) => { location.hash = link; }", f"add={written}")
        expect(dialog.get_by_label("URLs")).to_have_value(url)
        until(page, lambda: page.url == scene.url + "/")
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
    assert scene.downloads() == []
    page.goto(f"{scene.url}/#add={urllib.parse.quote(url, safe='')}")
    page.reload()
    expect(page.locator("#empty")).to_be_visible()
    # The text is a text, whatever it contains.
    page.evaluate("(link) => { location.hash = link; }", "add=" + urllib.parse.quote("<img src=x onerror=alert(1)>"))
    expect(dialog.locator("#add-count")).to_contain_text("not a URL: <img")


@check
def the_bookmark_opens_the_page_with_the_url_of_another_page(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    page.get_by_role("button", name="Settings").click()
    link = page.get_by_role("dialog", name="Settings").get_by_text("Download with Pawl")
    href = link.get_attribute("href")
    assert href.startswith("javascript:"), href
    link.click()
    expect(page.locator("#bookmarklet-hint")).to_contain_text("only as a bookmark")
    page.evaluate("navigator.serviceWorker.ready.then(() => {})")
    # The bookmark also works in a browser that has no login and no worker: after the login, the form is filled in.
    strange = pages.new_context()
    for context, has_login in ((page.context, True), (strange, False)):
        # A page of another site: its host has another name.
        other = context.new_page()
        other.goto(f"http://localhost:{origin.server_port}/article?id=7&x=1")
        with other.expect_popup() as opened:
            other.evaluate(href.removeprefix("javascript:"))
        shown = opened.value
        if not has_login:
            dialog = shown.get_by_role("dialog", name="Log in")
            dialog.get_by_label("Token").fill(scene.pawl("daemon", "token"))
            dialog.get_by_role("button", name="Log in").click()
            expect(dialog).to_be_hidden()
        dialog = shown.get_by_role("dialog", name="Add downloads")
        expect(dialog.get_by_label("URLs")).to_have_value(other.url)
        # The other page has no access to the window, and the page none to the other one.
        assert shown.evaluate("opener === null"), "the page knows the window that has opened it"
    assert scene.downloads() == []


@check
def another_site_gets_nothing_of_the_page_but_a_window(scene, origin, pages):
    page = pages.open()
    expect(page.locator("#empty")).to_be_visible()
    other = page.context.new_page()
    other.goto(f"http://localhost:{origin.server_port}/article")
    # The login of this browser is not sent, and the responses cannot be read.
    for path in ("/", "/assets/main.js", "/v1/downloads"):
        result = other.evaluate("(url) => fetch(url, { credentials: 'include' }).then(() => 'read', () => 'failed')", scene.url + path)
        assert result == "failed", (path, result)
    frame = other.evaluate(
        """(url) => new Promise((done) => {
            const frame = Object.assign(document.createElement("iframe"), { src: url });
            frame.onload = () => { try { done(frame.contentDocument ? "own" : "foreign"); } catch { done("foreign"); } };
            document.body.append(frame);
        })""",
        scene.url + "/",
    )
    assert frame == "foreign", frame
    assert not [each for each in other.frames if each.url == scene.url + "/" and each.locator("#grid").count()]
    with other.expect_popup() as opened:
        is_closed = other.evaluate(
            """(url) => new Promise((done) => {
                const shown = open(url);
                setInterval(() => { if (shown.closed) done(true); }, 20);
                setTimeout(() => done(false), 100_000);
            })""",
            scene.url + "/",
        )
    # The browser reports a window that was taken away as closed.
    assert is_closed
    expect(opened.value.locator("#empty")).to_be_visible()
    # A link cannot open anything but the page.
    for path in ("/v1/downloads", "/v1/status"):
        refused = page.context.new_page()
        refused.goto(f"http://localhost:{origin.server_port}/article")
        with refused.expect_response(scene.url + path) as answer:
            refused.evaluate("(url) => { location.href = url; }", scene.url + path)
        assert answer.value.status == 403, (path, answer.value.status)
