"""Onboarding, signing in, changing users, synchronizing: every screen, with the sample provider behind them."""
import os
import sys
import time

from selenium.webdriver.common.keys import Keys

from checks import WANTED, check, picture, settle, shown
from stand import ROOT, Stand

sys.path.insert(0, os.path.join(ROOT, "Samples/provider"))
sys.dont_write_bytecode = True
from provider import Provider

PASSCODE = "walrus7"


def configuration(**changes):
    with open(os.path.join(ROOT, "Samples/provider/accounts.yaml"), encoding="utf8") as file:
        text = file.read() + "  answerWithin: 2\n  syncWithin: 3\n  folder: users\n"
    for old, new in changes.values():
        assert old in text, old
        text = text.replace(old, new)
    return text


def screen(browser, name, within=20):
    return browser.find(f'[data-screen="{name}"]', within)


def fill(browser, name, text):
    """Types into a field, as a person does."""
    field = f'wm-text-field[name="{name}"]'
    browser.find(field)
    browser.script("document.querySelector(arguments[0]).focus()", field)
    browser.type(text)


def submit(browser):
    browser.until("!document.querySelector('.account button[type=submit]').disabled", what="a button that can be pressed")
    browser.click(".account button[type=submit]")


def consent(browser, choice="allow"):
    screen(browser, "consents")
    while True:
        browser.until("document.querySelector('[data-consent]')", what="a consent")
        at = browser.script("const n = document.querySelector('[data-consent]'); return [n.dataset.consent, n.dataset.page]")
        last = browser.script("return Boolean(document.querySelector('[data-choice=allow]'))")
        browser.click(f"[data-choice={choice if at[0] == 'privacy' else 'allow'}]" if last else ".account .bar .primary")
        if at[0] == "privacy":
            return
        browser.until(f"document.querySelector('[data-consent]')?.dataset.consent + document.querySelector('[data-consent]')?.dataset.page !== '{at[0]}{at[1]}'", what="the next screen")


def passcode(browser, text=PASSCODE):
    for name in ("passcode", "passcode-repeat"):
        screen(browser, name)
        fill(browser, "passcode", text)
        submit(browser)


def onboard(browser, user="ada", pictures=False):
    see = (lambda name: shown(browser, name)) if pictures else (lambda name: None)
    screen(browser, "welcome")
    see("account-welcome")
    # Going on without the terms leads to them.
    browser.click(".account button[type=submit]")
    browser.find('.account .banner[data-kind="warning"]')
    assert browser.script("return document.activeElement.id") == "account-terms", "the terms come first"
    browser.click("#account-terms")
    submit(browser)
    screen(browser, "activation")
    see("account-activation")
    browser.click("[data-way=preset]")
    screen(browser, "activation-preset")
    browser.click(".account .primary")
    screen(browser, "credentials")
    fill(browser, "user", user)
    assert browser.script("return document.querySelector('.account button[type=submit]').disabled"), "both are needed"
    fill(browser, "password", user + "1")
    see("account-credentials")
    submit(browser)
    screen(browser, "consents")
    see("account-consent-first")
    consent(browser)
    screen(browser, "passcode")
    see("account-passcode")
    passcode(browser)
    screen(browser, "ready")
    see("account-ready")
    submit(browser)
    browser.find("[data-open]")
    browser.find("[data-do=signOut]")


def sign_out(browser):
    browser.click("[data-do=signOut]")
    screen(browser, "signIn")


@check
def a_person_gets_from_the_first_screen_to_the_last(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        onboard(browser, pictures=True)
        assert "Ada Lovelace" in browser.text(".who")
        # What was typed is nowhere in the page any more, and in no address.
        found = browser.script("""
          const walk = (root) => [...root.querySelectorAll('*')].flatMap((n) => [n.value ?? '', ...[...n.attributes].map((a) => a.value), n.shadowRoot ? walk(n.shadowRoot) : '']).join(' ');
          return walk(document) + document.body.textContent + location.href + JSON.stringify(sessionStorage) + JSON.stringify(localStorage);""")
        assert PASSCODE not in found and "ada1" not in found
        sign_out(browser)
        browser.until("document.querySelector('.person strong')?.textContent === 'Ada Lovelace'", what="who was there last")
        shown(browser, "account-sign-in")
        fill(browser, "passcode", "wrong777")
        submit(browser)
        browser.find('.account .banner[data-kind="error"]')
        fill(browser, "passcode", PASSCODE)
        submit(browser)
        browser.find("[data-do=signOut]")
        provider.close()
        settle(browser)


@check
def users_take_turns_at_the_page(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        onboard(browser)
        sign_out(browser)
        browser.click("[data-do=switch]")
        screen(browser, "users")
        browser.click("[data-do=add]")
        onboard(browser, "ben")
        sign_out(browser)
        browser.click("[data-do=switch]")
        screen(browser, "users")
        browser.until("document.querySelectorAll('.people [role=radiogroup]:last-child [data-user]').length === 2", what="both")
        shown(browser, "account-users")
        fill(browser, "search", "love")
        browser.until("document.querySelectorAll('.people [data-user]').length === 1", what="the one that was looked for")
        browser.click(".people [data-user]")
        browser.until("document.querySelector('.people [aria-checked=true] strong')?.textContent === 'Ada Lovelace'", what="the tick")
        browser.click(".account .bar .leave")
        screen(browser, "signIn")
        fill(browser, "passcode", PASSCODE)
        provider.faults["sync"] = "offline"
        submit(browser)
        browser.find('[data-sync="connectionError"]')
        shown(browser, "account-sync-connection")
        provider.faults["sync"] = "conflict:ben"
        browser.click("[data-do=retry]")
        browser.find('[data-sync="userError"]')
        shown(browser, "account-sync-user")
        browser.click("[data-do=return]")
        screen(browser, "signIn")
        # So that this user can.
        browser.until("document.querySelector('.person strong')?.textContent === 'Ben Okri'", what="who has to act")
        provider.faults.clear()
        # Pictures of it take their time.
        provider.steps = 200 if WANTED else 40
        fill(browser, "passcode", PASSCODE)
        submit(browser)
        browser.find('[data-sync="running"]')
        shown(browser, "account-sync")
        browser.find("[data-do=signOut]", within=60)
        provider.close()
        settle(browser)


@check
def legal_texts_are_read_before_anything_is_agreed_to(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        browser.open(stand.url)
        screen(browser, "welcome")
        for index, words in enumerate(("This device keeps your name", "")):
            browser.script("document.querySelectorAll('.account .links .button')[arguments[0]].click()", index)
            browser.find("dialog .take svg")
            assert browser.script("return document.querySelector('dialog .take .legal')?.textContent ?? ''").startswith(words)
            assert bool(browser.driver.find_elements("css selector", "dialog .legal")) == bool(words)
            if words:
                shown(browser, "account-legal")
            browser.click("dialog .primary")
            browser.gone("dialog")
        settle(browser)


@check
def consents_are_looked_at_and_withdrawn_afterwards(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        onboard(browser)

        def state():
            return stand.request("account.state")["result"]

        def choices():
            return {one["consent"]: one["choice"] for one in state()["choices"]}

        def row(name):
            return f'[data-state=profile] details[data-consent="{name}"]'

        assert choices() == {"usage": "allow", "privacy": "allow"}
        browser.click("[data-profile]")
        browser.find(row("usage"))
        assert browser.text(f"{row('usage')} [data-choice]").startswith("Allowed: Today, "), browser.text(row("usage"))
        browser.click(f"{row('usage')} summary")
        assert "count which screens are used" in browser.text(row("usage"))
        shown(browser, "profile-consents")
        # By keyboard: the focus stays where it was pressed.
        browser.script("document.querySelector('[data-consents=usage]').focus()")
        browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        browser.find(f'{row("usage")} [data-choice="deny"]')
        assert browser.script("return document.activeElement.dataset.consents") == "usage" and browser.text("[data-consents=usage]") == "Allow"
        assert choices() == {"usage": "deny", "privacy": "allow"}
        browser.click("[data-consents=usage]")
        browser.find(f'{row("usage")} [data-choice="allow"]')
        # What is needed: asked first, and not done where they think better of it; else they are signed out, and asked before they are in again.
        browser.click(f"{row('privacy')} summary")
        browser.click("[data-consents=privacy]")
        browser.find("dialog[role=alertdialog]")
        shown(browser, "profile-withdraw")
        browser.click("dialog[role=alertdialog] .primary")
        browser.gone("dialog[role=alertdialog]")
        assert choices() == {"usage": "allow", "privacy": "allow"}
        browser.click("[data-consents=privacy]")
        browser.click("dialog[role=alertdialog] .actions .button:not(.primary)")
        screen(browser, "signIn")
        browser.gone("dialog")
        fill(browser, "passcode", PASSCODE)
        submit(browser)
        screen(browser, "consents")
        assert browser.script("return document.querySelector('[data-consent]').dataset.consent") == "privacy"
        browser.click("[data-choice=allow]")
        browser.find("[data-do=signOut]")
        records = stand.request("consent.export")["result"]["users"][0]["records"]
        assert [(one["consent"], one["choice"]) for one in records] == [
            ("usage", "allow"), ("privacy", "allow"), ("usage", "deny"), ("usage", "allow"), ("privacy", "deny"), ("privacy", "allow")], records
        provider.close()
        settle(browser)


@check
def data_is_synchronized_once_more_from_the_profile(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        onboard(browser)

        def synced():
            return stand.request("account.state")["result"].get("synced")

        first = synced()
        assert first
        # The time is in whole seconds: the next one differs only a second later.
        while time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()) <= first:
            time.sleep(0.05)
        # The service keeps the time: a page that is loaded later shows it too.
        browser.driver.refresh()
        browser.click("[data-profile]")
        assert "Last synchronized: Today, " in browser.text("[data-state=profile] .synced")
        provider.steps = 10
        browser.click("[data-do=sync]")
        browser.find('[data-sync="running"]')
        browser.find("[data-open]")
        browser.find(".toast")
        assert "Your data is up to date" in browser.text(".toast"), browser.text(".toast")
        assert synced() > first, (synced(), first)
        # A failed synchronization signs no user out.
        provider.faults["sync"] = "offline"
        browser.click("[data-profile]")
        browser.click("[data-do=sync]")
        browser.find('[data-sync="connectionError"]')
        assert browser.text("[data-do=return]") == "Back"
        browser.click("[data-do=return]")
        browser.find("[data-do=signOut]")
        assert stand.request("account.state")["result"]["phase"] == "signedIn"
        provider.close()
        settle(browser)


@check
def every_step_can_be_left_and_denied(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        for stop in ("activation", "credentials", "consents", "passcode"):
            screen(browser, "welcome")
            browser.click("#account-terms")
            submit(browser)
            screen(browser, "activation")
            if stop != "activation":
                browser.click("[data-way=preset]")
                screen(browser, "activation-preset")
                browser.click(".account .primary")
                screen(browser, "credentials")
            if stop in ("consents", "passcode"):
                fill(browser, "user", "ada")
                fill(browser, "password", "ada1")
                submit(browser)
                screen(browser, "consents")
            if stop == "passcode":
                consent(browser, "deny")
                browser.find("dialog[role=alertdialog]")
                shown(browser, "account-consent-needed")
                browser.click("dialog[role=alertdialog] .primary")
                browser.gone("dialog[role=alertdialog]")
                browser.click("[data-choice=allow]")
                screen(browser, "passcode")
                fill(browser, "passcode", "left123")
            browser.click(".account .bar .leave")
            browser.find("dialog.ask .actions .button")
            browser.click("dialog.ask .actions .button:not(.primary)")
        screen(browser, "welcome")
        # The demonstration, and back.
        browser.click(".account > .foot .button:not(.primary)")
        browser.find("[data-open]")
        browser.click("[data-do=signOut]")
        screen(browser, "welcome")
        provider.close()
        settle(browser)


@check
def by_keyboard_alone_and_in_german(browser):
    with Stand([picture("no-code.jpg")], extra=configuration(), options=["--language", "de"]) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        screen(browser, "welcome")
        assert "Willkommen in der Werkstatt" in browser.text(".account h1")
        shown(browser, "account-welcome-german")

        def press(*keys):
            for key in keys:
                browser.driver.switch_to.active_element.send_keys(key)

        def until_focus(selector):
            for _ in range(40):
                if browser.script("return document.activeElement.matches(arguments[0])", selector):
                    return
                press(Keys.TAB)
            raise AssertionError(f"{selector} cannot be reached: {browser.script('return document.activeElement.outerHTML.slice(0, 200)')}")

        until_focus("#account-terms")
        press(Keys.SPACE)
        until_focus("button[type=submit]")
        press(Keys.ENTER)
        screen(browser, "activation")
        until_focus("[data-way=code]")
        press(Keys.ENTER)
        screen(browser, "activation-code")
        until_focus("wm-text-field")
        press("WM-NOBODY", Keys.ENTER)
        browser.find('.account .banner[data-kind="error"]')
        shown(browser, "account-code-refused")
        until_focus("wm-text-field")
        press(Keys.CONTROL + "a", )
        press("WM-ADA", Keys.ENTER)
        screen(browser, "credentials")
        until_focus('wm-text-field[name="user"]')
        press("ada")
        until_focus('wm-text-field[name="password"]')
        press("ada1", Keys.ENTER)
        screen(browser, "consents")
        for _ in range(3):
            at = browser.script("const n = document.querySelector('[data-consent]'); return n.dataset.consent + n.dataset.page")
            until_focus(".actions .primary, .bar .primary")
            press(Keys.ENTER)
            browser.until(f"(document.querySelector('[data-consent]') ? document.querySelector('[data-consent]').dataset.consent + document.querySelector('[data-consent]').dataset.page : 'over') !== '{at}'", what="the next screen")
        for name in ("passcode", "passcode-repeat"):
            screen(browser, name)
            until_focus("wm-text-field")
            press(PASSCODE, Keys.ENTER)
        screen(browser, "ready")
        until_focus("button[type=submit]")
        press(Keys.ENTER)
        browser.find("[data-do=signOut]")
        provider.close()
        settle(browser)


@check
def too_many_wrong_passcodes_count_down(browser):
    with Stand([picture("no-code.jpg")], extra=configuration(wait=("digit: true }", "digit: true, wait: 4 }"))) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        onboard(browser)
        sign_out(browser)
        for _ in range(5):
            fill(browser, "passcode", "wrong777")
            submit(browser)
            browser.find('.account .banner[data-kind="error"]')
            browser.until("document.querySelector('wm-text-field').value === ''", what="an empty field")
            time.sleep(0.3)
        browser.until("document.querySelector('.account .banner')?.textContent.includes('seconds')", what="the wait")
        fill(browser, "passcode", PASSCODE)
        assert browser.script("return document.querySelector('.account button[type=submit]').disabled")
        shown(browser, "account-waiting", everywhere=False)
        submit(browser)
        browser.find("[data-do=signOut]")
        provider.close()
        settle(browser)
