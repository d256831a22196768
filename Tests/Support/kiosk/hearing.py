"""Signing in, changing users, synchronizing, reading text and signing for those who hear the page, and for a screen that is its own keyboard."""
import os
import time

from selenium.webdriver.common.keys import Keys

from access import named, press, reach, said
from accounts import PASSCODE, Provider, configuration, onboard, screen, sign_out, submit
from checks import check, opened, picture, settle
from stand import Stand
from texts import PLATES, VALUE

# Everything that live regions announce to a screen reader, in order.
LISTEN = """
  window.heard = [];
  const tell = (node) => { const text = node.textContent.replace(/\\s+/g, ' ').trim(); if (text && heard.at(-1) !== text) heard.push(text); };
  const live = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest('[role=status], [role=alert], [aria-live]');
  const take = (list) => { for (const { target, addedNodes } of list) for (const one of [live(target), ...[...addedNodes].flatMap((n) => n.nodeType === 1 ? [n.matches('[role=alert]') ? n : n.querySelector('[role=alert]')] : [])])
    if (one && one.getAttribute('aria-live') !== 'off') tell(one); };
  const watch = new MutationObserver(take);
  watch.observe(document.body, { childList: true, characterData: true, subtree: true });
  document.addEventListener('focusin', ({ target }) => { take(watch.takeRecords()); heard.push(`> ${target.getAttribute('label') ?? target.getAttribute('aria-label') ?? target.textContent.replace(/\\s+/g, ' ').trim()}`.slice(0, 80)); });"""


def heard(browser, *words):
    """Waits until all of this was said, in this order, and forgets what was."""
    inside = "let at = -1; return arguments[0].every((one) => { at = heard.findIndex((text, i) => i > at && text.includes(one)); return at >= 0; })"
    end = time.monotonic() + 20
    while not browser.script(inside, list(words)):
        assert time.monotonic() < end, f"not {words}: {browser.script('return heard')}"
        time.sleep(0.05)
    browser.script("heard.length = 0")


@check
def the_keyboard_on_the_screen_signs_in(browser):
    tap = """const keys = [...document.querySelector('wm-keyboard').shadowRoot.querySelectorAll('button')];
      const key = keys.find((one) => (one.dataset.text ?? '').toLowerCase() === arguments[0] || one.dataset.action === arguments[0]);
      key.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true, composed: true })); key.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, composed: true }));"""
    with Stand([picture("no-code.jpg")], extra=configuration(), options=["--on-screen-keyboard"]) as stand:
        provider = Provider(stand.socket).start()
        browser.resize(1280, 720)
        browser.open(stand.url)
        onboard(browser)
        sign_out(browser)
        for width, height in ((1280, 720), (1080, 1920), (360, 640)):
            browser.resize(width, height)
            browser.script("const f = document.querySelector('wm-text-field[name=passcode]'); f.blur(); f.focus()")
            browser.until("document.querySelector('wm-keyboard')?.matches(':popover-open') && document.querySelector('wm-keyboard').getAnimations().length === 0", what="the keyboard")
            browser.until("(() => { const r = document.querySelector('wm-text-field[name=passcode]').input.getBoundingClientRect(); return r.top >= 0 && r.bottom <= document.querySelector('wm-keyboard').getBoundingClientRect().top + 1; })()",
                          what=f"the field above the keyboard at {width}×{height}")
        for letter in PASSCODE:
            browser.script(tap, letter)
        assert browser.script("return document.querySelector('wm-text-field[name=passcode]').value").lower() == PASSCODE
        assert browser.script("return document.querySelector('wm-text-field[name=passcode]').value") == PASSCODE, "a passcode does not begin with a capital letter by itself"
        submit(browser)
        browser.find("[data-do=signOut]")
        browser.usual()
        provider.close()
        settle(browser)


@check
def the_keyboard_and_the_ear_lead_through_a_shift(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        onboard(browser)
        sign_out(browser)
        browser.script(LISTEN)
        browser.until("document.activeElement.matches('wm-text-field[name=passcode]')", what="the focus on the passcode")
        nodes = named(browser, "signing in")
        assert ("heading", "Workshop tablet") in nodes and any(role == "textbox" and name.startswith("Passcode") for role, name in nodes), nodes
        press(browser, "wrong777", Keys.ENTER)
        heard(browser, "Signing in", "passcode")
        # From above to below, and nothing else in between.
        order = []
        for _ in range(12):
            press(browser, Keys.TAB)
            at = browser.script("let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; const r = at.getBoundingClientRect(); return [at.getAttribute('aria-label') ?? at.textContent.trim(), r.top]")
            if at[0] in [one[0] for one in order]:
                break
            order.append(at)
        assert [one for one, _ in order if one in ("Forgot passcode?", "Switch or add user")] == ["Forgot passcode?", "Switch or add user"], order
        reach(browser, "at.matches('[data-do=switch]')", "the other users")
        press(browser, Keys.ENTER)
        heard(browser, "> Search")
        nodes = named(browser, "users")
        assert any(role == "radio" and "Ada Lovelace" in name for role, name in nodes) and ("radiogroup", "All (1)") in nodes, nodes
        reach(browser, "at.matches('.people [data-user]')", "a user")
        press(browser, Keys.SPACE)
        reach(browser, "at.matches('.account .bar .leave')", "back", back=True)
        press(browser, Keys.ENTER)
        heard(browser, "> Passcode")
        provider.faults["sync"] = "offline"
        press(browser, PASSCODE, Keys.ENTER)
        browser.find('[data-sync="connectionError"]')
        heard(browser, "The identity server cannot be reached.", "> Try again")
        named(browser, "connection error")
        provider.faults["sync"] = "conflict:ada"
        press(browser, Keys.ENTER)
        browser.find('[data-sync="userError"]')
        heard(browser, "Changes of this user were not sent yet.")
        assert browser.script("return document.activeElement.matches('h1')"), "the focus is on what is new"
        reach(browser, "at.matches('[data-do=return]')", "the way back")
        press(browser, Keys.ENTER)
        heard(browser, "> Passcode")
        provider.faults.clear()
        press(browser, PASSCODE, Keys.ENTER)
        browser.find("[data-do=signOut]")
        reach(browser, "at.matches('[data-do=signOut]')", "signing out", back=True)
        press(browser, Keys.ENTER)
        screen(browser, "signIn")
        reach(browser, "at.matches('[data-do=forgot]')", "a forgotten passcode")
        press(browser, Keys.ENTER)
        heard(browser, "> User name")
        named(browser, "recovery")
        reach(browser, "at.matches('.account .bar .leave')", "back", back=True)
        press(browser, Keys.ENTER)
        screen(browser, "signIn")
        provider.close()
        settle(browser)


@check
def the_keyboard_and_the_ear_lead_through_text_and_a_signature(browser):
    with Stand([os.path.join(PLATES, "batch.jpg")]) as stand:
        opened(browser, stand, "field")
        reach(browser, "at.getRootNode().host?.getAttribute('name') === 'batch' && at.matches('button.scan') && at.getAttribute('aria-label').includes('ext')", "the icon of the text reader")
        press(browser, Keys.ENTER)
        browser.until("[...document.querySelectorAll('.reader .choice')].some((one) => one.textContent === 'LB7042')", what="both readings")
        nodes = named(browser, "text reader")
        assert any(role == "dialog" for role, _ in nodes) and ("button", "LB7042") in nodes, nodes
        said(browser, "Which text")
        reach(browser, "at.matches('.reader .choice') && at.textContent === 'LB7042'", "one of the readings")
        press(browser, Keys.ENTER)
        browser.until(VALUE.format("batch") + " === 'LB7042'", what="the chosen text in the field")
        browser.gone(".reader")
        browser.until("document.activeElement?.getAttribute('name') === 'batch'", what="the focus in the field")
        reach(browser, "at.getRootNode().host?.matches('wm-signature') && at.textContent === 'Add signature'", "the place to sign")
        press(browser, Keys.ENTER)
        browser.find("dialog.view.sign")
        nodes = named(browser, "signature")
        assert any(role == "dialog" and "Received by" in name for role, name in nodes), nodes
        # Nothing is drawn by keys: nothing can be saved, and it can be left.
        assert browser.script("return [...document.querySelector('dialog.sign wm-signature').shadowRoot.querySelectorAll('button')].filter((one) => ['Save', 'Clear'].includes(one.textContent)).every((one) => one.disabled)")
        press(browser, Keys.ESCAPE)
        browser.gone("dialog.view.sign")
        browser.until("document.activeElement?.matches('wm-signature')", what="the focus back where it was")
        settle(browser)
