"""The AR scanner on every screen: what is instructed, counted, connected, read and left; and the end of a scan."""

from checks import SCENE, at_rest, check, opened, picture, settle
from mended import STILL, apart, boxes, inside, sent
from stand import Stand

SIZES = ((360, 640), (800, 337), (800, 480), (1024, 600), (1280, 720), (1920, 1080), (1080, 1920))

# How many pixels of the connector's colour lie on the canvas right before the near edge of what it leads to.
TOUCHING = """
  const canvas = document.querySelector('.stage canvas');
  const own = canvas.getBoundingClientRect(), box = document.querySelector(arguments[0]).getBoundingClientRect(), ratio = canvas.width / own.width;
  const fromLeft = arguments[1] === 'left';
  const x = fromLeft ? box.left - own.left - 8 : box.left + box.width / 2 - own.left - 12, y = fromLeft ? box.top + box.height / 2 - own.top - 12 : box.top - own.top - 8;
  const [w, h] = fromLeft ? [8, 24] : [24, 8];
  const { data } = canvas.getContext('2d').getImageData(x * ratio, y * ratio, Math.max(1, w * ratio), Math.max(1, h * ratio));
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - 183) < 16 && Math.abs(data[i + 1] - 176) < 16 && data[i + 2] > 235) count++;
  return count;"""


# How many pixels of a selected marker lie on the canvas beside the detail.
ACCENTS = """() => {
  const canvas = document.querySelector('.stage canvas'), own = canvas.getBoundingClientRect(), box = document.querySelector('.detail').getBoundingClientRect(), ratio = canvas.width / own.width;
  const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [x, y] = [(i / 4 % width) / ratio + own.left, Math.floor(i / 4 / width) / ratio + own.top];
    if (Math.abs(data[i] - 183) < 16 && Math.abs(data[i + 1] - 176) < 16 && data[i + 2] > 235 && (x > box.right || y < box.top)) count++;
  }
  return count / ratio / ratio;
}"""


def connected(browser, selector, side="top"):
    """Whether the connector reaches it, within some seconds: a busy machine draws frames without it."""
    for _ in range(200):
        if browser.script(TOUCHING, selector, side):
            return True
        browser.script("return new Promise((go) => setTimeout(go, 50))")
    return False


def letters(browser, selector):
    return browser.script("return parseFloat(getComputedStyle(document.querySelector(arguments[0])).fontSize)", selector)


@check
def every_screen_holds_a_session(browser):
    with Stand([STILL], scene=SCENE) as stand:
        opened(browser, stand, "ar")
        browser.find(".coaching .primary", within=60)
        for width, height in SIZES:
            browser.resize(width, height)
            at_rest(browser)
            for box in boxes(browser, ".coaching h3", ".coaching .primary", "dialog .leave", "dialog .bar h2"):
                assert inside(box, width, height), (width, height, box)
            title, button = boxes(browser, ".coaching h3", ".coaching .primary")
            assert apart(title, button), (width, height)
        browser.click(".coaching .primary")
        browser.find('.stage[data-phase="annotating"]', within=60)
        browser.script("document.querySelector('dialog').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        browser.find(".rail .card[aria-current]")
        assert browser.text(".sights") == "4 notes in sight"
        for width, height in SIZES:
            browser.resize(width, height)
            at_rest(browser)
            card, bar, sights, thumbnail = boxes(browser, ".rail .card[aria-current]", "dialog .bar", ".sights", ".thumbnail")
            assert all(inside(box, width, height) for box in (card, bar, sights, thumbnail)), (width, height, card, sights, thumbnail)
            assert apart(card, bar) and apart(sights, thumbnail) and apart(card, sights) and apart(card, thumbnail), (width, height)
            assert connected(browser, ".rail .card[aria-current]"), f"the connector does not reach the card at {width}×{height}"
            # The chosen one is in the middle of the screen, and its buttons lie clear of it.
            browser.until("(() => { const r = document.querySelector('.rail .card[aria-current]').getBoundingClientRect(); return Math.abs(r.left + r.width / 2 - innerWidth / 2) < 3; })()", within=5, what=f"the card in the middle at {width}×{height}")
            assert apart(*boxes(browser, ".rail .card[aria-current]", ".rail .steps")), (width, height)
            # The next one peeps, so that one sees that there are more.
            peeping = browser.script("return [...document.querySelectorAll('.rail .card:not([aria-current])')].filter((c) => { const r = c.getBoundingClientRect(); return r.left < innerWidth - 8 && r.right > 8; }).length")
            assert peeping, (width, height)
            least = {(1080, 1920): 28, (1920, 1080): 19}.get((width, height), 14)
            assert letters(browser, ".rail .card strong") >= least, (width, height, letters(browser, ".rail .card strong"))
        browser.click(".rail .card[aria-current]")
        for width, height in SIZES:
            browser.resize(width, height)
            at_rest(browser)
            title, close, act, bar = boxes(browser, ".detail h3", ".detail .head .button", ".detail > .primary", "dialog .bar")
            assert all(inside(box, width, height) for box in (title, close, act)), (width, height, title, close, act)
            assert apart(title, bar) and apart(act, title), (width, height)
            # The marker lies beside the detail, whole.
            browser.script(f"window.accents = 0; window.watching ??= document.addEventListener('drawn', (e) => {{ if (e.detail.overlay != null && accents < 500) accents = ({ACCENTS})(); }}, true) ?? true")
            browser.until("accents > 500", within=30, what=f"the whole marker at {width}×{height}")
        browser.usual()
        settle(browser)


@check
def the_coaching_sheet_collapses_and_returns(browser):
    moving = "document.getAnimations().some((one) => one.effect.target?.matches?.('{0}') && one.effect.getKeyframes()[0].transform?.includes('scale'))"
    with Stand([picture("no-code.jpg")], scene=SCENE) as stand:
        opened(browser, stand, "ar")
        browser.find(".coaching .primary", within=60)
        browser.until("document.querySelector('.coaching img').complete && document.querySelector('.coaching img').naturalWidth", what="the guide picture")
        browser.script("document.querySelector('.coaching .primary').click()")
        browser.until(moving.format(".thumbnail"), within=5, what="a sheet that becomes the thumbnail")
        browser.gone(".coaching")
        at_rest(browser)
        # The picture to look for is shown where it is looked for.
        guide, bar = boxes(browser, ".ar-guide .outline", "dialog .bar")
        assert guide[2] - guide[0] > 100 and apart(guide, bar), guide
        browser.script("document.querySelector('.thumbnail').click()")
        browser.until(moving.format(".coaching .picture img"), within=5, what="a thumbnail that becomes the sheet")
        assert browser.text(".coaching .primary") == "Return to scan"
        settle(browser)


@check
def whoever_reads_a_card_is_left_alone(browser):
    with Stand([STILL], scene=SCENE, options=["--idle-after", "4"]) as stand:
        opened(browser, stand, "ar")
        # The pointer moves until a card is open, so that no idle warning comes earlier; the page itself measures the times.
        browser.script("window.hand = setInterval(() => document.body.dispatchEvent(new PointerEvent('pointermove', { bubbles: true })), 300)")
        browser.click(".coaching .primary", within=60)
        browser.find('.stage[data-phase="annotating"]', within=60)
        browser.script("document.querySelector('dialog').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        browser.find(".rail .card[aria-current]")
        browser.script("""
          clearInterval(hand);
          window.begun = performance.now();
          new MutationObserver((_, observer) => {
            const stay = document.querySelector('[data-state="idle-warning"] .primary');
            if (!stay) return;
            observer.disconnect();
            window.waited = (performance.now() - begun) / 1000;
            // A person who is still there continues to read.
            stay.click();
          }).observe(document.body, { childList: true, subtree: true });
          document.querySelector('.rail .card[aria-current]').click();""")
        browser.find(".detail")
        words = len(browser.script("return document.querySelector('.detail').textContent").split())
        waited = browser.until("window.waited", within=120, what="a warning")
        # Two seconds are the minimum; the rest is for reading.
        assert waited > 1.6 + words / 2.5 * 0.8, (waited, words)
        browser.gone('[data-state="idle-warning"]')
        browser.find(".detail")
        settle(browser)


@check
def a_scan_that_is_over_begins_again(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        # A scan of two seconds instead of a minute.
        browser.script("const send = window.fetch; window.fetch = (url, options) => send(url, options?.body?.includes?.('scan.begin') ? { ...options, body: options.body.replace('\"timeout\":60', '\"timeout\":2') } : options)")
        browser.click("[data-open=onboard]")
        browser.find('.verdict[data-outcome="unsuccessful"]')
        begun = len(sent(browser, "scan.begin"))
        browser.script("return new Promise((go) => setTimeout(go, 900))")
        assert len(sent(browser, "scan.begin")) == begun, "it began by itself under an answer"
        browser.click(".verdict .primary")
        browser.gone(".verdict")
        stand.is_scanning()
        settle(browser)
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "onboard")
        stand.is_scanning()
        browser.until("probe.sent.some((one) => one.method === 'scan.begin')")
        # After any end of a scan, even one without details, another begins.
        begun = len(sent(browser, "scan.begin"))
        identity = stand.request("status")["result"]["scan"]["scan"]
        browser.script("tell({ event: 'scan.ended', scan: arguments[0], reason: 'stopping' })", identity)
        browser.until(f"probe.sent.filter((one) => one.method === 'scan.begin').length > {begun}", what="another scan")
        settle(browser)
    with Stand([picture("onboarding.png")]) as stand:
        opened(browser, stand, "onboard")
        browser.find('.verdict[data-outcome="successful"]')
        identity = stand.request("status")["result"]["scan"]["scan"]
        # A program of the integrator's has confirmed it meanwhile.
        browser.script("tell({ event: 'scan.ended', scan: arguments[0], reason: 'confirmed' })", identity)
        browser.find('[data-state="handed-over"]')
        settle(browser)
