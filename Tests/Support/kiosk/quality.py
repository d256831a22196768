"""Figures that must hold: contrast, size, calm, targets."""
import os
import re

from checks import FRAMES, PICTURES, SCENE, at_rest, check, fits, picture, settle
from documents import storage
from stand import ROOT, Stand

RESOURCES = os.path.join(ROOT, "Sources/Station/WaymarkKiosk/Resources")
TEXT = [("text", s) for s in ("surface", "surface-raised", "surface-sunken")] + [("text-soft", s) for s in ("surface", "surface-raised", "surface-sunken")] + [
    ("accent-text", "accent"), ("accent-text", "accent-strong"), ("accent", "surface"), ("accent", "surface-raised"), ("accent", "accent-soft"),
    ("text", "accent-soft"), ("good-text", "good"), ("good", "surface-raised"), ("good", "good-soft"), ("warn", "surface-raised"), ("warn", "warn-soft"),
    ("bad", "surface-raised"), ("bad", "bad-soft"), ("stage-text", "stage"), ("stage-soft", "stage"), ("stage-text", "stage-raised"), ("seen-accent", "stage-raised")]
SIGNS = [("line-strong", s) for s in ("surface", "surface-raised", "surface-sunken")] + [("focus", "surface"), ("focus", "surface-raised"), ("stage-line", "stage"),
         ("stage-line", "stage-raised"), ("art-ink", "art-wall"), ("accent", "art-wall")] + [
    (one, "seen-ink") for one in ("seen", "seen-good", "seen-warn", "seen-bad", "seen-accent")]


def luminance(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def schemes():
    with open(os.path.join(RESOURCES, "css/tokens.css"), encoding="utf8") as source:
        light, dark = source.read().split("@media (prefers-color-scheme: dark)")
    colors = dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})\b", light))
    return {"light": colors, "dark": {**colors, **dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})\b", dark))}}


@check
def colours_keep_their_contrast(browser):
    for scheme, colors in schemes().items():
        for pairs, least in ((TEXT, 4.5), (SIGNS, 3.0)):
            for a, b in pairs:
                assert contrast(colors[a], colors[b]) >= least, f"{scheme}: {a} on {b} is {contrast(colors[a], colors[b]):.2f}, below {least}"
    # Colours stand in the tokens and nowhere else.
    for folder, _, names in os.walk(RESOURCES):
        for name in names:
            if name in ("tokens.css", "icon.svg") or not name.endswith((".css", ".js", ".html")):
                continue
            with open(os.path.join(folder, name), encoding="utf8") as source:
                found = re.findall(r"(?<![\w&-])#[0-9a-fA-F]{6}\b|(?<![\w&-])#[0-9a-fA-F]{3}\b(?=[;\s)'])|rgba?\(\d", source.read())
            assert not found, f"{name}: {found}"


@check
def the_page_is_small_and_soon_there(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        painted = browser.until("performance.getEntriesByType('paint').at(-1)?.startTime", what="a first view")
        browser.until("performance.getEntriesByType('resource').some((one) => one.name.endsWith('/views.js') && one.responseEnd)", what="all views")
        # Everything that the page is made of, as the browser took it: a file that was announced first and used then came once.
        files = browser.script("""const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
          return Object.fromEntries(all.filter(({ name }) => !name.includes('/api/')).map((one) => [new URL(one.name).pathname, [one.encodedBodySize, one.decodedBodySize]]));""")
        assert {"/", "/assets/page.css", "/assets/page.js", "/assets/views.js"} <= set(files), files
        travelled, whole = (sum(one[at] for one in files.values()) / 1024 for at in (0, 1))
        first = travelled - files["/assets/views.js"][0] / 1024
        assert travelled <= 150, files
        # A browser has to keep and compile what it unpacked.
        assert whole <= 512, files
        print(f"  {travelled:.0f} KiB travel, {first:.0f} of them before the first view; {whole:.0f} KiB unpacked; first view after {painted:.0f} ms")
        settle(browser)


@check
def a_tree_that_was_not_packaged_serves_its_files_one_by_one(browser):
    with Stand([picture("no-code.jpg")], options=["--assets", RESOURCES]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        browser.until("performance.getEntriesByType('resource').some((one) => one.name.endsWith('/js/views/scanner.js') && one.responseEnd)", what="all views")
        files = browser.script("return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);")
        assert {"/assets/js/main.js", "/assets/js/views.js", "/assets/css/base.css"} <= set(files) and "/assets/page.js" not in files, files
        settle(browser)


@check
def nothing_jumps_and_nothing_blocks(browser):
    long = {}
    with Stand(FRAMES, scene=SCENE, gallery=PICTURES, extra=storage()[0]) as stand:
        browser.resize(1280, 720)
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        at_rest(browser)
        for view, there in (("ar", ".coaching .primary"), ("onboard", ".stage canvas[data-frame]"), ("document", ".shutter:not(:disabled)"), ("count", ".counted"), ("field", "wm-text-field")):
            browser.click(f"[data-open={view}]")
            browser.find(there, within=60)
            if view == "ar":
                browser.click(there)
                browser.find('.stage[data-phase="annotating"]', within=60)
            # The view is there; what it does from now on blocks nothing.
            at_rest(browser)
            browser.script("probe.long.length = 0; probe.drawn.length = 0")
            browser.until("probe.drawn.length > 60 || document.querySelector('.verdict, wm-text-field')", within=30, what="60 frames")
            long[view] = browser.script("return probe.long")
            browser.click(".leave")
            # Pages that captured themselves are thrown away.
            browser.script("document.querySelector('dialog.ask .actions .button:not(.primary)')?.click()")
            browser.find(f"[data-open={view}]")
        shift = browser.script("return probe.shift")
        told = ", ".join(f"{view} {', '.join(map(str, found))} ms" for view, found in long.items() if found)
        print(f"  layout shift {shift:.4f}; tasks over 50 ms while a view is open: {told or 'none'}")
        assert shift < 0.001, (shift, browser.script("return probe.shifted"))
        browser.usual()
        settle(browser)


@check
def every_screen_holds_what_it_must(browser):
    with Stand([picture("onboarding-on-a-card.jpg")], gallery=PICTURES) as stand:
        for width, height in ((360, 640), (800, 480), (1024, 600), (1280, 720), (1920, 1080), (1080, 1920)):
            browser.resize(width, height)
            browser.open(stand.url)
            browser.until("document.documentElement.dataset.online === 'true'")
            letters = browser.script("return parseFloat(getComputedStyle(document.documentElement).fontSize)")
            assert letters >= {360: 15.9, 800: 15.9, 1024: 16.5, 1280: 18, 1920: 22, 1080: 32}[width], (width, letters)
            # Everything that is offered is seen at once, but on a phone.
            assert width == 360 or browser.script("const main = document.querySelector('main'); return main.scrollHeight <= main.clientHeight + 1"), (width, height)
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            at_rest(browser)
            small = browser.script("""return [...document.querySelectorAll('dialog button')].filter((b) => b.checkVisibility({ visibilityProperty: true })).map((b) => [b.textContent, b.getBoundingClientRect()])
              .filter(([, r]) => r.width < 47.5 || r.height < 47.5 || r.left < -1 || r.top < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1).map(([t, r]) => [t, r.left, r.top, r.width, r.height])""")
            assert not small, (width, height, small)
            assert fits(browser), "it scrolls sideways"
            browser.click("dialog .leave")
        browser.usual()
        settle(browser)


@check
def hands_reach_what_they_press(browser):
    with Stand([picture("onboarding-on-a-card.jpg")], gallery=PICTURES, options=["--reach", "0.6,1.8"]) as stand:
        browser.resize(1080, 1920)
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        low = """const top = innerHeight * .5; return [...document.querySelectorAll(arguments[0])].filter((b) => b.checkVisibility({ visibilityProperty: true }) && b.getBoundingClientRect().top < top - 1).map((b) => [b.textContent, b.getBoundingClientRect().top])"""
        at_rest(browser)
        assert not browser.script(low, "main button"), browser.script(low, "main button")
        browser.click("[data-open=onboard]")
        browser.find('.verdict[data-outcome="successful"]')
        at_rest(browser)
        assert not browser.script(low, "dialog button"), browser.script(low, "dialog button")
        browser.usual()
        settle(browser)
