"""Forms: prompts, suffixes, heights, hints, switches and photos, correcting what was saved; and the AR scanner, the scanner and documents as the guidelines have them."""
import os

from checks import SHOTS, WANTED, at_rest, check, opened, picture, settle, shown
from fields import FIELD, kit, seen
from guided import answers, box, sent, tell
from selenium.webdriver.common.keys import Keys
from stand import Stand

PAGE = {"id": "p", "revision": 1, "width": 960, "height": 720, "filter": "colour", "corners": [[100, 80], [800, 80], [800, 640], [100, 640]]}
SIZES = ((360, 640), (800, 480), (1280, 720))


@check
def fields_say_what_they_want(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        kit(browser, stand)
        browser.resize(1280, 900)
        # The message names the mistake as exactly as it can, with what would be right.
        for label, words in (("E-mail address", "an e-mail address has an @"), ("Number of the shelf", "4 to 6 digits are needed")):
            browser.script(f"{FIELD}.reportValidity()", label)
            assert words in seen(browser, label, ".message"), (label, seen(browser, label, ".message"))
        # A title has its asterisk behind the prompt.
        assert browser.script(f"return {FIELD}.input.placeholder", "Subject") == "What happened? *"
        assert browser.script(f"return {FIELD}.shadowRoot.querySelector('.star').hidden", "Subject")
        # A suffix stands right behind what is written, and is not there before.
        suffix = f"const s = {FIELD}.shadowRoot.querySelector('.ghost .affix'); return s.hidden || !s.getClientRects().length ? null : s.getBoundingClientRect().left"
        places = []
        for text in ("", "1", "12345678"):
            browser.script(f"{FIELD}.value = arguments[1]", "Weight", text)
            places.append(browser.script(suffix, "Weight"))
        assert places[0] is None and places[1] + 20 < places[2], places
        # A description before another field keeps its height, and scrolls.
        height = f"const i = {FIELD}.input; return [i.getBoundingClientRect().height, i.scrollHeight > i.clientHeight + 4]"
        before = browser.script(height, "Description")
        browser.script(f"{FIELD}.value = 'line\\n'.repeat(12)", "Description")
        after = browser.script(height, "Description")
        assert before[0] == after[0] and after[1], (before, after)
        shown(browser, "kit-fields", everywhere=False)
        browser.usual()
        settle(browser)


@check
def the_form_has_its_way_out_and_its_save_in_the_bar(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=material]")
        assert browser.script("return [...document.querySelectorAll('wm-text-field[name=material], wm-text-field[name=batch]')].map((one) => one.input.placeholder)") == ["For example 4012345678901", "For example LB7042"]
        single = browser.script("return document.querySelector('wm-text-field[name=quantity], wm-stepper').shadowRoot.querySelector('.box').getBoundingClientRect().height")
        for width, height in SIZES:
            browser.resize(width, height)
            at_rest(browser)
            bar, leave, save = box(browser, ".form .bar"), box(browser, ".form .bar .leave"), box(browser, ".form .bar .primary")
            assert leave[0] - bar[0] < 60 and bar[2] - save[2] < 60 and save[3] <= bar[3] + 1, (width, bar, leave, save)
            # A field of one line is one line high, with any number of buttons.
            tall = browser.script("return [...document.querySelectorAll('wm-text-field[name=material], wm-text-field[name=batch]')].map((one) => one.shadowRoot.querySelector('.box').getBoundingClientRect().height)")
            line = browser.script("return document.querySelector('wm-stepper').shadowRoot.querySelector('.box').getBoundingClientRect().height")
            assert all(abs(one - line) < 2 for one in tall), (width, tall, line, single)
            # The buttons of the scanners say what they read.
            words = browser.script("return [...document.querySelector('wm-text-field[name=material]').shadowRoot.querySelectorAll('button.scan .word')].filter((one) => one.checkVisibility()).map((one) => one.textContent)")
            assert words == (["Scan"] if width == 360 else ["Code", "Text"]), (width, words)
            # The bar stays while the rest scrolls.
            browser.script("const m = document.querySelector('.form > .room'); m.scrollTop = m.scrollHeight")
            assert abs(box(browser, ".form .bar")[1] - bar[1]) < 1, (width, bar, box(browser, ".form .bar"))
            browser.script("document.querySelector('.form > .room').scrollTop = 0")
            # The place to sign is as wide as the field, has its purpose above and says what to do below.
            cell = browser.script("const s = document.querySelector('wm-signature'), w = (q) => s.shadowRoot.querySelector(q); return [s.getBoundingClientRect().width, w('.cell').getBoundingClientRect().width, w('.add').getBoundingClientRect().width, w('.label').textContent, w('.purpose').textContent, w('.message').textContent]")
            assert cell[0] == cell[1] == cell[2] and cell[3].startswith("Received by") and "Receipt of the goods" in cell[4] and "finger or a pen" in cell[5], (width, cell)
        # On a phone one button asks with which scanner.
        browser.resize(360, 640)
        browser.script("document.querySelector('wm-text-field[name=material]').shadowRoot.querySelector('button.both').click()")
        browser.find(".menu")
        assert len(browser.driver.find_elements("css selector", ".menu [role=menuitemradio]")) == 2
        at_rest(browser)
        assert box(browser, ".menu")[3] >= 639
        shown(browser, "form-scan-menu", everywhere=False)
        browser.script("document.querySelector('.menu').hidePopover()")
        browser.usual()
        settle(browser)


@check
def what_was_saved_can_be_put_right(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=material]")
        field = "document.querySelector('.form [name={}]')"
        for name, text in (("material", "4012345"), ("note", "Two boxes")):
            browser.script(f"{field.format(name)}.fill('{text}')")
        browser.script(f"{field.format('quantity')}.fill('3')")
        browser.click("form .primary")
        number = browser.text("[data-state=form-saved] .number strong")
        # That it is saved is said once.
        browser.until("document.querySelector('form .primary').dataset.state === undefined", what="a form that can be saved again")
        said = "const root = document.querySelector('[data-state=form-saved]'); return [document.querySelectorAll('.toast, .banner').length, root.textContent.split('Saved').length - 1, document.querySelector('.form').textContent.includes('Saved')]"
        assert browser.script(said) == [0, 1, False], browser.script(said)
        shown(browser, "form-saved")
        browser.click("[data-another]")
        browser.gone("[data-state=form-saved]")
        assert number in browser.text(".last")
        assert browser.script(f"return {field.format('material')}.value") == ""
        labels = "return [...document.querySelectorAll('.form wm-fields > *')].map((one) => one.getAttribute('label'))"
        made = browser.script(labels)
        shown(browser, "form-saved-last")
        browser.click("[data-correct]")
        browser.until(f"{field.format('material')}.value === '4012345'", what="what was saved")
        # The same form, with what was saved, and a title that says what it is for.
        assert browser.script(labels) == made and browser.text(".form h1") == "Record goods: correct"
        assert browser.script(f"return [{field.format('quantity')}.value, {field.format('note')}.value]") == ["3", "Two boxes"]
        shown(browser, "form-correct")
        browser.script(f"{field.format('quantity')}.fill('4')")
        browser.until("document.querySelector('form .primary').dataset.state === undefined", what="a form that can be saved")
        browser.click("form .primary")
        browser.until("probe.sent.filter((one) => one.method === 'form.submit').length >= 2", what="the correction")
        again = sent(browser, "form.submit")[-1]
        assert again["context"] == {"corrects": number} and again["key"] != number and [one["value"] for one in again["fields"] if one["name"] == "quantity"] == ["4"], again
        # From the result as well; and what is done leads back to the start.
        browser.click("[data-state=form-saved] [data-correct]")
        browser.until("document.querySelector('.form h1').textContent === 'Record goods: correct'", what="the entry once more")
        browser.click("form .primary")
        browser.click("[data-state=form-saved] [data-done]")
        browser.find("[data-open=field]")
        settle(browser)


@check
def switches_days_and_photos_are_fields(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        kit(browser, stand)
        part = lambda label: f"[...document.querySelectorAll('[label]')].find((one) => one.getAttribute('label') === '{label}')"
        switch = part("Chilled on the way")
        assert browser.script(f"return [{switch}.value, {switch}.input.getAttribute('role'), {switch}.input.getAttribute('aria-checked')]") == ["yes", "switch", "true"]
        browser.script(f"{switch}.focus()")
        browser.driver.switch_to.active_element.send_keys(Keys.SPACE)
        assert browser.script(f"return [{switch}.value, {switch}.input.textContent]") == ["no", "No"]
        browser.script(f"{switch}.setAttribute('required', '')")
        assert browser.script(f"return {switch}.reportValidity()") is False and "has to be switched on" in browser.script(f"return {switch}.shadowRoot.querySelector('.message').textContent")
        assert browser.script(f"return [{part('Best before')}.value, {part('Pieces')}.value, {part('State')}.value]") == ["2027-04-30", "12", "Good"]
        # A photo is what the camera shows, small enough for a form, and can be taken again and removed.
        opened(browser, stand, "field")
        browser.find("wm-text-field")
        browser.script("const f = document.createElement('wm-photo'); f.setAttribute('label', 'Photo of the damage'); f.setAttribute('name', 'photo'); document.querySelector('wm-fields').append(f); f.input.click()")
        browser.find("dialog.photo .stage canvas[data-frame]")
        shown(browser, "photo-camera")
        browser.click("dialog.photo .shutter")
        browser.find("dialog.ask img.page")
        browser.until("document.querySelector('dialog.ask img.page').naturalWidth > 200", what="the photo")
        shown(browser, "photo-taken")
        browser.click("dialog.ask .button:not(.primary)")
        browser.gone("dialog.ask")
        browser.click("dialog.photo .shutter")
        browser.click("dialog.ask .primary")
        browser.gone("dialog.photo")
        value = browser.script("return document.querySelector('wm-photo').value")
        assert value.startswith("data:image/jpeg;base64,/9j/") and len(value) < 34000, (value[:40], len(value))
        browser.until("document.querySelector('wm-photo').shadowRoot.querySelector('img').naturalWidth > 200", what="the photo in the form")
        shown(browser, "photo-field", everywhere=False)
        browser.script("document.querySelector('wm-photo').shadowRoot.querySelector('.drop').click()")
        assert browser.script("return document.querySelector('wm-photo').value") == ""
        settle(browser)


@check
def documents_are_set_and_put_right_where_hands_are(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        answers(browser, document_begin={"session": "d", "pages": [], "filter": "colour"}, document_mode={}, document_filter={}, document_retake={}, document_discard={}, document_save={"pages": 1, "paths": ["/x.pdf"]})
        browser.click("[data-open=document]")
        browser.find(".shutter:not(:disabled)")
        # How pages are to look is chosen in a menu before they are captured; by hand or by itself is a switch at the right.
        browser.click("dialog .bar [data-filter]")
        browser.find(".menu")
        assert browser.script("return [...document.querySelectorAll('.menu [role=menuitemradio]')].map((one) => [one.dataset.value, one.getAttribute('aria-checked')])") == [["colour", "true"], ["grayscale", "false"], ["bw", "false"], ["photo", "false"]]
        shown(browser, "document-filter")
        browser.click(".menu [data-value=bw]")
        browser.until("probe.sent.some((one) => one.method === 'document.filter' && one.params.filter === 'bw')", what="another filter")
        mode = "document.querySelector('[data-mode]')"
        assert browser.script(f"return [{mode}.getAttribute('role'), {mode}.getAttribute('aria-checked'), {mode}.textContent, [...{mode}.parentElement.children].filter((one) => !one.matches('.help')).at(-1) === {mode}]") == ["switch", "true", "Auto", True]
        browser.click("[data-mode]")
        assert browser.script(f"return {mode}.getAttribute('aria-checked')") == "false" and sent(browser, "document.mode")[-1] == {"mode": "manual"}
        browser.click("[data-mode]")
        # A page that captured itself can be put right or taken again, as what the shutter took.
        tell(browser, event="document.captured", session="d", page=PAGE, automatic=True, count=1)
        tell(browser, event="document.changed", document={"session": "d", "filter": "bw", "pages": [PAGE]})
        ways = browser.script("""const all = [...document.querySelectorAll('.after [data-after], [data-save]')].filter((one) => one.checkVisibility()).map((one) => one.textContent);
          document.querySelector('[data-after=adjust]').click();
          return all;""")
        assert ways == ["Retake", "Adjust", "Save (1)"], ways
        browser.find(".adjust .handle")
        for width, height in SIZES:
            browser.resize(width, height)
            at_rest(browser)
            done, cancel = box(browser, ".adjust .tools .primary"), box(browser, ".adjust .bar .leave")
            assert done[2] > width - 40 and done[3] > height * .85 and cancel[0] < 40, (width, done, cancel)
        browser.usual()
        assert browser.text(".adjust .tools .primary") == "Use these corners"
        browser.click(".adjust .leave")
        browser.gone(".adjust")
        tell(browser, event="document.captured", session="d", page=PAGE, automatic=True, count=1)
        if WANTED:
            browser.shot(os.path.join(SHOTS, "document-after.webp"))
        browser.script("document.querySelector('[data-after=retake]').click()")
        browser.until("probe.sent.some((one) => one.method === 'document.retake')", what="another capture")
        # Taking a page again lies at the right of the bar; while it is changed it is veiled.
        browser.click("[data-pages]")
        browser.find(".pages [data-tool=retake]")
        for width, height in SIZES:
            browser.resize(width, height)
            at_rest(browser)
            again, help, bar = box(browser, ".pages [data-tool=retake]"), box(browser, ".pages .bar .help"), box(browser, ".pages .bar")
            assert bar[2] - help[2] < 40 and 0 <= help[0] - again[2] < 40 and again[3] <= bar[3] + 1, (width, again, help, bar)
        browser.usual()
        assert browser.text(".pages .bar .leave") == "Camera"
        browser.click(".pages .tools [data-filter=colour]")
        assert not sent(browser, "document.filter")[1:], "what it has already is not asked for"
        browser.click(".pages .tools [data-filter=photo]")
        browser.until("document.querySelector('.big').getAttribute('aria-busy') === 'true' && document.querySelector('.big .waiting').checkVisibility()", what="a veil over the page")
        tell(browser, event="document.changed", document={"session": "d", "filter": "bw", "pages": [{**PAGE, "revision": 2, "filter": "photo"}]})
        browser.until("!document.querySelector('.big').hasAttribute('aria-busy')", what="the page as it is now")
        browser.click(".pages .bar .leave")
        browser.gone(".pages")
        browser.click("[data-save]")
        browser.find("[data-state=document-saved] .tick")
        assert browser.text("[data-state=document-saved] .primary") == "Done" and "Back to the start in" in browser.text("[data-ends]")
        # The outline has one colour in every phase.
        colours = browser.script("""return import('/assets/js/components/overlay.js').then(({ drawPage }) => ['looking', 'holding', 'waiting'].map((phase) => {
          const context = new OffscreenCanvas(300, 300).getContext('2d');
          drawPage(context, [[40, 40], [260, 40], [260, 260], [40, 260]], { phase, progress: .5 });
          return [...context.getImageData(150, 40, 1, 1).data].join();
        }));""")
        assert len(set(colours)) == 1 and colours[0] != "0,0,0,0", colours
        settle(browser, ("404",))
