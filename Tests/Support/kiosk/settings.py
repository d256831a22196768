"""What the kiosk was told to show, and to whom."""
import os
import subprocess

from checks import check, picture, settle, shown
from stand import ROOT, WAYMARK, Stand


@check
def the_kiosk_shows_what_it_was_told_to(browser):
    with Stand([picture("no-code.jpg")], options=["--show", "onboard,field", "--language", "de", "--no-upload"]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        assert not browser.driver.find_elements("css selector", "[data-open=ar]")
        assert not browser.driver.find_elements("css selector", ".start .languages .button"), "the language is fixed"
        assert browser.script("return document.documentElement.lang") == "de"
        browser.click("[data-open=onboard]")
        browser.find(".stage")
        assert browser.script("return document.querySelector('dialog .bar').textContent").startswith("Abbrechen")
        assert not browser.driver.find_elements("css selector", ".roll .head .button:not(.chevron)"), "neither gallery nor upload"
        # No torch, no switch for it.
        assert browser.script("return [...document.querySelectorAll('dialog .bar .button')].filter((b) => b.offsetParent && b.textContent.includes('Licht')).length") == 0
        settle(browser)


@check
def an_observer_is_told_so(browser):
    if os.geteuid() != 0:
        print("  left out: only root can start the kiosk as another user")
        return
    roles = "roles:\n  operators: { users: [root] }\n  observers: { users: [nobody] }\nsocket: { mode: \"0666\" }\n"
    if not os.access(ROOT, os.X_OK) or subprocess.run(["setpriv", "--reuid", "nobody", "--clear-groups", "test", "-x", WAYMARK]).returncode:
        print("  left out: another user cannot reach the executable")
        return
    with Stand([picture("onboarding.png")], extra=roles, user="nobody") as stand:
        browser.open(stand.url)
        browser.find('[data-state="observer"]')
        assert not browser.driver.find_elements("css selector", "[data-open]")
        shown(browser, "observer")
        settle(browser)
