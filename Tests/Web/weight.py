"""What the page weighs and takes: bytes, rows, frames, CPU at rest."""

from playwright.sync_api import expect

from browser import thread_seconds
from checks import check

COUNT = 10_000


@check
def the_whole_page_weighs_less_than_100_kilobytes(scene, origin, pages):
    context = pages.browser.new_context()
    page = context.new_page()
    sizes = {}
    page.on("response", lambda answer: sizes.setdefault(answer.url, answer))
    page.goto(scene.pawl("daemon", "token", "--url"))
    expect(page.locator("#empty")).to_be_visible()
    files = {url: answer for url, answer in sizes.items() if "/v1/" not in url}
    assert len(files) > 5, list(files)
    total = sum(len(answer.body()) for answer in files.values())
    assert total < 100_000, total
    return f"{total / 1000:.1f} kB"


@check
def ten_thousand_are_scrolled_through_without_a_stutter(scene, origin, pages):
    scene.ask("PATCH", "/v1/settings", {"maximumConcurrentDownloads": 50, "connectionsPerHost": 100})
    scene.add([origin.url(f"running-{n}", 1 << 20, hold=1 << 16) for n in range(50)], settings={"connections": 1})
    scene.add([origin.url(f"file-{n}.iso", 10) for n in range(COUNT - 50)], isPaused=True)
    page = pages.open()
    expect(page.locator("#filter-all .count")).to_have_text("10,000", timeout=30_000)
    expect(page.locator("#filter-active .count")).to_have_text("50", timeout=30_000)
    grid = page.locator("#grid")
    expect(page.locator("#grid:not([aria-busy])")).to_have_attribute("aria-rowcount", str(COUNT + 1), timeout=30_000)
    assert page.locator(".row").count() < 60
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert paint < 2000, paint
    client = page.context.new_cdp_session(page)
    # CPU time, as others run beside this.
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = thread_seconds(client)
    frames = page.evaluate(
        """() => new Promise((done) => {
            const viewport = document.getElementById("viewport");
            let frames = 0, wrong = 0;
            const step = () => {
                viewport.scrollTop += viewport.scrollHeight / 150;
                const shown = document.querySelectorAll("#rows .row:not([hidden])").length;
                if (shown < 8) wrong += 1;
                frames += 1;
                if (frames < 120) requestAnimationFrame(step); else done([frames, wrong]);
            };
            requestAnimationFrame(step);
        })"""
    )
    each = (thread_seconds(client) - before) / frames[0] * 1000
    assert frames[1] == 0, frames
    # 60 a second leave 16.7.
    assert each < 12, f"{each:.1f} ms of CPU a frame"
    grid.focus()
    page.keyboard.press("End")
    expect(grid).to_have_attribute("aria-activedescendant", f"row-{scene.ask('GET', '/v1/downloads?order=newest&limit=1')['downloads'][0]['id']}")
    return f"first paint {paint:.0f} ms, {each:.1f} ms of CPU a frame"


def rests(page, settled, seconds):
    """What the page's thread takes for so long, once it has settled, is under a twentieth of a core."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(f"new Promise((done) => {settled})")
    before = thread_seconds(client)
    page.evaluate(f"new Promise((done) => setTimeout(done, {seconds * 1000}))")
    share = (thread_seconds(client) - before) / seconds
    assert share < 0.05, f"{share:.1%} of a core"
    return f"{share:.2%} of a core"


@check
def it_rests_when_nothing_happens(scene, origin, pages):
    scene.add([origin.url(f"file-{n}", 10) for n in range(1000)], isPaused=True)
    page = pages.open()
    expect(page.locator("#grid:not([aria-busy])")).to_have_attribute("aria-rowcount", "1001")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    note = rests(page, "requestIdleCallback(done)", 2)
    assert asked == [], asked
    return note


@check
def it_rests_while_fifty_of_ten_thousand_run(scene, origin, pages):
    scene.ask("PATCH", "/v1/settings", {"maximumConcurrentDownloads": 50, "connectionsPerHost": 100})
    # They go on, and do not end meanwhile.
    pace = {"connections": 1, "limitBytesPerSecond": 20_000}
    scene.add([origin.url(f"running-{n}", 1 << 21) for n in range(50)], settings=pace)
    scene.add([origin.url(f"file-{n}.iso", 10) for n in range(COUNT - 50)], isPaused=True)
    page = pages.open()
    expect(page.locator("#filter-active .count")).to_have_text("50", timeout=30_000)
    expect(page.locator("#grid:not([aria-busy])")).to_have_attribute("aria-rowcount", str(COUNT + 1), timeout=30_000)
    return rests(page, "setTimeout(done, 1000)", 4)
