"""Every state of the page at every size: what a person would stumble over is found by a machine.

  matrix.py [--sample | --axe] [STATE...]

All states × sizes × English, German and a pseudo language with texts a third longer × light and dark × 200 % text, `--reach` and single functions included. A fault is: text that is cut
off, lies on other text or under something, a word broken inside, a primary action out of view, a target under something, under 48 px or closer
than 8 px to an edge or another one, a focus that is covered or cannot be seen, sideways scrolling, two languages on one screen, too little
contrast, or an order of Tab against that of reading. Then the
way through all states is gone once more in either language, at usual letters and at 200 %, and a layout that shifts by itself is
a fault. `--sample` looks at the smallest and the most usual size alone; `--axe` asks axe-core about every state at these two, with BROWSER=firefox in Firefox.
"""
import json
import os
import re
import sys
import time

# The modules imported below take the first word for a folder of pictures.
ARGUMENTS = sys.argv[1:] if __name__ == "__main__" else []
if __name__ == "__main__":
    del sys.argv[1:]

from states import GROUPS, reached
from browser import Browser
from firefox import Firefox
from checks import at_rest, check, settle
from stand import ROOT

SIZES = [(360, 640), (800, 480), (1024, 600), (1280, 720), (1920, 1080), (1080, 1920)]
LARGE = [(360, 640), (800, 480), (1280, 720), (1080, 1920)]
SHORT = (800, 337)
with open(os.path.join(os.path.dirname(__file__), "inspect.js"), encoding="utf8") as source:
    INSPECT = source.read()
INSPECT = "return (" + INSPECT[INSPECT.index("(options)"):].rstrip() + ")(arguments[0])"
# Words that are in nearly every sentence of one language and in none of the other.
COMMON = {"en": r"\b(the|your|you|with|please|and|is|are|of|to|this|that|from|again)\b", "de": r"\b(der|die|das|und|ist|Sie|Ihr|Ihre|mit|bitte|nicht|wird|werden|eine?n?|zu|von)\b"}


def longer():
    """A script that makes every English text of the page a third longer: of each three letters of a word, the last is doubled."""
    texts = {}
    folder = os.path.join(ROOT, "Sources/Station/WaymarkKiosk/Resources/js")
    for path in [os.path.join(folder, "strings.js")] + [os.path.join(folder, "strings", one) for one in os.listdir(os.path.join(folder, "strings"))]:
        with open(path, encoding="utf8") as file:
            english = re.split(r"(?m)^(?:export )?const de = \{", file.read())[0]
        for key, text in re.findall(r"(?m)^  '([\w.]+)': '((?:[^'\\]|\\.)*)'", english):
            texts[key] = "".join(one if one.startswith("{") else re.sub(r"([^\W\d_]{2})([^\W\d_])", r"\1\2\2", one) for one in re.split(r"(\{\w+\})", text.replace("\\'", "'")))
    return """new MutationObserver((_, self) => {
      const meta = document.querySelector('meta[name=waymark]');
      if (!meta) return;
      self.disconnect();
      const config = JSON.parse(meta.content || '{}');
      config.page = { ...config.page, words: { ...config.page?.words, en: { ...TEXTS, ...config.page?.words?.en } } };
      meta.content = JSON.stringify(config);
    }).observe(document, { childList: true, subtree: true });""".replace("TEXTS", json.dumps(texts))


def tables():
    """Every text of the page by its language, those with places for something as patterns."""
    texts = {"en": set(), "de": set()}
    folder = os.path.join(ROOT, "Sources/Station/WaymarkKiosk/Resources/js")
    for path in [os.path.join(folder, "strings.js")] + [os.path.join(folder, "strings", one) for one in os.listdir(os.path.join(folder, "strings"))]:
        with open(path, encoding="utf8") as file:
            english, german = re.split(r"(?m)^(?:export )?const de = \{", file.read())
        for lang, text in (("en", english), ("de", german)):
            texts[lang] |= {value.replace("\\'", "'") for value in re.findall(r"(?m)^  '[\w.]+': '((?:[^'\\]|\\.)*)'", text)}
    return {lang: {one for one in texts[lang] - texts["de" if lang == "en" else "en"] if "{" not in one and len(one) > 3} for lang in texts}


TABLES = tables()


def foreign(said, lang):
    """Texts that are in the other language."""
    if lang == "long":
        return
    other = "de" if lang == "en" else "en"
    for text in said:
        own, theirs = (len(re.findall(COMMON[one], text)) for one in (lang, other))
        if text in TABLES[other] or theirs >= 2 and theirs > own:
            yield f"language: “{text[:60]}”"


def settled(browser):
    browser.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 40)))")


def look(browser, lang, sample, reach):
    """All that is wrong with the state that is shown now, by what it is: the places where it was seen."""
    found = {}

    def note(faults, place):
        for fault in faults:
            found.setdefault(fault, []).append(place)

    sizes = [(360, 640), (1280, 720)] if sample else SIZES + [SHORT]
    if reach:
        sizes = [(1080, 1920), (1280, 720)][:1 if sample else 2]
    for scheme in ("light", "dark")[:1 if sample else 2]:
        browser.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
        for width, height in sizes if scheme == "light" else [(1280, 720)]:
            browser.resize(width, height)
            settled(browser)
            options = {"primary": (width, height) != SHORT, "focus": (width, height) == (1280, 720) and scheme == "light", "contrast": (width, height) == sizes[-1] or scheme == "dark"}
            seen = browser.script(INSPECT, options)
            note(seen["faults"], f"{width}×{height} {scheme}")
            note(foreign(seen["said"], lang), f"{width}×{height}")
    browser.media(prefers_color_scheme="light", prefers_reduced_motion="reduce")
    if not reach:
        browser.script("document.documentElement.style.fontSize = '200%'")
        for width, height in LARGE[:1] if sample else LARGE:
            browser.resize(width, height)
            settled(browser)
            note(browser.script(INSPECT, {"primary": False, "large": True})["faults"], f"{width}×{height} at 200 %")
        browser.script("document.documentElement.style.fontSize = ''")
    return found


def ways(browser, lang, wanted, sample, lines):
    """The states one after the other; one that cannot be reached is a line, and ends its group."""
    kept = browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=longer())["identifier"] if lang == "long" else None
    own = "en" if kept else lang
    browser.cdp("Network.setUserAgentOverride", userAgent=browser.script("return navigator.userAgent"), acceptLanguage=own)
    for group in GROUPS:
        try:
            yield from reached(group, browser, own, wanted, sample)
        except Exception as error:
            lines.append(f"{lang} {group.__name__}: a state could not be reached: {error}")
            print(lines[-1], flush=True)
    if kept:
        browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=kept)


def run(browser, wanted=(), sample=False, languages=("en", "de")):
    """Goes through the states; gives how many screens were looked at, and the faults as lines."""
    lines, screens = [], 0
    for lang in languages:
        for state, reach in ways(browser, lang, wanted, sample, lines):
            screens += 1
            found = look(browser, lang, sample, reach)
            for fault, places in found.items():
                lines.append(f"{lang} {state}: {fault} ({len(places)}: {', '.join(places[:3])})")
            print(f"  {lang} {state}: {len(found)} faults", flush=True)
            browser.resize(1280, 720)
    return screens, lines


def accessible(browser, wanted):
    """What axe-core finds in the states, in English, at the smallest and the most usual size."""
    lines, screens = [], 0
    for group in GROUPS:
        try:
            for state, _ in reached(group, browser, "en", wanted, False):
                screens += 1
                for size in ((360, 640), (1280, 720)):
                    browser.resize(*size)
                    at_rest(browser)
                    lines += [f"{state}: axe: {rule}: {nodes} ({size[0]}×{size[1]})" for rule, nodes in browser.accessibility()]
                print(f"  {state}: {len(lines)} faults so far", flush=True)
        except Exception as error:
            lines.append(f"{group.__name__}: a state could not be reached: {error}")
            print(lines[-1], flush=True)
    return screens, lines


# What a touch opens once the service has answered, which may be later than a browser counts it to the touch; and what follows from typing,
# which is a script here.
OPENED = ["ar detail", "form filled"]
# Doubles the font size, as a user can in the browser, from the first element of a page on.
LARGE_LETTERS = "new MutationObserver(() => { if (document.documentElement) document.documentElement.style.fontSize = '200%'; }).observe(document, { childList: true });"


def shifts(browser, wanted=(), languages=("en", "de")):
    """Goes the same way without stopping to look: what moves by itself, as lines. On a loaded machine things come late, and a sample does without."""
    lines, click = [], browser.click

    def pressed(selector, within=20):
        # Movements that a hand has just begun are left out; the click of a script does not count as one.
        for kind in ("keyDown", "keyUp"):
            browser.cdp("Input.dispatchKeyEvent", type=kind, key="Shift", code="ShiftLeft", windowsVirtualKeyCode=16)
        click(selector, within)

    browser.click = pressed
    for letters in ("", LARGE_LETTERS):
        kept = browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=letters)["identifier"]
        for lang in languages:
            name = f"{lang} at 200 %" if letters else lang
            for state, _ in ways(browser, lang, wanted, False, lines):
                shift, what = browser.script("const seen = [probe.shift, probe.shifted.slice(-3)]; probe.shift = 0; probe.shifted.length = 0; return seen")
                if shift > 0.01 and state not in OPENED:
                    lines.append(f"{name} {state}: shift: {shift:.3f} on the way ({', '.join(map(str, what))})")
                print(f"  {name} {state}: shift {shift:.3f}", flush=True)
        browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=kept)
    browser.click = click
    return lines


@check
def a_sample_of_states_holds_at_every_size(browser):
    try:
        screens, lines = run(browser, sample=True)
        assert not lines, "\n".join(lines)
        print(f"  {screens} states")
        browser.usual()
        settle(browser, ("ERR_CONNECTION", "Failed to load"))
    finally:
        browser.cdp("Network.setUserAgentOverride", userAgent=browser.script("return navigator.userAgent"), acceptLanguage="en")


def main():
    sample, axe = "--sample" in ARGUMENTS, "--axe" in ARGUMENTS
    wanted = [one for one in ARGUMENTS if not one.startswith("--")]
    browser = Firefox() if os.environ.get("BROWSER") == "firefox" else Browser((1280, 720))
    begun = time.monotonic()
    try:
        screens, lines = accessible(browser, wanted) if axe else run(browser, wanted, sample, ("en", "de", "long"))
        lines += [] if sample or axe else shifts(browser, wanted)
    finally:
        browser.close()
    for line in lines:
        print(line)
    print(f"{screens} states looked at in {time.monotonic() - begun:.0f} s: {len(lines)} faults")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
