"""Things for whoever looks twice: messages that cover nothing, markers that go with their object, what this device is, hands that pull and touch."""

import os

from checks import CHECKS, FRAMES, PICTURES, SCENE, annotated, check, holding, opened, picture, pictures_allowed, release, settle, shown
from accounts import configuration, consent, fill, passcode, screen, submit
from mended import STILL, apart, boxes
from provider import Provider
from stand import Camera, Stand


def pointer(browser, *steps):
    """Presses, moves and lets go, as a hand does: (kind, x, y)."""
    for kind, x, y in steps:
        browser.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


@check
def messages_cover_neither_headings_nor_prompts(browser):
    with Stand([picture("no-code.jpg")], options=["--idle-after", "0"]) as stand:
        browser.resize(360, 640)
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=material]")
        offline = "tell({ event: 'kiosk.connection', online: false })"
        said = "document.querySelector('#banners .banner')?.textContent ?? ''"
        for entered in (False, True):
            browser.script(f"document.querySelector('.form [name=material]').fill({'4012345' if entered else repr('')})")
            browser.script(offline)
            browser.find("#banners .banner")
            # Nothing is promised of what was not entered.
            assert ("what you entered stays" in browser.script("return " + said)) == entered, browser.script("return " + said)
            browser.until("parseFloat(document.documentElement.style.getPropertyValue('--messages').match(/[\\d.]+px/)) > 20")
            for width, height in ((360, 640), (1280, 720)):
                browser.resize(width, height)
                browser.until("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(true))))")
                assert apart(*boxes(browser, "#banners .banner", ".form h1")), (width, boxes(browser, "#banners .banner", ".form h1"))
            browser.script("tell({ event: 'kiosk.connection', online: true })")
            browser.gone("#banners .banner")
        browser.script("document.querySelector('.form [name=material]').fill('')")
        browser.click(".form .leave")
        browser.click("[data-open=onboard]")
        browser.find(".guide .prompt")
        browser.script(offline)
        browser.find("#banners .banner")
        browser.until("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(true))))")
        assert apart(*boxes(browser, "#banners .banner", ".guide .prompt"))
        browser.usual()
        settle(browser)


@check
def markers_go_with_what_they_hang_on(browser):
    with Camera([STILL, picture("no-code.jpg")]) as camera, Stand(camera.path, scene=SCENE) as stand:
        annotated(browser, stand)
        browser.find(".sights")
        browser.script("""probe.away = null; window.hid = window.hidAt = null; const sights = document.querySelector('.sights');
          new MutationObserver(() => { if (sights.hidden) window.hidAt ??= performance.now(); if (sights.hidden) window.hid ??= document.querySelector('.stage').dataset.phase; }).observe(sights, { attributes: true });""")
        camera.at = 1
        # They are gone before the view has given up looking.
        assert browser.until("window.hid") == "annotating"
        # With the first frame in which they are not followed, nothing says that they are in sight.
        away, hid = browser.script("return [probe.away, hidAt]")
        assert away is not None and hid - away < 50, (away, hid)
        browser.find('.stage[data-phase="scanning"]')
        drawn = browser.script("""return import('/assets/js/components/overlay.js').then(({ markersOf }) => {
          const marker = { id: 'a', visible: true, screen: [1, 2] };
          const place = { viewport: { toScreen: (point) => point }, scale: 1 };
          return [0, .5, 1].map((opacity) => markersOf({ anchors: [{ anchor: 'pump', markers: [marker] }] }, place, () => opacity).map((one) => one.opacity));
        })""")
        assert drawn == [[], [0.5], [1]], drawn
        # A marker lies beside its point, which a stem leads to, at the upper edge below it; one out of view stays where it is.
        places = browser.script("""return import('/assets/js/components/overlay.js').then(({ drawMarkers, markerRadius, raised }) => {
          const all = raised([{ x: 100, y: 150 }, { x: 100, y: 5 }, { x: 500, y: 50 }], { left: 0, top: 0, width: 200, height: 200 });
          const context = new OffscreenCanvas(200, 200).getContext('2d');
          drawMarkers(context, [all[0]], { now: 0, opacity: 1, iconOf: () => 'info', repaint() {} });
          const around = [[-10, 0], [10, 0], [0, 10], [-8, 8], [8, -8]].map(([u, v]) => context.getImageData(100 + u, 150 + v, 1, 1).data[3]);
          return [all.map(({ x, y, at }) => [x, Math.sign(y - (at?.[1] ?? y)), at ?? null]), Math.abs(all[0].y - 150) > 2 * markerRadius(), around, context.getImageData(100, 149, 1, 1).data[3]];
        })""")
        assert places == [[[100, -1, [100, 150]], [100, 1, [100, 5]], [500, 0, None]], True, [0] * 5, 255], places
        settle(browser)


@check
def the_brand_tells_what_this_device_is(browser):
    with Stand(FRAMES, extra=configuration(), options=["--idle-after", "0"]) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        screen(browser, "welcome")
        browser.click("#account-terms")
        submit(browser)
        screen(browser, "activation")
        browser.click("[data-way=preset]")
        screen(browser, "activation-preset")
        browser.click(".account .primary")
        screen(browser, "credentials")
        fill(browser, "user", "ada")
        fill(browser, "password", "ada1")
        submit(browser)
        screen(browser, "consents")
        consent(browser)
        screen(browser, "passcode")
        passcode(browser)
        screen(browser, "ready")
        submit(browser)
        browser.find("[data-do=signOut]")
        browser.click(".brand")
        browser.find(".about dl")
        facts = browser.script("return Object.fromEntries([...document.querySelectorAll('.about dt')].map((one) => [one.textContent, one.nextElementSibling.textContent]))")
        assert facts["Version"] and facts["Camera"] == "Ready" and facts["Language"] == "English, Deutsch" and facts["Last synchronized"], facts
        browser.click(".about summary")
        assert len(browser.text(".about details[open] p")) > 20
        shown(browser, "about")
        # A touch beside it leaves it, one on it does not.
        box = boxes(browser, "dialog.ask")[0]
        for x, y, stays in (((box[0] + box[2]) / 2, box[1] + 12, True), (4, 4, False)):
            pointer(browser, ("mousePressed", x, y), ("mouseReleased", x, y))
            browser.until(f"Boolean(document.querySelector('.about')) === {str(stays).lower()}")
        provider.close()
        settle(browser)


@check
def the_roll_of_pictures_follows_a_pull(browser):
    with Stand([picture("no-code.jpg")], gallery=PICTURES) as stand:
        opened(browser, stand, "onboard")
        pictures_allowed(browser)
        browser.find(".roll .strip .thumb")
        left, top, right, bottom = boxes(browser, ".roll .head .grow")[0]
        x, y = (left + right) / 2, (top + bottom) / 2
        pointer(browser, ("mousePressed", x, y), ("mouseMoved", x, y + 60), ("mouseReleased", x, y + 60))
        browser.gone(".roll .strip")
        left, top, right, bottom = boxes(browser, ".roll .head .grow")[0]
        x, y = (left + right) / 2, (top + bottom) / 2
        pointer(browser, ("mousePressed", x, y), ("mouseMoved", x, y - 60), ("mouseReleased", x, y - 60))
        browser.find(".roll .strip .thumb")
        settle(browser)


@check
def a_view_that_is_open_before_the_gallery_is_known_shows_it(browser):
    with holding(browser, "gallery.list"), Stand([picture("no-code.jpg")], gallery=PICTURES) as stand:
        opened(browser, stand, "onboard")
        release(browser)
        browser.find("[data-gallery]")
        settle(browser)


@check
def every_rule_that_holds_names_what_shows_it(browser):
    with open(os.path.join(os.path.dirname(__file__), "rules.tsv"), encoding="utf8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    known = {one.__name__ for one in CHECKS} | {"matrix.py", "Scripts/check-words"}
    wrong = [row for row in rows if (row[2] == "fully") != (row[3] in known)]
    assert not wrong, wrong
    print(f"  {sum(row[2] == 'fully' for row in rows)} of {len(rows)} rules hold fully")
