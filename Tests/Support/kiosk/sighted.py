"""What is seen by the camera: several codes of which one is chosen, pictures with several codes, the roll, and the AR scanner as the guidelines have it."""
from checks import SCENE, annotated, at_rest, check, opened, picture, pictures_allowed, settle, shown
from following import drawn
from guided import box, sent
from mended import STILL
from stand import Stand

# Two codes within the guide, as it lies in a picture of 640 × 480 on a screen of 960 × 720.
PAIR = [[0, 160, 190, 330]]


@check
def one_of_several_codes_is_chosen_by_a_tap(browser):
    with Stand(drawn(browser, ["two-codes.png"], [PAIR] * 2), rate=15) as stand:
        browser.resize(960, 720)
        opened(browser, stand, "onboard")
        stand.is_scanning()
        # The service finds two that it would take: it is asked which one is meant, and nothing stands still.
        browser.until("document.querySelectorAll('.several [data-code]').length === 2", within=30, what="both codes")
        assert browser.script("return document.querySelector('dialog').dataset.frozen") is None
        assert browser.script("return [...document.querySelectorAll('.several [data-code]')].map((one) => one.textContent)") == ["Code 1", "Code 2"]
        assert browser.text(".prompt") == "There are several codes. Tap the one you mean."
        shown(browser, "scan-several", everywhere=False)
        # A tap on the right one of the picture looks at that one alone.
        before = len(sent(browser, "scan.begin"))
        x, y = browser.script("""const canvas = document.querySelector('.stage canvas').getBoundingClientRect(), s = Math.max(canvas.width / 640, canvas.height / 480);
          return [canvas.left + canvas.width / 2 + (382 - 320) * s, canvas.top + canvas.height / 2 + (253 - 240) * s];""")
        for kind in ("mousePressed", "mouseReleased"):
            browser.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        browser.until(f"probe.sent.filter((one) => one.method === 'scan.begin').length > {before}", what="another look")
        left, _, wide, _ = sent(browser, "scan.begin")[-1]["region"]
        assert .45 < left < .56 and wide < .3, sent(browser, "scan.begin")[-1]
        browser.find('.verdict[data-outcome="successful"]', within=30)
        browser.click("dialog .leave")
        browser.gone(".stage")
        settle(browser)


@check
def one_of_several_codes_in_a_picture_is_chosen(browser):
    with Stand([picture("no-code.jpg")], gallery=picture("")) as stand:
        opened(browser, stand, "onboard")
        browser.find("[data-gallery]")
        # Before there is a roll nothing folds it away.
        assert not browser.script("return document.querySelector('.roll .chevron').checkVisibility()")
        pictures_allowed(browser)
        browser.find(".roll .chevron")
        browser.click('.roll .strip button[aria-label*="two-codes"]')
        browser.until("document.querySelectorAll('.several [data-choice]').length === 2", what="both codes")
        at_rest(browser)
        assert browser.text(".several h3") == "Which code do you mean?"
        red = browser.script("""const canvas = document.querySelector('.stage canvas'), { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); let n = 0;
          for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - 255) < 8 && Math.abs(data[i + 1] - 155) < 8 && Math.abs(data[i + 2] - 145) < 8) n++;
          return n;""")
        assert red < 50, red
        shown(browser, "picture-several")
        browser.click("[data-choice='1']")
        browser.find('.verdict[data-outcome="successful"]')
        second = browser.text(".verdict .host")
        browser.click(".verdict .actions .button:not(.primary)")
        browser.gone(".verdict")
        # By a tap into the picture as well; the other code leads elsewhere.
        browser.click('.roll .strip button[aria-label*="two-codes"]')
        browser.find(".several [data-choice]")
        browser.click("[data-choice='0']")
        browser.find('.verdict[data-outcome="successful"]')
        assert browser.text(".verdict .host") != second
        browser.click(".verdict .actions .button:not(.primary)")
        browser.gone(".verdict")
        # From a picture without a code the way leads back to the pictures.
        browser.click('.roll .strip button[aria-label*="no-code"]')
        browser.find('.verdict[data-outcome="unsuccessful"]')
        browser.click(".verdict .primary")
        browser.find(".gallery")
        browser.click(".gallery .actions .button")
        browser.click(".verdict .actions .button:not(.primary)")
        # All pictures, and albums by the time in which they were taken, in words.
        browser.click("[data-gallery]")
        browser.find(".gallery .albums .button")
        albums = browser.script("return [...document.querySelectorAll('.gallery .albums .button')].map((one) => one.textContent)")
        assert albums[0].startswith("All (") and len(albums) >= 2 and all("(" in one for one in albums), albums
        settle(browser)


@check
def the_ar_scanner_aims_and_tells_from_the_left(browser):
    with Stand([picture("no-code.jpg")], scene=SCENE) as stand:
        opened(browser, stand, "ar")
        browser.click(".coaching .primary", within=60)
        browser.find('.stage[data-phase="scanning"]')
        # A frame with a cross in its middle, and no second picture over what is looked for.
        at_rest(browser)
        assert browser.script("return document.querySelectorAll('.ar-guide .outline > i').length") == 4 and not browser.driver.find_elements("css selector", ".ar-guide img")
        frame, cross = box(browser, ".ar-guide .outline"), box(browser, ".ar-guide .outline .icon")
        assert all(abs((frame[i] + frame[i + 2]) - (cross[i] + cross[i + 2])) < 4 for i in (0, 1)), (frame, cross)
        settle(browser)
    with Stand([STILL], scene=SCENE) as stand:
        browser.resize(1280, 720)
        annotated(browser, stand)
        browser.find(".rail .card")
        assert browser.script("return getComputedStyle(document.querySelector('.rail .strip')).animationName") == "from-left"
        # The detail lies left on a wide screen and below on an upright one, and comes from below.
        browser.script("document.querySelector('dialog').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        browser.click(".rail .card[aria-current]")
        browser.find(".detail h3")
        for width, height in ((1280, 720), (1920, 1080), (360, 640), (1080, 1920)):
            browser.resize(width, height)
            at_rest(browser)
            detail = box(browser, ".detail")
            assert browser.script("return getComputedStyle(document.querySelector('.detail')).animationName") == "from-below", width
            assert (detail[0] < 2 and detail[2] < width / 2) if width > height else (detail[2] - detail[0] > width - 20 and detail[3] > height - 2), (width, height, detail)
        shown(browser, "ar-detail-left")
        # The line from the marker to the card is as thick as letters are, and ends in a knob.
        thick = browser.script("""return import('/assets/js/components/overlay.js').then(async ({ drawConnector }) => {
          const widths = [];
          for (const size of [16, 34]) {
            document.documentElement.style.fontSize = `${size}px`;
            await new Promise((go) => setTimeout(go, 1100));
            const context = new OffscreenCanvas(100, 400).getContext('2d');
            drawConnector(context, { x: 50, y: 10 }, { x: 50, y: 350 }, 1);
            const wide = (y) => { const { data } = context.getImageData(0, y, 100, 1); let n = 0; for (let i = 3; i < data.length; i += 4) if (data[i] > 128) n++; return n; };
            widths.push([wide(200), wide(350)]);
          }
          document.documentElement.style.fontSize = '';
          return widths;
        });""")
        assert thick[1][0] > thick[0][0] * 1.8 and all(knob > line * 1.3 for line, knob in thick), thick
        browser.usual()
        settle(browser)
