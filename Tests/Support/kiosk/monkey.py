"""Random taps, strokes and keys, the same for the same seed: nothing breaks, every state has a way out, nothing stays behind.

SEEDS and TAPS make it longer: 300 are what somebody does who presses something every second for five minutes, and take about one
here (`Benchmarks/kiosk/monkey`).
"""
import os
import random
import time

from accounts import configuration
from checks import FRAMES, PICTURES, SCENE, check, picture, settle
from documents import FLAT, OTHER, sheets, storage
from provider import Provider
from stand import Stand

# What a visitor would not like to find on the screen of another.
TYPED = ("zebra", "quagga", "okapi")
KEYS = (("Tab", 9), ("Enter", 13), ("Escape", 27), ("ArrowRight", 39), ("ArrowDown", 40), ("Backspace", 8), (" ", 32))

# What went wrong, the size of the screen, and where something can be pressed or written into, with what it is called; those that a finger
# reaches alone.
PLACES = """
  const walk = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? walk(one.shadowRoot) : [])]);
  const deep = (x, y) => { let at = document.elementFromPoint(x, y); while (at?.shadowRoot) { const inner = at.shadowRoot.elementFromPoint(x, y); if (!inner || inner === at) break; at = inner; } return at; };
  const over = (a, b) => { for (let one = b; one; one = one.parentNode ?? one.host) if (one === a) return true; return false; };
  const places = walk(document).filter((one) => one.matches('button, input, textarea, a[href], canvas, [role=button]') && !one.disabled).map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, r]) => r.width && r.height).map(([one, r]) => [one, Math.min(innerWidth - 1, Math.max(0, r.left + r.width / 2)), Math.min(innerHeight - 1, Math.max(0, r.top + r.height / 2))])
    .filter(([one, x, y]) => over(one, deep(x, y))).map(([one, x, y]) => [x, y, one.tagName, (one.getAttribute('aria-label') ?? one.textContent).slice(0, 30)]);
  return [window.faults ?? ['the page was left'], [innerWidth, innerHeight], places];"""

LEFT = """
  const walk = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? walk(one.shadowRoot) : [])]);
  const text = walk(document).map((one) => [one.value ?? '', ...[...one.attributes].map((each) => each.value)].join(' ')).join(' ') + document.body.innerText + location.href;
  return {
    storage: sessionStorage.length + localStorage.length + (history.state ? 1 : 0), dialogs: document.querySelectorAll('dialog').length, layer: document.querySelectorAll('.toast, .banner').length,
    said: document.getElementById('announcer').textContent, typed: arguments[0].filter((one) => text.toLowerCase().includes(one)),
    fields: walk(document).filter((one) => one.matches('input, textarea, wm-signature')).length,
  };"""


class Visitor:
    """Somebody who presses anything."""

    def __init__(self, browser, seed):
        self.browser = browser
        self.seed, self.dice = seed, random.Random(seed)
        self.done = []

    def mouse(self, kind, x, y, pressed=True):
        self.browser.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if pressed else "none", clickCount=1 if pressed else 0)

    def tap(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def act(self):
        browser, dice = self.browser, self.dice
        faults, (width, height), places = browser.script(PLACES)
        assert not faults, (self.seed, faults, self.last())
        what = dice.random()
        if what < 0.66 and places:
            x, y, tag, name = dice.choice(places)
            self.done.append(f"tap {tag} {name!r}")
            self.tap(x, y)
            if tag in ("INPUT", "TEXTAREA") and dice.random() < 0.6:
                browser.cdp("Input.insertText", text=dice.choice(TYPED))
        elif what < 0.76:
            x, y = dice.randrange(width), dice.randrange(height)
            self.done.append(f"tap {x}, {y}")
            self.tap(x, y)
        elif what < 0.88:
            name, code = dice.choice(KEYS)
            self.done.append(f"key {name}")
            for kind in ("keyDown", "keyUp"):
                browser.cdp("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **({"text": "\r"} if name == "Enter" and kind == "keyDown" else {}))
        else:
            x, y = (dice.choice(places)[:2] if places and dice.random() < 0.6 else (dice.randrange(width), dice.randrange(height)))
            to = (dice.randrange(width), dice.randrange(height))
            self.done.append(f"drag {x:.0f}, {y:.0f} to {to}")
            self.mouse("mousePressed", x, y)
            for k in (1, 2, 3):
                self.mouse("mouseMoved", x + (to[0] - x) * k / 3, y + (to[1] - y) * k / 3)
            self.mouse("mouseReleased", *to)

    def last(self):
        return " · ".join(self.done[-12:])


def way_out(browser, within=8):
    """Something on the screen can be pressed; a moment without it is granted, since something may be on its way."""
    end = time.monotonic() + within
    while not [one for one in browser.script(PLACES)[2] if one[2] in ("BUTTON", "A")]:
        assert time.monotonic() < end, "a view without a way out"
        time.sleep(0.2)


def roam(browser, stand, seed, taps):
    visitor = Visitor(browser, seed)
    browser.resize(*((360, 640), (1280, 720), (800, 480), (1080, 1920))[(seed + seed // 4) % 4])
    browser.open(stand.url)
    browser.until("document.documentElement.dataset.online === 'true'", within=60)
    browser.script("window.faults = []; addEventListener('error', (e) => faults.push(e.message)); addEventListener('unhandledrejection', (e) => faults.push(String(e.reason?.stack ?? e.reason)))")
    for _ in range(taps):
        visitor.act()
        time.sleep(visitor.dice.choice((0, 0.02, 0.15)))
        if len(visitor.done) % 25 == 0:
            way_out(browser)
    way_out(browser)
    # The visitor walks away: the kiosk warns, rests, and is as it was.
    try:
        browser.find('[data-state="attract"]', within=20)
    except AssertionError:
        # With accounts it rests at the first screen or at signing in, once what was begun is left.
        assert browser.script("return document.querySelector('[data-screen=signIn], [data-screen=welcome]') !== null"), (seed, visitor.last())
    left = browser.script(LEFT, list(TYPED))
    assert left["storage"] == 0 and left["dialogs"] == 0 and left["layer"] == 0 and not left["said"] and not left["typed"], (seed, left, visitor.last())
    stand.is_left()
    stand.becomes("inactive", lambda status: status.get("session", "inactive") == "inactive")
    stand.becomes("empty", lambda state: not (state.get("document") or {}).get("count") and state.get("codes") is None, method="subscribe")
    faults = browser.script("return window.faults ?? ['the page was left']")
    assert not faults, (seed, faults, visitor.last())


@check
def a_great_many_taps_break_nothing(browser):
    first, count = int(os.environ.get("SEED", "0")), int(os.environ.get("SEEDS", "4"))
    taps = int(os.environ.get("TAPS", "40"))
    browser.cdp("Page.setInterceptFileChooserDialog", enabled=True)
    browser.cdp("Browser.setDownloadBehavior", behavior="deny")
    idle = ["--idle-after", "4", "--on-screen-keyboard"]
    for seed in range(first, first + count):
        kind = seed % 4
        if kind == 0:
            stand = Stand(FRAMES, scene=SCENE, gallery=PICTURES, options=idle, beat=0.2)
        elif kind == 1:
            stand = Stand([picture("onboarding-on-a-card.jpg")], gallery=PICTURES, options=idle[:2])
        elif kind == 2:
            stand = Stand([picture("onboarding-on-a-card.jpg")], extra=configuration(), options=idle)
        else:
            stand = Stand(sheets(browser, [(None, 3, 20), (FLAT, 7, 45), (None, 3, 20), (OTHER, 99, 45)]), extra=storage()[0], rate=15, options=idle)
        with stand:
            provider = Provider(stand.socket).start() if kind == 2 else None
            try:
                roam(browser, stand, seed, taps)
            finally:
                if provider:
                    provider.close()
            browser.usual()
            # A page may be deleted, or rest may come, while its picture is on the way.
            settle(browser, also=("/api/document/",))
        print(f"  seed {seed}: {taps} taps, strokes and keys", flush=True)
    browser.cdp("Page.setInterceptFileChooserDialog", enabled=False)
