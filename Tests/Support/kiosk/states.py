"""The ways to every state of the page that matrix.py looks at, in groups that share a service."""
import contextlib
import inspect
import os
import re
import tempfile

from checks import PICTURES, SCENE, picture
from accounts import PASSCODE, configuration, consent, fill, passcode, screen, submit
from documents import FLAT, loaded, sheets, storage
from handover import ways
from mended import STILL
from provider import Provider
from stand import ROOT, Stand

# The texts of the sample scene in both languages, and no form in place of the page's own.
TEXTS = os.path.join(tempfile.mkdtemp(prefix="waymark-texts-"), "page.yaml")
with open(os.path.join(ROOT, "Samples/page/page.yaml"), encoding="utf8") as sample, open(TEXTS, "w", encoding="utf8") as kept:
    kept.write("texts:\n" + sample.read().split("\ntexts:\n")[1].split("\nforms:\n")[0])
PLATES = os.path.join(ROOT, "Tests/Fixtures/Text")


def begun(browser, stand):
    browser.media(prefers_reduced_motion="reduce")
    browser.open(stand.url)
    browser.until("document.documentElement.dataset.online === 'true'")
    browser.script("probe.shift = 0")


def left(browser):
    """Back to the start view."""
    for _ in range(6):
        if not browser.script("return document.querySelector('dialog[open]')"):
            break
        browser.script("""const top = [...document.querySelectorAll('dialog[open]')].at(-1);
          (top.matches('.ask') ? top.querySelector('.actions .button:not(.primary)') ?? top.querySelector('.button') : top.querySelector('.leave') ?? top.querySelector('.bar .button')).click()""")
        browser.driver.execute_async_script("setTimeout(arguments[0], 120)")
    browser.find("[data-open]")


def plain(browser, lang):
    """What needs no code before the camera."""
    with Stand([picture("no-code.jpg")], gallery=PICTURES, scene=SCENE, options=["--page", TEXTS, "--idle-after", "0"]) as stand:
        begun(browser, stand)
        yield "start"
        browser.click(".brand")
        browser.find(".about dl")
        yield "about the device"
        browser.click(".about .primary")
        browser.click("[data-open=onboard]")
        browser.find("[data-gallery]")
        browser.until("document.querySelector('.stage canvas').dataset.frame")
        yield "scan waiting"
        browser.click("[data-gallery]")
        browser.find("dialog.ask .primary")
        yield "pictures asked for"
        browser.click("dialog.ask .primary")
        browser.find(".gallery .thumb")
        yield "gallery"
        left(browser)
        browser.click("[data-open=onboard]")
        browser.find(".roll .strip")
        browser.click('.roll .strip button[aria-label*="no-code"]')
        browser.find('.verdict[data-outcome="unsuccessful"]')
        yield "picture without a code"
        left(browser)
        browser.click("[data-open=onboard]")
        browser.click('.roll .strip button[aria-label*="two-codes"]')
        browser.find(".several [data-choice]")
        yield "picture with two codes"
        left(browser)
        browser.click("[data-open=ar]")
        browser.find(".coaching .primary", within=60)
        browser.until("document.querySelector('.coaching img').naturalWidth > 0")
        yield "ar coaching"
        browser.click(".coaching .primary")
        browser.find('.stage[data-phase="scanning"]')
        yield "ar scanning"
        left(browser)
        browser.click("[data-open=count]")
        browser.find(".counted")
        yield "count empty"
        left(browser)
        browser.script("tell({ event: 'camera.status', status: 'lost' })")
        browser.click("[data-open=onboard]")
        browser.find(".camera-gone")
        yield "camera lost"
        browser.script("tell({ event: 'camera.status', status: 'stalled' })")
        yield "camera stalled"


def form(browser, lang):
    with Stand([picture("product.png")], options=["--idle-after", "0"]) as stand:
        begun(browser, stand)
        browser.click("[data-open=field]")
        browser.find("wm-text-field")
        yield "form"
        browser.script("document.querySelector('form').requestSubmit()")
        browser.driver.execute_async_script("setTimeout(arguments[0], 200)")
        yield "form with errors"
        browser.script("const f = document.querySelector('wm-text-field[name=note]'); f.fill('4711 0815 4711 0815 4711 0815 4711 0815')")
        yield "form filled"
        if browser.script("document.querySelector('wm-text-field').value = '4711'; return document.querySelectorAll('.bar .leave').length"):
            browser.click(".bar .leave")
            if browser.script("return document.querySelectorAll('dialog.ask').length"):
                yield "form left"
        browser.open("about:blank")
        browser.open(f"http://{stand.address}/")
        browser.click("[data-open=field]")
        browser.find("wm-signature")
        browser.script("for (const [name, text] of [['material', '4012345'], ['note', 'Two boxes'], ['signer', 'Ada Meyer']]) document.querySelector(`.form [name=${name}]`).fill(text)")
        browser.script("document.querySelector('wm-signature').shadowRoot.querySelector('button:not([hidden])').scrollIntoView(); [...document.querySelector('wm-signature').shadowRoot.querySelectorAll('button')].find((b) => b.checkVisibility()).click()")
        browser.find("dialog.sign")
        yield "signature"


def codes(browser, lang):
    for name, wanted in (("onboarding-on-a-card.jpg", "successful"), ("plain-http.png", "invalid")):
        with Stand([picture(name)], options=["--idle-after", "0"]) as stand:
            begun(browser, stand)
            browser.click("[data-open=onboard]")
            browser.find(f'.verdict[data-outcome="{wanted}"], .verdict .choices')
            yield f"verdict {name.split('.')[0]}"
            if wanted == "successful":
                browser.click(".verdict .primary")
                browser.find('[data-state="handed-over"]')
                yield "handed over"
    with Stand([os.path.join(PLATES, "batch.jpg")], options=["--idle-after", "0"]) as stand:
        begun(browser, stand)
        browser.click("[data-open=field]")
        browser.find("wm-text-field")
        browser.script("document.querySelector('wm-text-field[name=\"batch\"]').shadowRoot.querySelectorAll('button.scan')[1].click()")
        browser.find(".reader .choice", within=40)
        yield "text choice"
    with Stand([picture("sixty-codes.png")], options=["--idle-after", "0"]) as stand:
        begun(browser, stand)
        browser.click("[data-open=count]")
        browser.until("Number(document.querySelector('.total').textContent) > 10", within=40)
        yield "count"
        browser.click("dialog .leave")
        browser.find("dialog.ask")
        yield "count left"


def explored(browser, lang):
    with Stand([STILL], scene=SCENE, options=["--page", TEXTS, "--idle-after", "0"]) as stand:
        begun(browser, stand)
        browser.click("[data-open=ar]")
        browser.click(".coaching .primary", within=60)
        browser.find('.stage[data-phase="annotating"]', within=60)
        yield "ar notes"
        browser.script("document.querySelector('dialog').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        browser.click(".rail .card[aria-current]")
        browser.find(".detail h3")
        yield "ar detail"


def papers(browser, lang):
    extra, _ = storage()
    with Stand(sheets(browser, [(FLAT, 7, 2)]), extra=extra, rate=15, options=["--idle-after", "0"]) as stand:
        begun(browser, stand)
        browser.click("[data-open=document]")
        browser.until("!document.querySelector('.shutter').disabled")
        yield "documents empty"
        browser.script("document.querySelector('[data-mode][aria-checked=true]')?.click()")
        browser.until("document.querySelector('[data-mode]').getAttribute('aria-checked') === 'false'")
        browser.click(".shutter")
        browser.find("dialog.ask .primary")
        loaded(browser)
        yield "document kept or not"
        browser.script("document.querySelector('dialog.ask .actions .button:nth-child(2)').click()")
        browser.find(".adjust .handle")
        yield "corners"
        browser.click(".adjust .leave")
        browser.gone(".adjust")
        # Pages may have captured themselves before.
        had = int(browser.script("return document.querySelector('.shots .count').textContent"))
        for count in (had + 1, had + 2):
            browser.until("!document.querySelector('.shutter').disabled")
            browser.click(".shutter")
            browser.click("dialog.ask .primary")
            browser.until(f"document.querySelector('.shots .count').textContent === '{count}'")
        yield "documents with pages"
        browser.click("[data-pages]")
        browser.until(f"document.querySelectorAll('.pages .strip [data-page]').length === {had + 2}")
        loaded(browser)
        yield "pages"
        browser.click(".pages .bar .leave")
        browser.click("dialog .leave")
        browser.find("dialog.ask")
        yield "documents left"
        browser.click("dialog.ask .primary")
        browser.click("[data-save]")
        browser.find('[data-state="document-saved"]', within=40)
        yield "document saved"


def home(browser, lang):
    """Results with every way home at once."""
    extra, _ = storage()
    options = ["--page", os.path.join(ways(), "page.yaml"), "--pickup", "http://pickup.example", "--idle-after", "0"]
    with Stand(sheets(browser, [(FLAT, 7, 30)]), extra=extra, rate=15, options=options) as stand:
        begun(browser, stand)
        browser.click("[data-open=field]")
        browser.find("wm-text-field[name=material]")
        browser.script("document.querySelector('.form [name=material]').fill('4012345')")
        browser.click("form .primary")
        browser.find('[data-state="form-saved"] [data-pickup] svg')
        yield "form taken home"
        browser.click("[data-way=mail]")
        browser.find(".handover-question")
        yield "address for a way home"
        browser.click(".handover-question .button:not(.primary)")
        browser.click('[data-state="form-saved"] [data-done]')
        browser.click("[data-open=document]")
        browser.until("!document.querySelector('.shutter').disabled")
        browser.script("document.querySelector('[data-mode][aria-checked=true]')?.click()")
        browser.until("document.querySelector('[data-mode]').getAttribute('aria-checked') === 'false'")
        browser.click(".shutter")
        browser.click("dialog.ask .primary")
        browser.click("[data-save]")
        browser.find('[data-state="document-saved"] [data-pickup] svg', within=40)
        browser.click("[data-way=stick]")
        browser.until("document.querySelector('[data-handed=stick]').textContent && document.querySelector('[data-way=stick]').dataset.state === 'success'")
        yield "document taken home"


def accounts(browser, lang):
    with Stand([picture("no-code.jpg")], extra=configuration(), options=["--idle-after", "0"]) as stand:
        provider = Provider(stand.socket).start()
        begun(browser, stand)
        screen(browser, "welcome")
        yield "account welcome"
        browser.click("#account-terms")
        submit(browser)
        screen(browser, "activation")
        yield "account activation"
        browser.click("[data-way=preset]")
        screen(browser, "activation-preset")
        browser.click(".account .primary")
        screen(browser, "credentials")
        yield "account credentials"
        fill(browser, "user", "ada")
        fill(browser, "password", "ada1")
        submit(browser)
        screen(browser, "consents")
        yield "account consent"
        consent(browser)
        screen(browser, "passcode")
        yield "account passcode"
        passcode(browser)
        screen(browser, "ready")
        yield "account ready"
        submit(browser)
        browser.find("[data-do=signOut]")
        yield "start signed in"
        browser.click(".brand")
        browser.find(".about summary")
        yield "about with consents"
        browser.click(".about .primary")
        browser.click("[data-profile]")
        browser.click("[data-state=profile] [data-consent=usage] summary")
        yield "profile signed in"
        browser.script("document.querySelector('[data-consents=privacy]').click()")
        browser.find("dialog[role=alertdialog]")
        yield "consent withdrawn"
        browser.click("dialog[role=alertdialog] .primary")
        browser.click("[data-state=profile] .primary")
        browser.click("[data-do=signOut]")
        screen(browser, "signIn")
        yield "account sign in"
        fill(browser, "passcode", "wrong777")
        submit(browser)
        browser.find('.account .banner[data-kind="error"]')
        yield "account wrong passcode"
        browser.click("[data-do=switch]")
        screen(browser, "users")
        browser.find("[data-user]")
        yield "account users"
        browser.click(".account .bar .leave")
        screen(browser, "signIn")
        for fault, state in (("offline", "connectionError"), ("conflict:ben", "userError")):
            provider.faults["sync"] = fault
            if fault == "offline":
                fill(browser, "passcode", PASSCODE)
                submit(browser)
            else:
                browser.click("[data-do=retry]")
            browser.find(f'[data-sync="{state}"]')
            yield f"account {state}"
        provider.close()


def alone(view):
    def one(browser, lang):
        extra, _ = storage()
        with Stand([picture("no-code.jpg")], extra=extra, options=["--show", view, "--idle-after", "0"]) as stand:
            begun(browser, stand)
            yield f"only {view}"
    return one


def at_reach(browser, lang):
    with Stand([picture("onboarding-on-a-card.jpg")], gallery=PICTURES, options=["--reach", "0.6,1.8", "--idle-after", "0"]) as stand:
        begun(browser, stand)
        yield "reach start"
        browser.click("[data-open=onboard]")
        browser.find('.verdict[data-outcome="successful"]')
        yield "reach verdict"
        left(browser)
        browser.click("[data-open=field]")
        browser.find("wm-text-field")
        yield "reach form"


def gone(browser, lang):
    """The service goes while the page is there; and the screen at rest."""
    with Stand([picture("no-code.jpg")], options=["--idle-after", "0"]) as stand:
        begun(browser, stand)
        stand.stop_service()
        browser.find(".banner[data-kind=error], [data-state=service-gone]")
        yield "service gone"
    with Stand([picture("no-code.jpg")], options=["--idle-after", "4"]) as stand:
        begun(browser, stand)
        browser.find('[data-state="attract"]', within=20)
        yield "at rest"


# The names of all states by their group, as they stand in its code.
GROUPS = [plain, form, codes, explored, papers, home, accounts, alone("document"), alone("onboard"), alone("onboard,field"), alone("ar,document,count"), at_reach, gone]
NAMES = {group: re.findall(r'yield f?"([^"{]+)', inspect.getsource(group)) for group in GROUPS}
SAMPLE = ["start", "scan waiting", "document taken home", "picture with two codes", "form with errors", "verdict onboarding-on-a-card", "documents with pages", "pages", "start signed in", "account wrong passcode", "only document", "reach start", "service gone"]


def reached(group, browser, lang, wanted, sample):
    """Each state of a group that is wanted, once it is shown, with whether hands reach the lower half alone."""
    if (sample or wanted) and not any(one in name or one.startswith(name) for one in (wanted or SAMPLE) for name in NAMES[group]):
        return
    browser.forget_cookies()
    with contextlib.closing(group(browser, lang)) as states:
        for state in states:
            if not wanted and not sample or any(one in state for one in wanted or SAMPLE):
                yield state, state.startswith("reach")
    browser.open("about:blank")
