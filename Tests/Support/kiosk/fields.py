"""The fields of the page, the keyboard on the screen, and the form that reaches the programs on the socket."""
import json
import socket

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from checks import check, opened, picture, settle, shown
from stand import Stand

FIELD = "[...document.querySelectorAll('wm-text-field')].find((one) => one.getAttribute('label') === arguments[0])"


class Program:
    """Another program on the socket, which listens."""

    def __init__(self, stand):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(20)
        self.link.connect(stand.socket)
        self.stream = self.link.makefile("rw", encoding="utf8")
        self.stream.readline()

    def ask(self, method, **parameters):
        self.stream.write(json.dumps({"id": 1, "method": method, "params": parameters}) + "\n")
        self.stream.flush()
        while "event" in (line := json.loads(self.stream.readline())):
            pass
        return line["result"]

    def event(self, name):
        while (line := json.loads(self.stream.readline())).get("event") != name:
            pass
        return line

    def close(self):
        self.stream.close()
        self.link.close()


def kit(browser, stand, query=""):
    browser.open(stand.url)
    browser.find("[data-open]")
    browser.open(f"http://{stand.address}/assets/kit.html{query}")
    browser.find("wm-text-field")


def type_into(browser, label, *keys):
    browser.script(f"{FIELD}.focus()", label)
    ActionChains(browser.driver).send_keys(*keys).perform()


def value(browser, label):
    return browser.script(f"return {FIELD}.value", label)


def seen(browser, label, part):
    return browser.script(f"const node = {FIELD}.shadowRoot.querySelector(arguments[1]); return node.hidden ? '' : node.value ?? node.textContent", label, part)


@check
def fields_do_what_they_promise(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        kit(browser, stand)
        # All of it at once.
        browser.resize(1280, browser.script("return document.querySelector('main').scrollHeight"))
        shown(browser, "kit-whole", everywhere=False)
        browser.usual()
        # Typing stops at the limit and says so; what stood there stays.
        type_into(browser, "Block at the limit", Keys.END, "6789012345")
        assert value(browser, "Block at the limit") == "1234567890"
        assert seen(browser, "Block at the limit", ".message") == "Character limit reached."
        type_into(browser, "Block at the limit", Keys.BACKSPACE)
        assert seen(browser, "Block at the limit", ".message") == ""
        # Beyond the limit counting continues, in words and red.
        assert seen(browser, "Count on beyond the limit", ".count") == "18 of 10 characters"
        assert "8 too many" in seen(browser, "Count on beyond the limit", ".message")
        # What is pasted or scanned is whole, and all of it is shown.
        whole = "(01)04012345678901(10)A-117"
        assert value(browser, "Scanned, and too long") == whole
        assert whole in seen(browser, "Scanned, and too long", ".whole")
        assert browser.script(f"return {FIELD}.validity.valid", "Scanned, and too long") is False
        # Control characters of a code are seen and not lost.
        browser.script(f"{FIELD}.fill('A\\u001dB\\r\\nC')", "Reference")
        assert value(browser, "Reference") == "A\x1dB\r\nC"
        assert seen(browser, "Reference", "input") == "A\u241dB\u240d\u240aC"
        # Groups are how it looks, not what it is; the caret stays where it was.
        assert seen(browser, "Card number", "input") == "4111 1111 1111 1111"
        browser.script(f"const f = {FIELD}; f.value = ''; f.focus()", "Card number")
        ActionChains(browser.driver).send_keys("123456789", *[Keys.LEFT] * 6, Keys.BACKSPACE, "0").perform()
        assert seen(browser, "Card number", "input") == "1230 5678 9" and value(browser, "Card number") == "123056789", seen(browser, "Card number", "input")
        # Money: a plain amount, shown as the language writes it, and no guesses.
        assert seen(browser, "Price", "input") == "€1,234.50"
        for typed, kept in (("2,000.5", "2000.50"), ("0.05", "0.05"), ("€ 7", "7.00"), ("-3.10", "-3.10")):
            browser.script(f"const f = {FIELD}; f.value = ''; f.focus()", "Price")
            ActionChains(browser.driver).send_keys(typed, Keys.TAB).perform()
            assert value(browser, "Price") == kept, (typed, value(browser, "Price"))
        for wrong in ("1.234,50", "1,5", "3.145", "ten", "1.2.3"):
            browser.script(f"const f = {FIELD}; f.value = ''; f.focus()", "Price")
            ActionChains(browser.driver).send_keys(wrong, Keys.TAB).perform()
            assert "such as 1,234.50" in seen(browser, "Price", ".message") and browser.script(f"return {FIELD}.input.value", "Price") == wrong, wrong
        # A message takes the helper's place and gives it back.
        browser.script(f"{FIELD}.setAttribute('error', 'Unknown.')", "Supplier")
        assert seen(browser, "Supplier", ".message") == "Unknown." and browser.script(f"return {FIELD}.input.getAttribute('aria-invalid')", "Supplier") == "true"
        browser.script(f"{FIELD}.removeAttribute('error')", "Supplier")
        assert seen(browser, "Supplier", ".message") == "As on the delivery note."
        assert seen(browser, "Plant", ".message") == "Read-only" and browser.script(f"return {FIELD}.input.readOnly", "Plant")
        assert browser.script(f"return {FIELD}.input.disabled", "Storage bin")
        assert browser.script(f"return {FIELD}.input.type", "Passcode") == "password"
        # Either required fields have an asterisk, or optional ones "(optional)".
        legends = browser.script("return [...document.querySelectorAll('wm-fields')].map((one) => !one.shadowRoot.querySelector('.legend').hidden)")
        assert legends == [True, False, True, False], legends
        assert "(optional)" in browser.script("return [...document.querySelectorAll('wm-fields')][1].fields[2].shadowRoot.querySelector('label').textContent")
        # The banner counts down as things are put right.
        browser.script("const all = document.querySelector('[data-sample=wrong]'); all.fields[0].fill('x')")
        browser.until("document.querySelector('[data-sample=wrong]').shadowRoot.querySelector('.banner').hidden")
        settle(browser)


@check
def a_number_of_thirteen_digits_is_seen_whole_on_a_phone(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=material]")
        for width, height in ((360, 640), (1280, 720)):
            browser.resize(width, height)
            browser.script("document.querySelector('wm-text-field[name=material]').fill('4006381333931')")
            browser.until("(() => { const i = document.querySelector('wm-text-field[name=material]').input; return i.value.length === 13 && i.scrollWidth <= i.clientWidth; })()",
                          what=f"the whole number at {width}×{height}")
        settle(browser)


@check
def the_keyboard_on_the_screen_never_covers_the_field(browser):
    places = """const k = document.querySelector('wm-keyboard').getBoundingClientRect(), r = [...document.querySelectorAll('wm-text-field')].find((one) => one.getAttribute('label') === arguments[0]).input.getBoundingClientRect();
      return [r.top, r.bottom, k.top, k.bottom, innerHeight]"""
    press = """const key = [...document.querySelector('wm-keyboard').shadowRoot.querySelectorAll('button')].find((one) => (one.dataset.text ?? '') === arguments[0] || one.dataset.action === arguments[0]);
      key.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true, composed: true })); key.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, composed: true }));"""
    with Stand([picture("no-code.jpg")], options=["--on-screen-keyboard"]) as stand:
        for width, height in ((360, 640), (800, 337), (1280, 720), (1080, 1920)):
            browser.resize(width, height)
            kit(browser, stand, "?keyboard")
            for label in ("Material number", "Web address", "Card number", "Price", "Description", "Note", "Order"):
                browser.script(f"{FIELD}.focus()", label)
                browser.until("document.querySelector('wm-keyboard')?.matches(':popover-open') && document.querySelector('wm-keyboard').getAnimations().length === 0")
                top, bottom, keys, end, whole = browser.script(places, label)
                assert top >= 0 and bottom <= keys and end <= whole + 1, (width, height, label, top, bottom, keys)
            least = browser.script("return Math.min(...[...document.querySelector('wm-keyboard').shadowRoot.querySelectorAll('button')].map((one) => one.getBoundingClientRect().height).filter(Boolean))")
            assert least >= (47.5 if height > 400 else 38), (width, height, least)
        browser.usual()
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=note]")
        browser.script("document.querySelector('wm-text-field[name=note]').focus()")
        browser.find("wm-keyboard")
        shown(browser, "field-keyboard")
        # What stays in sight of the form otherwise does not lie over what is written.
        for width, height in ((360, 640), (1280, 720), (1080, 1920)):
            browser.resize(width, height)
            for name in ("batch", "quantity", "note"):
                browser.script("document.querySelector(`.form [name=${arguments[0]}]`).focus()", name)
                browser.until(f"""(() => {{ const r = document.querySelector('.form [name={name}]').input.getBoundingClientRect();
                  return [r.top + 4, r.bottom - 4].every((y) => document.elementFromPoint(r.left + r.width / 2, y)?.closest('wm-text-field, wm-stepper')?.name === '{name}'); }})()""", what=f"{name} in full view at {width}×{height}")
        browser.usual()
        browser.script("document.querySelector('wm-text-field[name=note]').focus()")
        # A sentence begins with a capital letter; then they are small.
        for key in ("H", "i", " ", "erase", "signs", "1", "letters"):
            browser.script(press, key)
        assert browser.script("return document.querySelector('wm-text-field[name=note]').value") == "Hi1"
        # It writes in German, too.
        browser.script("document.documentElement.lang = 'de'; const f = document.querySelector('wm-text-field[name=batch]'); f.focus(); f.blur(); f.focus()")
        browser.until("document.querySelector('wm-keyboard')?.matches(':popover-open')")
        for key in ("ü", "ß", "z"):
            browser.script("""const keys = [...document.querySelector('wm-keyboard').shadowRoot.querySelectorAll('button')]; const key = keys.find((one) => one.dataset.text?.toLowerCase() === arguments[0]);
              key.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true, composed: true }));""", key)
        assert browser.script("return document.querySelector('wm-text-field[name=batch]').value").lower() == "üßz"
        # Block mode holds for it as well.
        for _ in range(12):
            browser.script("""const keys = [...document.querySelector('wm-keyboard').shadowRoot.querySelectorAll('button')]; keys.find((one) => one.dataset.text?.toLowerCase() === 'a').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true, composed: true }));""")
        assert browser.script("return document.querySelector('wm-text-field[name=batch]').value.length") == 10
        browser.script(press, "hide")
        browser.until("!document.querySelector('wm-keyboard').matches(':popover-open') && !document.documentElement.style.getPropertyValue('--keyboard')")
        browser.script("document.documentElement.lang = 'en'")
        settle(browser)


@check
def a_form_reaches_the_programs(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        listener = Program(stand)
        listener.ask("subscribe", events=["form.*"])
        opened(browser, stand, "field")
        browser.script("document.querySelector('wm-text-field[name=material]').focus()")
        ActionChains(browser.driver).send_keys("4012345", Keys.TAB).perform()
        # A number is counted up and down, or written; what is out of bounds stays with the field.
        browser.script("const f = document.querySelector('wm-stepper'); f.shadowRoot.querySelector('.more').click(); f.shadowRoot.querySelector('.more').click(); f.shadowRoot.querySelector('.less').click()")
        browser.script("document.querySelector('wm-text-field[name=note]').fill('a\\nb')")
        browser.click("form .primary")
        event = listener.event("form.submitted")
        assert event["form"] == "goods-received"
        assert {one["name"]: one["value"] for one in event["fields"]} == {"material": "4012345", "batch": "", "quantity": "1", "note": "a\nb", "signer": "", "signature": ""}, event
        # Saved values leave the screen, and wait for programs that connect later.
        browser.until("document.querySelector('wm-text-field[name=material]').value === ''")
        late = Program(stand)
        waiting = late.ask("form.pending")["forms"]
        assert [one["id"] for one in waiting] == [event["id"]] and waiting[0]["fields"] == event["fields"]
        assert late.ask("form.acknowledge", id=event["id"]) == {"pending": 0}
        assert late.ask("form.pending")["forms"] == []
        # Without the service nothing is said to be saved, and nothing is lost.
        browser.until("document.querySelector('form .primary').dataset.state === undefined", what="the form's button at rest")
        browser.script("document.querySelector('wm-text-field[name=material]').fill('77')")
        listener.close()
        late.close()
        stand.stop_service()
        browser.find(".banner[data-kind=error]")
        browser.click("form .primary")
        browser.until("document.querySelector('wm-fields').shadowRoot.querySelector('.banner').dataset.kind === 'error'")
        assert browser.script("return document.querySelector('wm-text-field[name=material]').value") == "77"
        # It is saved by itself once the service is back, and the message goes.
        stand.start_service()
        browser.find('[data-state="form-saved"]', within=40)
        browser.until("!(document.querySelector('wm-fields')?.shadowRoot.querySelector('.banner')?.checkVisibility() ?? false)", what="the message that goes")
        late = Program(stand)
        assert [one["value"] for form in late.ask("form.pending")["forms"] for one in form["fields"] if one["name"] == "material"] == ["77"]
        late.close()
        browser.collect()
        browser.console.clear()
        settle(browser)
