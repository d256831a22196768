"""Onboarding, the gallery, pictures of a person's own, and the form that a barcode fills."""
import os
import socket
import tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from checks import PICTURES, check, hold, opened, picture, pictures_allowed, release, settle, shown
from fields import Program
from stand import Stand


@check
def onboarding_from_start_to_handed_over(browser):
    with Stand([picture("onboarding-on-a-card.jpg")], gallery=PICTURES) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        assert "token" not in browser.driver.current_url
        shown(browser, "start")
        browser.click("[data-open=onboard]")
        browser.find('.verdict[data-outcome="successful"]')
        host = browser.text(".verdict .host")
        assert "." in host, host
        shown(browser, "scan-successful")
        browser.click(".verdict .primary")
        browser.find('[data-state="handed-over"]')
        assert host in browser.text('[data-state="handed-over"]')
        shown(browser, "handed-over")
        browser.click('[data-state="handed-over"] [data-done]')
        browser.find("[data-open=onboard]")
        settle(browser)


@check
def the_end_of_an_onboarding_is_told(browser):
    for outcome, words in (({"outcome": "connected"}, "Connected"), ({"outcome": "failed", "reason": "unreachable"}, "The address did not answer."), ({"outcome": "failed", "text": "The licence has run out."}, "The licence has run out.")):
        with Stand([picture("onboarding.png")]) as stand:
            opened(browser, stand, "onboard")
            browser.find('.verdict[data-outcome="successful"]')
            program = Program(stand)
            program.ask("subscribe", events=["scan.*"])
            browser.click(".verdict .primary")
            browser.find('[data-state="handed-over"]')
            program.ask("onboarding.outcome", scan=program.event("scan.confirmed")["scan"], **outcome)
            browser.find(f'[data-state="handed-over"][data-outcome="{outcome["outcome"]}"]')
            assert words in browser.text('[data-state="handed-over"]'), browser.text('[data-state="handed-over"]')
            shown(browser, f"onboarding-{outcome['outcome']}{'-' + outcome['reason'] if 'reason' in outcome else ''}")
            program.close()
            settle(browser)
    # Where nothing reports it, the page says so, and ends by itself.
    with Stand([picture("onboarding.png")], options=["--return-after", "2"]) as stand:
        opened(browser, stand, "onboard")
        browser.click(".verdict .primary")
        browser.find('[data-state="handed-over"][data-outcome="open"]')
        assert "not known yet" in browser.text('[data-state="handed-over"]')
        browser.gone('[data-state="handed-over"]')
        settle(browser)


@check
def handed_over_goes_back_by_itself(browser):
    with Stand([picture("onboarding.png")], options=["--return-after", "1"]) as stand:
        opened(browser, stand, "onboard")
        browser.find('.verdict[data-outcome="successful"]')
        browser.click(".verdict .primary")
        browser.find('[data-state="handed-over"]')
        browser.gone('[data-state="handed-over"]')
        browser.find("[data-open=onboard]")
        assert not browser.driver.find_elements("css selector", ".stage")
        settle(browser)


@check
def an_invalid_code_says_why_in_words(browser):
    with Stand([picture("plain-http.png")]) as stand:
        opened(browser, stand, "onboard")
        browser.find('.verdict[data-outcome="invalid"]')
        words = browser.text(".verdict p")
        assert len(words.split()) > 3 and "hostNotAllowed" not in words, words
        shown(browser, "scan-invalid")
        settle(browser)


@check
def the_gallery_asks_first_and_answers_unsuccessful(browser):
    with Stand([picture("no-code.jpg")], gallery=PICTURES) as stand:
        opened(browser, stand, "onboard")
        browser.find("[data-gallery]")
        assert not browser.driver.find_elements("css selector", ".roll .strip img")
        shown(browser, "scan-waiting")
        pictures_allowed(browser)
        browser.until("document.querySelectorAll('.roll .strip img').length >= 5", what="thumbnails")
        browser.until("[...document.querySelectorAll('.roll .strip img')].every((i) => i.complete && i.naturalWidth)", what="loaded thumbnails")
        shown(browser, "camera-roll")
        browser.click('.roll .strip button[aria-label*="no-code"]')
        browser.find('.verdict[data-outcome="unsuccessful"]')
        shown(browser, "scan-unsuccessful")
        browser.click(".verdict .button:not([data-another])")
        browser.gone(".verdict")
        # It is armed once, and then stays: no scan that is replaced again and again sees so many frames.
        browser.script("probe.looked = 0")
        browser.until("probe.looked > 25", what="a scan that goes on")
        browser.click(".roll .chevron")
        browser.until("document.querySelector('#roll-body').hidden")
        settle(browser)


@check
def an_empty_gallery_and_a_file_that_is_no_picture(browser):
    empty = tempfile.mkdtemp(prefix="waymark-empty-")
    text = os.path.join(empty, "..", os.path.basename(empty) + ".txt")
    with open(text, "w", encoding="utf8") as out:
        out.write("no picture\n")
    with Stand([picture("no-code.jpg")], gallery=empty) as stand:
        opened(browser, stand, "onboard")
        pictures_allowed(browser)
        browser.until("document.querySelector('.roll .strip p')?.textContent === 'There are no pictures yet'")
        shown(browser, "gallery-empty")
        browser.click("[data-gallery]")
        browser.find(".gallery .empty")
        shown(browser, "gallery-empty-dialog")
        escape(browser)
        hand_in(browser, os.path.abspath(text))
        browser.until("document.querySelector('.toast')?.textContent.startsWith('This file is not a picture.')", what="what went wrong")
        shown(browser, "error-no-picture")
        # The way on: the scanner is still there, and so is the way out.
        browser.click("dialog .leave")
        browser.find("[data-open=onboard]")
        settle(browser)
    os.unlink(text)


def escape(browser):
    ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()


def hand_in(browser, path):
    """Hands in a picture from the person's own device."""
    browser.script("document.querySelector('input[type=file]').classList.remove('visually-hidden')")
    browser.driver.find_element("css selector", "input[type=file]").send_keys(path)
    browser.script("document.querySelector('input[type=file]')?.classList.add('visually-hidden')")


@check
def a_picture_from_the_device_is_judged_and_left(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "onboard")
        browser.click("[data-gallery]")
        browser.find(".gallery")
        shown(browser, "gallery-own-files")
        escape(browser)
        for leave in (lambda: escape(browser), lambda: browser.click("dialog .leave")):
            stand.is_scanning()
            hand_in(browser, picture("onboarding.png"))
            browser.find('.verdict[data-outcome="successful"]')
            # The next user does not find the previous user's code in the scanner.
            leave()
            browser.gone(".stage")
            stand.is_left()
            browser.click("[data-open=onboard]")
        stand.is_scanning()
        hand_in(browser, picture("onboarding.png"))
        browser.find('.verdict[data-outcome="successful"]')
        browser.click(".verdict .button:not(.primary)")
        browser.gone(".verdict")
        stand.is_scanning()
        settle(browser)


@check
def a_code_that_waits_gives_way_to_another_picture(browser):
    with Stand([picture("onboarding.png")]) as stand:
        opened(browser, stand, "onboard")
        browser.find('.verdict[data-outcome="successful"]')
        browser.script("window.before = document.querySelector('.verdict')")
        hand_in(browser, os.path.abspath(__file__))
        # The next verdict may appear before the first one is seen to disappear.
        browser.until("!window.before.isConnected", what="the first verdict gone")
        assert browser.text(".toast").startswith("This file is not a picture.")
        # The camera still sees the code, and is looked at again.
        browser.find('.verdict[data-outcome="successful"]')
        settle(browser)


def leave_while_judged(browser):
    """Hands a picture in and leaves the scanner before the answer is there."""
    hold(browser, "/api/upload")
    hand_in(browser, picture("onboarding.png"))
    browser.until("window.held", what="the picture on its way")
    escape(browser)


@check
def what_comes_after_the_scanner_was_left_holds_nothing(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "onboard")
        stand.is_scanning()
        leave_while_judged(browser)
        stand.is_left()
        release(browser)
        stand.is_left()
        # The same, when a scan was started again meanwhile: that scan continues.
        browser.click("[data-open=onboard]")
        stand.is_scanning()
        leave_while_judged(browser)
        browser.click("[data-open=onboard]")
        stand.is_scanning()
        release(browser)
        stand.is_scanning()
        escape(browser)
        stand.is_left()
        # And when it was left before it was armed.
        hold(browser, "scan.begin")
        browser.click("[data-open=onboard]")
        browser.until("window.held", what="the scan on its way")
        escape(browser)
        browser.gone(".stage")
        release(browser)
        stand.is_left()
        settle(browser)


@check
def a_confirmation_that_fails_is_told(browser):
    with Stand([picture("onboarding-on-a-card.jpg")]) as stand:
        opened(browser, stand, "onboard")
        browser.find('.verdict[data-outcome="successful"]')
        browser.script("""
          const send = window.fetch;
          window.fetch = (url, options) => options?.body?.includes?.('scan.confirm')
            ? Promise.resolve(new Response('{"error":{"code":"busy"}}', { status: 422 })) : send(url, options);""")
        browser.click(".verdict .primary")
        words = "The scanner is in use. Wait a moment and try again."
        browser.until(f"document.getElementById('announcer').textContent === '{words}'", what="what a screen reader says")
        assert browser.text(".verdict .fault") == words
        browser.find('.verdict[data-outcome="successful"]')
        shown(browser, "error-confirmation")
        settle(browser)


@check
def a_barcode_fills_a_field(browser):
    with Stand([picture("product.png")]) as stand:
        opened(browser, stand, "field")
        field = "document.querySelector('wm-text-field[name=material]')"
        browser.find("wm-text-field[name=material]")
        shown(browser, "field")
        browser.click("form .primary")
        browser.until(f"{field}.shadowRoot.querySelector('.message').textContent.length > 5 && {field}.shadowRoot.querySelector('input').getAttribute('aria-invalid') === 'true'")
        shown(browser, "field-error")
        browser.script(f"{field}.shadowRoot.querySelector('button.scan').click()")
        value = browser.until(f"{field}.value", what="a value in the field")
        assert value.isdigit(), value
        browser.gone(".stage")
        shown(browser, "field-filled")
        browser.script(f"{field}.shadowRoot.querySelector('button.clear').click()")
        browser.until(f"{field}.value === ''")
        settle(browser)


@check
def another_program_holds_the_scanner(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        holder = socket.socket(socket.AF_UNIX)
        holder.connect(stand.socket)
        stream = holder.makefile("rw", encoding="utf8")
        stream.readline()
        stream.write('{"id":1,"method":"scan.begin","params":{"mode":"barcode"}}\n')
        stream.flush()
        stream.readline()
        opened(browser, stand, "onboard")
        browser.until("document.querySelector('.prompt')?.textContent.startsWith('The scanner is in use')")
        shown(browser, "scan-busy")
        stream.close()
        holder.close()
        # The scan continues by itself.
        browser.until("document.querySelector('.prompt').textContent.startsWith('Hold')")
        settle(browser)
