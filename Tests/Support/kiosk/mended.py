"""What a visitor must be able to rely on: nothing covers anything, nothing is lost, nobody is misled."""
import json
import os
import socket
import time


from checks import FRAMES, PICTURES, SCENE, at_rest, check, hold, opened, picture, pictures_allowed, release, settle, shown
from stand import Stand

# A frame in which the pump is in sight and nothing else.
STILL = os.path.join(FRAMES, "000060.jpg")
BOX = "const b = (s) => { const r = document.querySelector(s).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };"


def boxes(browser, *selectors):
    return [browser.script(f"{BOX} return b(arguments[0])", one) for one in selectors]


def inside(box, width, height):
    return box[0] >= -1 and box[1] >= -1 and box[2] <= width + 1 and box[3] <= height + 1


def apart(a, b):
    return a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1


def greens(browser):
    """How many pixels of the canvas have the colour of what was accepted."""
    return browser.script("""
      const canvas = document.querySelector('.stage canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - 78) < 12 && Math.abs(data[i + 1] - 227) < 12 && Math.abs(data[i + 2] - 154) < 12) count++;
      return count;""")


def sent(browser, method):
    return [one["params"] for one in browser.script("return probe.sent") if one.get("method") == method]


@check
def the_offline_banner_leaves_the_bar_alone(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "onboard")
        browser.until("document.querySelector('.stage canvas')?.dataset.frame")
        stand.stop_service()
        browser.find(".banner[data-kind=error]")
        at_rest(browser)
        banner, bar = boxes(browser, ".banner", "dialog .bar")
        assert apart(banner, bar), (banner, bar)
        # It can be seen, and what it leaves alone can be pressed.
        assert browser.script("""const at = (s) => { const r = document.querySelector(s).getBoundingClientRect(); return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2); };
          return at('dialog .leave').closest('.leave') !== null && at('.banner').closest('.banner') !== null""")
        settle(browser)


@check
def the_guide_is_what_counts(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "onboard")
        stand.is_scanning()
        browser.until("probe.sent.some((one) => one.params?.region)", what="a region")
        x, y, w, h = sent(browser, "scan.begin")[-1]["region"]
        # The picture is 4:3 and covers the screen: the guide's place in the one is its place in the other.
        left, top, right, bottom = boxes(browser, ".guide .window")[0]
        width, height = browser.script("return [innerWidth, innerHeight]")
        scale = max(width / 400, height / 300)
        expected = [((left - width / 2) / scale + 200) / 400, ((top - height / 2) / scale + 150) / 300, (right - left) / scale / 400, (bottom - top) / scale / 300]
        assert all(abs(a - b) < 0.01 for a, b in zip((x, y, w, h), expected)), ((x, y, w, h), expected)
        # On another shape of screen it is elsewhere, and said again.
        before = len(sent(browser, "scan.begin"))
        browser.resize(360, 640)
        browser.until(f"probe.sent.filter((one) => one.method === 'scan.begin').length > {before}", what="another region")
        assert sent(browser, "scan.begin")[-1]["region"] != [x, y, w, h]
        browser.usual()
        settle(browser)


@check
def the_code_is_outlined_and_stands_still(browser):
    with Stand([picture("onboarding-on-a-card.jpg")]) as stand:
        opened(browser, stand, "onboard")
        browser.find('.verdict[data-outcome="successful"]')
        at_rest(browser)
        shown(browser, "scan-accepted")
        at_rest(browser)
        assert greens(browser) > 500, "no outline"
        frame = browser.script("return document.querySelector('.stage canvas').dataset.frame")
        time.sleep(0.5)
        assert frame == browser.script("return document.querySelector('.stage canvas').dataset.frame"), "the picture went on"
        for width, height in ((360, 640), (800, 480), (1280, 720), (1080, 1920)):
            browser.resize(width, height)
            at_rest(browser)
            verdict, area = boxes(browser, ".verdict", "dialog .area")
            assert apart(verdict, area), (width, height, verdict, area)
            assert greens(browser) > 300, f"no outline at {width}×{height}"
            # All of the outline lies beside the answer, none of it under it.
            outline = browser.script("""
              const canvas = document.querySelector('.stage canvas'), { width, height } = canvas, s = canvas.getBoundingClientRect().width / width;
              const { data } = canvas.getContext('2d').getImageData(0, 0, width, height), xs = [], ys = [];
              for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - 78) < 12 && Math.abs(data[i + 1] - 227) < 12 && Math.abs(data[i + 2] - 154) < 12) { xs.push(i / 4 % width); ys.push(Math.floor(i / 4 / width)); }
              const least = (list) => list.reduce((a, b) => Math.min(a, b)), most = (list) => list.reduce((a, b) => Math.max(a, b));
              return [least(xs) * s, least(ys) * s, most(xs) * s, most(ys) * s];""")
            assert area[0] <= outline[0] and area[1] <= outline[1] and outline[2] <= area[2] + 1 and outline[3] <= area[3] + 1, (width, height, outline, area)
        browser.usual()
        settle(browser)


@check
def a_chosen_picture_is_shown_with_its_code(browser):
    with Stand([picture("no-code.jpg")], gallery=PICTURES) as stand:
        opened(browser, stand, "onboard")
        pictures_allowed(browser)
        browser.click('.roll .strip button[aria-label*="onboarding-on"]')
        browser.find('.verdict[data-outcome="successful"]')
        at_rest(browser)
        assert browser.script("return document.querySelector('dialog').dataset.frozen") == "successful"
        at_rest(browser)
        assert greens(browser) > 500, "no outline"
        shown(browser, "picture-accepted")
        browser.click(".verdict .button:not(.primary)")
        browser.gone(".verdict")
        stand.is_scanning()
        # Albums, and a choice that is made before it is used.
        browser.click("[data-gallery]")
        browser.until("document.querySelectorAll('.gallery .thumb img[data-there]').length >= 5", what="pictures")
        browser.click('.gallery .thumb[aria-label*="no-code"]')
        shown(browser, "gallery")
        browser.click(".gallery .primary")
        browser.find('.verdict[data-outcome="unsuccessful"]')
        settle(browser)


@check
def continue_is_pressed_once(browser):
    with Stand([picture("onboarding.png")]) as stand:
        opened(browser, stand, "onboard")
        browser.find('.verdict[data-outcome="successful"]')
        hold(browser, "scan.confirm")
        browser.click(".verdict .primary")
        browser.until("window.held && document.querySelector('.verdict .primary').dataset.state === 'processing'", what="a button that is at work")
        shown(browser, "scan-confirming")
        browser.click(".verdict .primary")
        assert not browser.driver.find_elements("css selector", ".verdict .fault")
        release(browser)
        browser.find('[data-state="handed-over"]')
        assert len(sent(browser, "scan.confirm")) <= 1
        settle(browser)


@check
def a_scan_of_somebody_else_is_theirs(browser):
    with Stand([picture("product.png")]) as stand:
        opened(browser, stand, "onboard")
        stand.is_scanning()
        browser.click("dialog .leave")
        stand.is_left()
        hold(browser, "scan.begin")
        browser.click("[data-open=onboard]")
        browser.until("window.held", what="the scan on its way")
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(stand.socket)
            stream = other.makefile("rw", encoding="utf8")
            stream.write('{"id":1,"method":"subscribe","params":{"events":["scan.successful"]}}\n{"id":2,"method":"scan.begin","params":{"mode":"barcode"}}\n')
            stream.flush()
            while json.loads(stream.readline()).get("event") != "scan.successful":
                pass
            release(browser)
            browser.until("document.querySelector('.prompt').textContent.startsWith('The scanner is in use')")
            assert not browser.driver.find_elements("css selector", ".verdict"), "the page took another client's code for its own"
            stream.close()
        settle(browser)


@check
def ar_states_at_rest(browser):
    with Stand([STILL], scene=SCENE, extra="") as stand:
        opened(browser, stand, "ar")
        browser.find(".coaching .primary", within=60)
        browser.until("document.querySelector('.coaching img').naturalWidth > 0", what="the guide picture")
        assert "Stand in front of one of the posters." in browser.text(".coaching .steps")
        shown(browser, "ar-coaching")
        browser.resize(800, 337)
        at_rest(browser)
        for box in boxes(browser, ".coaching h3", ".coaching .primary", ".coaching .steps"):
            assert inside(box, 800, 337), box
        browser.usual()
        browser.click(".coaching .primary")
        browser.find('.stage[data-phase="annotating"]', within=60)
        # A finger on the marker of the gauge chooses it; one beside every marker releases it.
        browser.resize(1280, 720)
        at_rest(browser)
        for place, card in (((873, 252), "pressure"), ((1100, 400), None)):
            chosen = f"return (document.querySelector('.rail').dataset.card ?? null) === {json.dumps(card)}"
            # The markers appear with the first frame for which the service reports their positions.
            end = time.monotonic() + 20
            while not browser.script(chosen):
                assert time.monotonic() < end, f"a choice of {card}"
                for kind in ("mousePressed", "mouseReleased"):
                    browser.cdp("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
                time.sleep(0.3)
        browser.usual()
        browser.script("document.querySelector('dialog').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        browser.find(".rail[data-card]")
        browser.until("document.querySelector('.rail .place').textContent === '1 of 4'", what="a count of what is in sight")
        shown(browser, "ar-annotating")
        browser.click(".rail .card[aria-current]")
        browser.find(".detail h3")
        shown(browser, "ar-detail")
        moved = browser.script("return [...document.querySelectorAll('dialog, dialog .stage, dialog .area, dialog .panel, html, body')].filter((n) => n.scrollTop || n.scrollLeft).map((n) => n.className)")
        assert not moved, f"opening the detail scrolled {moved}"
        # Every action acts: a page and a number to take along, and what a program does is said.
        for card, kind in (("seal", "link"), ("pressure", "video"), ("coupling", "phone"), ("flange", "custom")):
            browser.script("fetch('/api/command', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ method: 'card.open', params: { id: arguments[0] } }) })", card)
            browser.until(f"document.querySelector('.rail').dataset.card === '{card}' && document.querySelector('.detail > .primary')", what=f"the card {card}")
            at_rest(browser)
            browser.click(".detail > .primary")
            if kind == "custom":
                browser.until("document.querySelector('.toast')?.textContent.startsWith('Sent: Record torque')")
            else:
                browser.find(f'.take[data-action="{kind}"] svg')
                if kind == "link":
                    shown(browser, "ar-take-along")
                browser.click("dialog.ask .button")
        settle(browser)


@check
def what_is_looked_for_and_found(browser):
    with Stand([picture("no-code.jpg")], scene=SCENE) as stand:
        opened(browser, stand, "ar")
        browser.click(".coaching .primary", within=60)
        browser.find('.stage[data-phase="scanning"]')
        browser.until("document.querySelector('.thumbnail img').naturalWidth > 0", what="the picture to look for")
        shown(browser, "ar-scanning")
        settle(browser)
    with Stand([STILL], scene=SCENE, beat=60.0) as stand:
        opened(browser, stand, "ar")
        browser.click(".coaching .primary", within=60)
        browser.find('.stage[data-phase="matched"]', within=60)
        browser.until("document.getElementById('announcer').textContent === 'Found: Pump 7'", what="the name of what was found")
        at_rest(browser)
        assert greens(browser) > 500, "no outline around what was found"
        shown(browser, "ar-matched")
        settle(browser)


@check
def marker_icons_are_drawn(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=ar]")
        differ = browser.script("""
          return import('/assets/js/components/overlay.js').then(({ drawMarkers }) => {
            const draw = (name, selected) => {
              const canvas = new OffscreenCanvas(100, 100);
              const context = canvas.getContext('2d');
              drawMarkers(context, [{ id: 'a', x: 50, y: 50, selected }], { now: 0, opacity: 1, iconOf: () => name, repaint() {} });
              return [...context.getImageData(0, 0, 100, 100).data].join();
            };
            const all = ['wrench', 'gauge', 'bolt', 'warning', 'valve', 'chart', 'hand', 'plug'].flatMap((name) => [draw(name, false), draw(name, true)]);
            return new Set(all).size;
          });""")
        assert differ == 16, differ
        settle(browser)


@check
def whoever_is_still_there_is_asked(browser):
    with Stand([picture("no-code.jpg")], options=["--idle-after", "6"]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        browser.click("[data-open=field]")
        browser.find("wm-text-field")
        browser.script("const f = document.querySelector('wm-text-field[name=note]'); f.input.value = 'mine'; f.input.dispatchEvent(new Event('input', { bubbles: true, composed: true }))")
        browser.find('[data-state="idle-warning"]', within=10)
        browser.click('[data-state="idle-warning"] .primary')
        assert browser.script("return document.querySelector('wm-text-field[name=note]').value") == "mine"
        browser.script("sessionStorage.setItem('picturesShown', 'yes')")
        browser.find('[data-state="idle-warning"]', within=10)
        browser.find('[data-state="attract"]', within=10)
        left = browser.script("return [sessionStorage.length, document.querySelectorAll('dialog, wm-text-field, .toast, .banner').length, document.body.innerText.includes('mine'), document.getElementById('announcer').textContent]")
        assert left == [0, 0, False, ""], left
        shown(browser, "attract")
        browser.click('[data-state="attract"] .primary')
        browser.find("[data-open=field]")
        settle(browser)


@check
def the_warning_before_it_returns(browser):
    with Stand([picture("no-code.jpg")], options=["--idle-after", "8"]) as stand:
        opened(browser, stand, "field")
        browser.find('[data-state="idle-warning"]', within=30)
        # Its seconds stand still while it is looked at.
        browser.script("const now = performance.now(); performance.now = () => now")
        shown(browser, "idle-warning")
        browser.find('[data-state="idle-warning"]')
        settle(browser)


@check
def what_was_scanned_is_never_cut(browser):
    with Stand([picture("product.png")]) as stand:
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=batch]")
        browser.script("document.querySelector('wm-text-field[name=batch]').shadowRoot.querySelector('button.scan').click()")
        value = browser.until("document.querySelector('wm-text-field[name=batch]').value", what="a value in the field")
        assert len(value) == 13, value
        assert "3" in browser.script("return document.querySelector('wm-text-field[name=batch]').shadowRoot.querySelector('.message.error').textContent")
        settle(browser)


@check
def the_kit_shows_every_state(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=ar]")
        browser.open(f"http://{stand.address}/assets/kit.html")
        browser.find("[data-sample=markers]")
        time.sleep(1.2)
        shown(browser, "kit")
        for _ in range(2):
            browser.click("[data-sample=banner]")
        browser.click("[data-sample=toast]")
        browser.click("#banners [aria-expanded]")
        browser.until("document.querySelectorAll('.popover .banner').length === 2", what="the list of messages")
        shown(browser, "kit-messages")
        # Offline: said once while it lasts, and once more when it is over.
        browser.click("[data-sample=clear]")
        for _ in range(2):
            browser.click("[data-sample=offline]")
        browser.until("document.querySelectorAll('#banners .banner').length === 1 && document.querySelector('#banners .banner').dataset.kind === 'error'", what="one banner")
        browser.click("[data-sample=online]")
        browser.until("document.querySelector('#banners .banner')?.dataset.kind === 'success'", what="that it is over")
        browser.gone("#banners .banner")
        # A button shows the state of its action, and starts it once.
        browser.click("[data-sample=idle]")
        browser.until("document.querySelector('[data-sample=idle]').dataset.state === 'processing'")
        browser.until("document.querySelector('[data-sample=idle]').dataset.state === 'success'", what="what became of it")
        browser.click("[data-sample=ask]")
        browser.find("dialog.ask .primary")
        settle(browser)
