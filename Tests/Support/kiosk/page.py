"""The integrator's page: the sample in Samples/page, in both languages, and what is said of a file that is wrong."""
import os
import subprocess

from checks import FRAMES, SCENE, annotated, check, opened, picture, settle, shown
from fields import Program
from stand import ROOT, WAYMARK, Stand

PAGE = os.path.join(ROOT, "Samples/page/page.yaml")
ASSETS = os.path.join(ROOT, "Sources/Station/WaymarkKiosk/Resources")


def part(browser, name, script):
    """Runs a script on a field, which is `f` there."""
    return browser.script(f"const f = document.querySelector('.form [name=\"{name}\"]'); {script}")


def choose_day(browser, name, year, month, day):
    part(browser, name, f"""for (const [key, value] of [['year', '{year}'], ['month', '{month}'], ['day', '{day}']]) {{
      const list = f.shadowRoot.querySelector(`[data-part=${{key}}]`); list.value = value; list.dispatchEvent(new Event('change')); }}""")


@check
def the_integrators_page_has_its_brand_its_words_and_its_form(browser):
    with Stand([picture("no-code.jpg")], options=["--page", PAGE, "--show", "onboard,field"]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=field]")
        assert browser.script("return [document.title, document.querySelector('.brand').textContent, document.querySelector('.start h1').textContent]") == ["Meridian Stores", "Meridian Stores", "What would you like to do?"]
        browser.until("document.querySelector('.brand img').naturalWidth > 0", what="the logo")
        for scheme, accent in (("light", "#0b5d4e"), ("dark", "#6fd6bf")):
            browser.media(prefers_color_scheme=scheme)
            assert browser.script("return getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()") == accent
        browser.usual()
        assert "Record a delivery" in browser.script("return document.querySelector('[data-open=field]').textContent")
        shown(browser, "page-start")
        browser.click("[data-language=de]")
        browser.until("document.querySelector('.start h1').textContent === 'Was möchten Sie tun?'")
        browser.until("document.documentElement.dataset.online === 'true'")
        browser.click("[data-open=field]")
        browser.find("wm-date")
        assert browser.script("return [...document.querySelectorAll('.form h1, .form h2')].map((one) => one.textContent)") == ["Lieferung erfassen", "Ware", "Zustand", "Übergabe"]
        assert browser.script("return [...document.querySelector('wm-date').shadowRoot.querySelectorAll('select')].map((one) => one.dataset.part)") == ["day", "month", "year"]
        shown(browser, "page-form-de")
        settle(browser)


@check
def a_form_of_all_kinds_reaches_the_programs(browser):
    with Stand([picture("no-code.jpg")], options=["--page", PAGE]) as stand:
        listener = Program(stand)
        listener.ask("subscribe", events=["form.*"])
        opened(browser, stand, "field")
        browser.find("wm-date")
        # A field that depends on another one is not there, and not asked for.
        assert part(browser, "damage", "return f.hidden && !f.hasAttribute('required') && f.offsetParent === null")
        browser.click("form .primary")
        wrong = "return [...document.querySelector('wm-fields').shadowRoot.querySelectorAll('.banner li')].map((one) => one.textContent)"
        assert browser.script(wrong) == ["Article number", "Does everything look right?", "Received by"], browser.script(wrong)
        shown(browser, "page-form-wrong", everywhere=False)
        part(browser, "article", "f.fill('12')")
        assert part(browser, "article", "return f.validationMessage") == "An article number has 8 to 14 digits."
        part(browser, "article", "f.fill('40123455')")
        part(browser, "batch", "f.fill('LB7042')")
        part(browser, "amount", "f.shadowRoot.querySelector('.more').click()")
        # There is no 31 April, and a day out of bounds is not taken.
        choose_day(browser, "best-before", "2027", "04", "31")
        message = "return f.shadowRoot.querySelector('.message').textContent"
        assert part(browser, "best-before", message) == "There is no such day." and part(browser, "best-before", "return f.value") == ""
        choose_day(browser, "best-before", "2027", "04", "30")
        assert part(browser, "best-before", "return f.value") == "2027-04-30" and part(browser, "best-before", message) == ""
        # By keyboard: the arrows go from choice to choice.
        part(browser, "state", "f.focus(); f.shadowRoot.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })); f.shadowRoot.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        assert part(browser, "state", "return f.value") == "damaged"
        assert part(browser, "damage", "return !f.hidden && f.hasAttribute('required')")
        part(browser, "damage", "f.fill('Two boxes are wet.')")
        part(browser, "bay", "const list = f.shadowRoot.querySelector('select'); list.value = '3'; list.dispatchEvent(new Event('change'))")
        part(browser, "carrier", "f.fill('Nordtrans')")
        part(browser, "chilled", "f.input.click()")
        shown(browser, "page-form", everywhere=False)
        part(browser, "signature", "f.removeAttribute('required')")
        browser.click("form .primary")
        event = listener.event("form.submitted")
        assert event["form"] == "delivery"
        assert {one["name"]: one["value"] for one in event["fields"]} == {
            "article": "40123455", "batch": "LB7042", "amount": "2", "best-before": "2027-04-30", "state": "damaged", "damage": "Two boxes are wet.", "bay": "3",
            "carrier": "Nordtrans", "signature": "", "photo": "", "chilled": "yes"}, event
        browser.until("document.querySelector('.form [name=article]').value === ''")
        assert part(browser, "amount", "return f.value") == "1" and part(browser, "damage", "return f.hidden") and part(browser, "best-before", "return f.value") == ""
        listener.close()
        settle(browser)


@check
def a_note_is_as_high_as_its_lines_after_the_screen_was_turned(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.resize(1280, 720)
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=note]")
        # Where nothing follows it grows with its lines; before another field it keeps its height (fields_say_what_they_want).
        browser.script("for (const one of document.querySelectorAll('.form [name=signer], .form [name=signature]')) one.remove(); const f = document.querySelector('.form [name=note]'); f.fill('Two boxes of the second pallet are wet, and the label of the third cannot be read')")
        height = "document.querySelector('.form [name=note]').input.getBoundingClientRect().height"
        browser.until(f"document.fonts.status === 'loaded' && {height} > 30")
        once = browser.script(f"return {height}")
        browser.resize(360, 640)
        browser.until(f"{height} > {once} + 10", what="more lines")
        browser.resize(1280, 720)
        browser.until(f"{height} < {once} + 4", what="as many as before")
        browser.usual()
        settle(browser)


@check
def a_fixed_screen_asks_for_things_to_be_held_up(browser):
    with Stand([picture("no-code.jpg")], options=["--fixed", "--show", "ar,count"]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=count]")
        words = browser.script("return document.querySelector('.tiles').textContent")
        assert "Hold a poster or plate up to the camera" in words and "Point" not in words and "Move" not in words, words
        settle(browser)


@check
def a_scenes_texts_come_in_the_pages_language(browser):
    with Stand([os.path.join(FRAMES, "000060.jpg")], scene=SCENE, options=["--page", PAGE, "--show", "ar", "--language", "de"]) as stand:
        annotated(browser, stand)
        browser.find(".rail .card")
        titles = browser.script("return [...document.querySelectorAll('.rail .card strong')].map((one) => one.textContent).sort()")
        assert titles == ["Druck am Auslass", "Flansch am Auslass", "Kupplung", "Wellendichtung"], titles
        browser.script("[...document.querySelectorAll('.rail .card')].find((one) => one.textContent.includes('Wellendichtung')).click()")
        browser.until("document.querySelector('.rail .card[aria-current]').textContent.includes('Im März gewechselt')", what="the text of the card")
        shown(browser, "page-scene-de")
        settle(browser)


@check
def a_file_that_is_wrong_keeps_the_page_from_starting(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        path = os.path.join(stand.folder, "page.yaml")
        with open(path, "w", encoding="utf8") as out:
            out.write("brand: { acent: \"#0b5d4e\" }\nforms:\n  - { name: a, title: A, fields: [{ name: b, label: B, kind: list }] }\n")
        told = subprocess.run([WAYMARK, "kiosk", "--assets", ASSETS, "--page", path, "--check-page"], capture_output=True, text=True)
        assert told.returncode == 65 and "brand.accent" in told.stderr and "it has nothing to choose" in told.stderr, told
        right = subprocess.run([WAYMARK, "kiosk", "--assets", ASSETS, "--page", PAGE, "--check-page"], capture_output=True, text=True)
        assert right.returncode == 0 and right.stdout.endswith("nothing is wrong.\n"), right
        # All that it prints is what it takes.
        words = subprocess.run([WAYMARK, "kiosk", "--assets", ASSETS, "--print-words"], capture_output=True, text=True).stdout
        with open(path, "w", encoding="utf8") as out:
            out.write(words.replace("\n  en:\n    language: English\n", "\n  fr:\n    language: Français\n"))
        french = subprocess.run([WAYMARK, "kiosk", "--assets", ASSETS, "--page", path, "--check-page"], capture_output=True, text=True)
        assert french.returncode == 0, french
        browser.open(stand.url)
        browser.find("[data-open]")
        settle(browser)
