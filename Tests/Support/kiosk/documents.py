"""The document scanner: captured by hand and by itself, put right by touch and by keyboard, ordered, and saved."""
import base64
import glob
import os
import re
import tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from checks import at_rest, check, hold, opened, picture, release, settle, shown
from mended import boxes, inside
from stand import Stand

# Draws a sheet of paper on a dark table: its corners, and a seed for what is written on it.
SHEET = """
  const [sheets, go] = arguments;
  const encode = ([all, seed]) => {
    const canvas = new OffscreenCanvas(960, 720), context = canvas.getContext('2d');
    let s = seed;
    const random = () => { s = (s * 1664525 + 1013904223) >>> 0; return s / 2 ** 32; };
    const shade = (v) => { context.fillStyle = 'rgb(' + [v, v * .74, v * .52].map(Math.round).join() + ')'; };
    // Planks with their grain, in the light of a window at the left.
    for (let plank = 0; plank < 5; plank++) {
      const tone = 84 + random() * 16;
      shade(tone);
      context.fillRect(0, plank * 150 - 20, 960, 150);
      for (let i = 0; i < 260; i++) { shade(tone - 12 + random() * 22); context.fillRect(random() * 960 - 120, plank * 150 - 20 + random() * 150, 60 + random() * 240, 1.2); }
      shade(tone * .55);
      context.fillRect(0, plank * 150 + 128, 960, 2);
    }
    const lit = context.createRadialGradient(180, 120, 60, 380, 300, 900);
    lit.addColorStop(0, 'rgb(255 240 214 / .12)');
    lit.addColorStop(1, 'rgb(0 0 0 / .34)');
    context.fillStyle = lit;
    context.fillRect(0, 0, 960, 720);
    for (const corners of all) {
      const at = (u, v) => { const [a, b, c, d] = corners; const mix = (p, q, t) => [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t]; return mix(mix(a, b, u), mix(d, c, u), v); };
      const fill = (u, v, w, h) => { context.beginPath(); for (const [x, y] of [at(u, v), at(u + w, v), at(u + w, v + h), at(u, v + h)]) context.lineTo(x, y); context.fill(); };
      context.shadowColor = 'rgb(0 0 0 / .55)';
      context.shadowBlur = 14;
      context.shadowOffsetX = context.shadowOffsetY = 5;
      context.fillStyle = 'rgb(' + [240, 238, 232].join() + ')';
      fill(0, 0, 1, 1);
      context.shadowColor = 'transparent';
      // What a supplier writes: every word lies as the paper does just there.
      const write = (u, v, size, text, weight = '') => {
        const [o, a, b] = [at(u, v), at(u + .01, v), at(u, v + .01)];
        context.setTransform((a[0] - o[0]) / 4, (a[1] - o[1]) / 4, (b[0] - o[0]) / 5.66, (b[1] - o[1]) / 5.66, ...o);
        context.font = `${weight} ${size}px Inter, "DejaVu Sans", sans-serif`;
        context.fillText(text, 0, 0);
        const wide = context.measureText(text).width / 400;
        context.resetTransform();
        return wide;
      };
      const one = (list) => list[Math.floor(random() * list.length)];
      const number = (digits) => String(Math.floor(random() * 9 * 10 ** (digits - 1)) + 10 ** (digits - 1));
      const lines = (u, v, far, size, step, text) => {
        for (let at = u, row = v, words = text.split(' '), i = 0; i < words.length; i++) {
          if (at + .014 * size / 10.5 * words[i].length > far) [at, row] = [u, row + step];
          at += write(at, row, size, words[i]) + .012;
        }
      };
      const ink = (...rgb) => { context.fillStyle = `rgb(${rgb.join()})`; };
      if (seed > 50) {
        // A letter; the other is a delivery note: no page is taken for one that was captured already.
        ink(20, 92, 70);
        write(.08, .085, 22, 'Meridian Stores', 'bold');
        fill(.08, .105, .84, .004);
        ink(40, 40, 48);
        ['Nordtrans', 'Harbour Road 11', `${number(5)} Northport`].forEach((line, row) => write(.08, .17 + row * .024, 10, line));
        write(.7, .27, 10, '26 November');
        write(.08, .33, 15, 'Opening hours of the goods entrance', 'bold');
        [.4, .51, .62].forEach((v, i) => lines(.08, v, .92, 11.5, .03, ['Thank you for your letter. From the first of December our goods entrance opens at six in the morning and closes at four in the afternoon, also on Saturdays.', 'Drivers report at the kiosk beside the gate, show it the code of their order and are told at which bay they are expected. Nobody has to come to the office any more.', 'Please tell your drivers, and write to us if a delivery cannot come within these hours.'][i]));
        write(.08, .74, 11.5, 'With kind regards');
        write(.08, .8, 11.5, 'Ada Meyer, stores');
      } else {
        ink(31, 58, 95);
        fill(.08, .05, .055, .038);
        write(.155, .081, 17, 'Nordtrans', 'bold');
        ink(40, 40, 48);
        write(.64, .075, 9, 'Delivery note');
        write(.64, .095, 9, `No. ${number(6)}`);
        write(.08, .165, 21, `Order ${number(5)}`, 'bold');
        ['Meridian Stores', `${one(['Quay', 'Harbour', 'Mill'])} Road ${number(2)}`, `${number(5)} Northport`].forEach((line, row) => write(.08, .215 + row * .024, 10, line));
        fill(.08, .305, .84, .002);
        ['Pos.', 'Article', 'Batch', 'Qty'].forEach((text, i) => write([.08, .17, .6, .82][i], .33, 10, text, 'bold'));
        fill(.08, .34, .84, .002);
        for (let row = 0; row < 11; row++) ['' + (row + 1), `${one(['Gate', 'Ball', 'Check', 'Relief'])} ${one(['valve', 'seal', 'spring', 'housing'])} DN ${one([15, 25, 40, 50])}`, `LB${number(4)}`, number(2)].forEach((text, i) => write([.08, .17, .6, .82][i], .37 + row * .034, 10.5, text));
        fill(.08, .745, .84, .002);
        lines(.08, .785, .9, 10.5, .026, 'Please check the goods on arrival and note any damage below. What is missing is delivered within three working days. Packaging is taken back by the driver. Questions about this order are answered in the stores office.');
        fill(.08, .93, .3, .002);
        write(.08, .952, 8.5, 'Received by');
      }
    }
    return canvas.convertToBlob({ type: 'image/jpeg', quality: .92 }).then((blob) => new Promise((done) => { const reader = new FileReader(); reader.onload = () => done(reader.result.split(',')[1]); reader.readAsDataURL(blob); }));
  };
  sheets.reduce((before, sheet) => before.then(async (all) => [...all, await encode(sheet)]), Promise.resolve([])).then(go);"""
FLAT = [[300, 60], [690, 70], [720, 660], [270, 650]]
OTHER = [[250, 80], [640, 60], [660, 670], [240, 640]]
SIDE_BY_SIDE = [[[60, 120], [450, 110], [440, 640], [70, 630]], [[540, 130], [900, 120], [890, 610], [550, 620]]]


def sheets(browser, plan):
    """A folder of pictures: each of the plan is (corners, a list of corners of several sheets, or None; seed; how many)."""
    folder = tempfile.mkdtemp(prefix="waymark-sheets-")
    browser.open("about:blank")
    drawn = browser.driver.execute_async_script(SHEET, [[[] if not corners else corners if isinstance(corners[0][0], list) else [corners], seed] for corners, seed, _ in plan])
    number = 0
    for data, (_, _, times) in zip(drawn, plan):
        for _ in range(times):
            with open(os.path.join(folder, f"{number:03d}.jpg"), "wb") as out:
                out.write(base64.b64decode(data))
            number += 1
    return folder


def storage():
    """Where the service keeps pages and saves documents; the configuration, and the folder of what was saved."""
    folder = tempfile.mkdtemp(prefix="waymark-documents-")
    return f"documents:\n  folder: {folder}/session\n  output: {folder}/saved\n", os.path.join(folder, "saved")


def pages(browser):
    return browser.script("return [...document.querySelectorAll('.pages .strip [data-page]')].map((one) => one.dataset.page)")


def touch(browser, kind, x=None, y=None):
    browser.cdp("Input.dispatchTouchEvent", type=kind, touchPoints=[] if x is None else [{"x": x, "y": y}])


def middle(browser, selector):
    left, top, right, bottom = boxes(browser, selector)[0]
    return (left + right) / 2, (top + bottom) / 2


def loaded(browser):
    browser.until("[...document.querySelectorAll('dialog img')].filter((i) => i.checkVisibility()).every((i) => i.complete && i.naturalWidth)", what="the pictures of pages")


def capture(browser, count):
    browser.until("!document.querySelector('.shutter').disabled", what="a shutter")
    browser.click(".shutter")
    browser.find("dialog.ask .primary")
    loaded(browser)
    if count == 1:
        shown(browser, "document-confirm")


@check
def a_document_from_the_camera_to_a_file(browser):
    configuration, saved = storage()
    with Stand(sheets(browser, [(FLAT, 7, 2)]), extra=configuration, rate=15) as stand:
        opened(browser, stand, "document")
        browser.until("!document.querySelector('.shutter').disabled", what="a session")
        browser.click("[data-mode]")
        browser.until("document.querySelector('[data-mode]').getAttribute('aria-checked') === 'false'")
        shown(browser, "document-manual")
        capture(browser, 1)
        # Its corners are put right: by touch under a magnifier, by keyboard, and by the page's own edges.
        browser.script("[...document.querySelectorAll('dialog.ask button')].find((b) => b.textContent === 'Adjust').click()")
        browser.find(".adjust .handle")
        browser.until("document.querySelector('.corners img').naturalWidth", what="the picture as it was captured")
        for width, height in ((360, 640), (1280, 720)):
            browser.resize(width, height)
            at_rest(browser)
            for one in browser.script("return [...document.querySelectorAll('.adjust button')].map((b) => { const r = b.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })"):
                assert inside(one, width, height), (width, height, one)
                assert one[2] - one[0] >= 47.5 and one[3] - one[1] >= 47.5, (width, height, one)
        x, y = middle(browser, ".handle:nth-of-type(1)")
        touch(browser, "touchStart", x, y)
        touch(browser, "touchMove", x + 40, y + 30)
        browser.find(".lens")
        shown(browser, "document-corner", everywhere=False)
        touch(browser, "touchEnd")
        moved = middle(browser, ".handle:nth-of-type(1)")
        assert abs(moved[0] - x - 40) < 3 and abs(moved[1] - y - 30) < 3, (x, y, moved)
        browser.script("document.querySelector('.handle:nth-of-type(2)').focus()")
        before = middle(browser, ".handle:nth-of-type(2)")
        ActionChains(browser.driver).send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN).key_up(Keys.SHIFT).perform()
        after = middle(browser, ".handle:nth-of-type(2)")
        assert after[0] < before[0] and after[1] > before[1] + 2, (before, after)
        shown(browser, "document-adjust")
        browser.script("[...document.querySelectorAll('.adjust .tools button')].find((b) => b.textContent === 'Snap to the page').click()")
        browser.until(f"Math.abs(document.querySelector('.handle:nth-of-type(1)').getBoundingClientRect().left - {moved[0]}) > 12", what="corners that snap back")
        browser.click(".adjust .tools .primary")
        browser.gone(".adjust")
        for count in (2, 3):
            capture(browser, count)
            browser.click("dialog.ask .primary")
            browser.gone("dialog.ask")
            browser.until(f"document.querySelector('.shots .count').textContent === '{count}'", what=f"{count} pages")
        browser.usual()

        # All pages: what is done to one is seen at once.
        browser.click("[data-pages]")
        browser.until("document.querySelectorAll('.pages .strip [data-page]').length === 3")
        loaded(browser)
        shown(browser, "document-pages")
        first, second, third = pages(browser)
        browser.click('.pages .tools [data-filter="bw"]')
        browser.until("document.querySelector('.pages .tools [data-filter=bw]').getAttribute('aria-pressed') === 'true'")
        loaded(browser)
        upright = browser.script("const i = document.querySelector('.big img.page'); return i.naturalHeight > i.naturalWidth")
        browser.click('.pages [data-tool="rotate"]')
        browser.until(f"(() => {{ const i = document.querySelector('.big img.page'); return i.complete && (i.naturalHeight > i.naturalWidth) !== {str(upright).lower()}; }})()", what="a page that is turned")
        # Another order: by buttons, by mouse, by a finger that rests and then moves; one that moves at once scrolls.
        browser.click('.pages [data-tool="earlier"]')
        browser.until(f"[...document.querySelectorAll('.pages .strip [data-page]')].map((one) => one.dataset.page).join() === '{first},{third},{second}'", what="an earlier page")
        at_rest(browser)
        thumb = lambda page: middle(browser, f'.strip [data-page="{page}"]')
        (x, y), (to, _) = thumb(first), thumb(second)
        for kind, at in (("mousePressed", x), ("mouseMoved", x + 20), ("mouseMoved", to + 12)):
            browser.cdp("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", clickCount=1)
        browser.find(".strip [data-lifted]")
        shown(browser, "document-reorder", everywhere=False)
        browser.cdp("Input.dispatchMouseEvent", type="mouseReleased", x=to + 12, y=y, button="left", clickCount=1)
        browser.until(f"[...document.querySelectorAll('.pages .strip [data-page]')].map((one) => one.dataset.page).join() === '{third},{second},{first}'", what="an order by mouse")
        at_rest(browser)
        (x, y), (to, _) = thumb(first), thumb(third)
        touch(browser, "touchStart", x, y)
        browser.find(".strip [data-lifted]")
        touch(browser, "touchMove", (x + to) / 2, y)
        touch(browser, "touchMove", to - 12, y)
        touch(browser, "touchEnd")
        browser.until(f"[...document.querySelectorAll('.pages .strip [data-page]')].map((one) => one.dataset.page).join() === '{first},{third},{second}'", what="an order by touch")
        stand.becomes("ordered", lambda state: [one["id"] for one in state["document"]["pages"]] == [first, third, second], method="subscribe")
        at_rest(browser)
        x, y = thumb(first)
        touch(browser, "touchStart", x, y)
        touch(browser, "touchMove", x + 60, y)
        assert not browser.driver.find_elements("css selector", "[data-lifted]"), "a finger that scrolls lifted a page"
        touch(browser, "touchEnd")
        # What was deleted comes back where it was.
        browser.click(f'.strip [data-page="{third}"]')
        browser.click('.pages [data-tool="delete"]')
        browser.until("document.querySelectorAll('.pages .strip [data-page]').length === 2")
        browser.click(".toast .button")
        browser.until(f"[...document.querySelectorAll('.pages .strip [data-page]')].map((one) => one.dataset.page).join() === '{first},{third},{second}'", what="the page back in its place")
        for width, height in ((360, 640), (800, 480), (800, 337), (1080, 1920)):
            browser.resize(width, height)
            at_rest(browser)
            big = boxes(browser, ".pages .big img.page")[0]
            assert inside(big, width, height) and big[3] - big[1] > 60, (width, height, big)
            for one in ('.pages .bar .leave', '.strip [data-page]'):
                assert inside(boxes(browser, one)[0], width, height), (width, height, one, boxes(browser, one))
            small = browser.script("return [...document.querySelectorAll('.pages .tools button')].map((b) => b.getBoundingClientRect()).filter((r) => r.height < 47.5 || r.left < -1 || r.right > innerWidth + 1).length")
            assert not small, (width, height, small)
        browser.usual()
        browser.click(".pages .bar .leave")
        browser.gone(".pages")
        browser.click("[data-save]")
        browser.find('[data-state="document-saved"]')
        shown(browser, "document-saved")
        files = glob.glob(os.path.join(saved, "*.pdf"))
        assert len(files) == 1, files
        with open(files[0], "rb") as file:
            written = file.read()
        assert written.startswith(b"%PDF-") and len(re.findall(rb"/Type\s*/Page\b", written)) == 3, written[:40]
        stand.becomes("empty", lambda state: not (state.get("document") or {}).get("count"), method="subscribe")
        browser.click('[data-state="document-saved"] [data-done]')
        browser.find("[data-open=document]")
        settle(browser)


@check
def pages_capture_themselves_and_are_asked_about(browser):
    configuration, saved = storage()
    plan = [(None, 3, 20), (FLAT, 7, 45), (None, 3, 20), (OTHER, 99, 45)]
    with Stand(sheets(browser, plan), extra=configuration, rate=15) as stand:
        opened(browser, stand, "document")
        browser.until("document.querySelector('.documents .prompt').textContent === 'Position the document in view'")
        browser.until("document.querySelector('.documents .prompt').dataset.state === 'done'", within=30, what="a page that was captured")
        shown(browser, "document-captured", everywhere=False)
        browser.until("Number(document.querySelector('.shots .count').textContent) >= 2", within=40, what="two pages")
        browser.click("dialog .leave")
        browser.find("dialog.ask")
        shown(browser, "document-leave")
        browser.click("dialog.ask .button:not(.primary)")
        browser.gone(".stage")
        stand.becomes("empty", lambda state: not (state.get("document") or {}).get("count"), method="subscribe")
        assert not glob.glob(os.path.join(saved, "*")), "what was thrown away was saved"
        settle(browser)
    # Nothing there: the view says what it waits for, and can be left.
    with Stand(sheets(browser, [(None, 3, 2)]), extra=storage()[0], rate=15) as stand:
        opened(browser, stand, "document")
        browser.until("!document.querySelector('.shutter').disabled", what="a session")
        shown(browser, "document-looking")
        browser.click("dialog .leave")
        browser.gone(".stage")
        settle(browser)


@check
def a_second_page_in_the_picture_is_told(browser):
    with Stand(sheets(browser, [(None, 3, 20), (SIDE_BY_SIDE, 7, 90)]), extra=storage()[0], rate=15) as stand:
        opened(browser, stand, "document")
        browser.until("document.querySelector('.documents .prompt').textContent === 'Captured. Another page is in view: hold it alone'", within=30, what="the page that is not captured yet")
        shown(browser, "document-others", everywhere=False)
        settle(browser)


@check
def an_answer_finds_nobody_there(browser):
    with Stand([picture("no-code.jpg")], options=["--idle-after", "4"], extra=storage()[0]) as stand:
        opened(browser, stand, "document")
        browser.find(".shutter:not(:disabled)")
        hold(browser, "document.capture")
        browser.script("window.told = []; new MutationObserver(() => told.push(document.getElementById('toasts').textContent)).observe(document.getElementById('toasts'), { childList: true })")
        browser.click(".shutter")
        browser.find('[data-state="attract"]', within=30)
        # The pages are gone, so that it is refused.
        release(browser)
        browser.until("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(true))))")
        assert browser.script("return [told, document.getElementById('announcer').textContent]") == [[], ""]
        settle(browser)
