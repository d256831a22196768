"""What every check of the page uses: where the samples lie, pictures of states, and what must hold after each."""
import contextlib
import json
import os
import sys
import tempfile
import time

from stand import ROOT

WANTED = len(sys.argv) > 1
# One picture of each: what the matrix looks at in every combination is shown in two.
LOOKS = {"kiosk-light": (1280, 720), "phone-dark": (360, 640)}
SHOTS = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="waymark-screens-")
PICTURES = os.path.join(ROOT, "Samples/pictures")
FRAMES = os.path.join(ROOT, "Samples/sequences/pump-room")
SCENE = os.path.join(ROOT, "Samples/scenes/pump-room")
os.makedirs(SHOTS, exist_ok=True)

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def picture(name):
    return os.path.join(PICTURES, name)


def shown(browser, name, everywhere=True):
    """Asks axe-core about a state once it has come to rest, and pictures it where pictures are wanted: large and light, small
    and dark; where a check has set up a screen of its own, as it is."""
    at_rest(browser)
    found = browser.accessibility()
    assert not found, f"{name}: {found}"
    if not WANTED:
        return
    # A screen that is touched has no bars to scroll with.
    browser.cdp("Emulation.setScrollbarsHidden", hidden=True)
    if not everywhere:
        at_rest(browser)
        browser.shot(os.path.join(SHOTS, name + ".webp"))
        browser.cdp("Emulation.setScrollbarsHidden", hidden=False)
        return
    for look, (width, height) in LOOKS.items():
        browser.resize(width, height)
        browser.media(prefers_color_scheme=look.split("-")[1])
        at_rest(browser)
        browser.shot(os.path.join(SHOTS, f"{name}-{look}.webp"))
    browser.cdp("Emulation.setScrollbarsHidden", hidden=False)
    browser.usual()


def at_rest(browser):
    """Waits for the end of every movement, those on the canvas included: what still fades in has no contrast yet."""
    browser.until("""new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(true))))""")
    time.sleep(0.5)
    browser.until("document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getComputedTiming().iterations === Infinity)", what="an end of the movements")


def opened(browser, stand, view):
    """Opens the page and goes to one of its views: onboard, ar, field."""
    browser.open(stand.url)
    browser.until("document.documentElement.dataset.online === 'true'")
    browser.click(f"[data-open={view}]")


def pictures_allowed(browser):
    """Agrees to pictures of the device being shown, and closes the gallery that opens then."""
    browser.click("[data-gallery]")
    browser.click("dialog.ask .primary")
    browser.find(".gallery")
    browser.click(".gallery .actions .button")
    browser.gone(".gallery")


def annotated(browser, stand):
    """Opens the AR scanner and waits until there are cards."""
    opened(browser, stand, "ar")
    browser.click(".coaching .primary", within=60)
    browser.find('.stage[data-phase="annotating"]', within=60)


HOLD = """
  const send = window.fetch, word = arguments[0];
  const released = new Promise((go) => { window.release = go; });
  window.held = window.passed = false;
  window.fetch = async (url, options) => {
    if (window.passed || !`${url} ${options?.body}`.includes(word)) return send(url, options);
    window.held = true;
    await released;
    return send(url, options).finally(() => { window.passed = true; });
  };"""


def hold(browser, word):
    """Keeps back what the page sends with a word in its address or its text, until `release`."""
    browser.script(HOLD, word)


@contextlib.contextmanager
def holding(browser, word):
    """The same for what pages send that are opened meanwhile, from their beginning."""
    script = browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=f"(function () {{{HOLD}}})({json.dumps(word)});")["identifier"]
    try:
        yield
    finally:
        browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def release(browser):
    """Lets go what was held, and waits for the answer to it."""
    browser.until("window.held", what="something to release")
    browser.script("release()")
    browser.until("window.passed", what="an answer to what was released")


def settle(browser, also=()):
    """After a check: no console error but for those with a word of `also`, and nothing asked of another machine."""
    browser.collect()
    errors = [entry["message"] for entry in browser.console]
    browser.console.clear()
    # The page goes before the service does: what it still asks for then is not a fault of its own.
    browser.open("about:blank")
    expected = [e for e in errors if any(code in e for code in ("status of 422", "status of 503", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", *also))]
    assert len(errors) == len(expected), errors
    foreign = [url for url in browser.requests if not url.startswith(("http://127.0.0.1:", "blob:http://127.0.0.1:", "data:"))]
    assert not foreign, foreign


def fits(browser):
    """Returns true if neither the page nor anything in it scrolls sideways."""
    return browser.script("return ['html', 'main'].map((one) => document.querySelector(one)).every((one) => one.scrollWidth <= one.clientWidth + 1)")
