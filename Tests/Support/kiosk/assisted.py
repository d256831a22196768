"""Help and language on every screen, drawings of what to do, and what leads a visitor on."""
import tempfile

from checks import SCENE, check, opened, picture, settle, shown
from guided import answers, tell
from documents import storage
from stand import Stand


def speak(browser, tag):
    """Opens the help of the topmost screen, and chooses a language there."""
    browser.script("[...document.querySelectorAll('[data-help]')].filter((one) => one.checkVisibility() && (!document.querySelector('dialog[open]') || one.closest('dialog[open]'))).at(-1).click()")
    browser.find("[data-state=help]")
    browser.click(f"[data-state=help] [data-language={tag}]")
    browser.until(f"document.documentElement.lang === '{tag}'")
    browser.click("[data-state=help] .primary")
    browser.gone("[data-state=help]")


@check
def the_language_changes_on_every_screen_and_nothing_is_lost(browser):
    extra, _ = storage()
    with Stand([picture("no-code.jpg")], scene=SCENE, gallery=picture(""), extra=extra) as stand:
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=material]")
        browser.script("document.querySelector('.form [name=material]').fill('4012345')")
        speak(browser, "de")
        assert browser.text(".form h1") == "Waren erfassen"
        assert browser.script("const f = document.querySelector('.form [name=material]'); return [f.getAttribute('label'), f.value]") == ["Materialnummer", "4012345"]
        assert browser.text("form .primary") == "Speichern"
        shown(browser, "help-in-form")
        browser.click(".form .leave")
        browser.click("dialog.ask .actions .button:not(.primary)")
        for view, title in (("onboard", "Connect this device"), ("ar", "Explore a machine"), ("document", "Scan documents"), ("count", "Count a shelf")):
            browser.click(f"[data-open={view}]")
            browser.find("dialog.camera")
            speak(browser, "en")
            browser.until(f"document.querySelector('dialog.camera .bar h2').textContent === '{title}'", what=title)
            speak(browser, "de")
            browser.script("document.querySelector('dialog.camera .leave').click()")
            browser.gone("dialog.camera")
        assert browser.text(".start h1") == "Was möchten Sie tun?"
        settle(browser)


@check
def after_a_while_a_drawing_says_what_to_do(browser):
    extra, _ = storage()
    with Stand([picture("no-code.jpg")], extra=extra) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        for view, words in (("onboard", "Hold the code flat"), ("document", "Lay one page flat"), ("count", "Hold a few codes flat")) * 2:
            # At the first use in a visit it explains at once, later only if nothing is recognised.
            isNew = browser.script("return sessionStorage.getItem(`explained-${arguments[0]}`) === null", view)
            browser.script("window.opened = performance.now()")
            browser.click(f"[data-open={view}]")
            browser.find(".stuck svg")
            waited = browser.script("return performance.now() - opened")
            assert (waited < 6000) == isNew, (view, isNew, waited)
            assert browser.text(".stuck").startswith(words), browser.text(".stuck")
            shown(browser, f"stuck-{view}", everywhere=False)
            browser.script("document.querySelector('dialog .leave').click()")
            browser.gone(".stuck")
        settle(browser)


@check
def without_automatic_capture_the_button_is_named(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        answers(browser, document_begin={"session": "d", "filter": "colour", "mode": "automatic", "pages": []}, document_mode={"session": "d", "filter": "colour", "mode": "manual", "pages": []}, document_discard={})
        browser.click("[data-open=document]")
        browser.until("!document.querySelector('.shutter').disabled")
        browser.click("[data-mode]")
        seen = {"session": "d", "phase": "looking", "corners": [[10, 10], [600, 10], [600, 400], [10, 400]], "frame": {"sequence": 1, "captured": 0, "width": 640, "height": 480, "source": "folder"}}
        tell(browser, event="document.outline", **seen)
        browser.until("document.querySelector('.prompt').textContent === 'Press the button to take the picture'", what="what to do")
        settle(browser)


@check
def a_tile_without_anything_behind_it_says_so(browser):
    with tempfile.TemporaryDirectory() as empty, Stand([picture("no-code.jpg")], extra=f"scenes: {{ folders: [{empty}] }}\n") as stand:
        browser.open(stand.url)
        browser.until("document.querySelector('[data-open=ar]')?.disabled", what="a tile that cannot be chosen")
        assert "Nothing to explore yet" in browser.text("[data-open=ar]")
        shown(browser, "start-without-scene")
        settle(browser)


@check
def arrows_lead_to_notes_out_of_view(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.find("[data-open]")
        arrows = browser.script("""return import('/assets/js/components/overlay.js').then(({ drawPointers }) => drawPointers(new OffscreenCanvas(400, 300).getContext('2d'),
          [{ id: 'in', x: 200, y: 150 }, { id: 'left', x: -80, y: 150 }, { id: 'below', x: 200, y: 900 }], { left: 0, top: 0, width: 400, height: 300 }, 1).map(({ id, x, y }) => [id, x, y]))""")
        assert [one[0] for one in arrows] == ["left", "below"] and 0 < arrows[0][1] < 60 and arrows[0][2] == 150 and 240 < arrows[1][2] < 300, arrows
        settle(browser)
