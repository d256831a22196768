"""Every person: screen readers, keyboards, shapes of screens, colour schemes, languages, less motion."""
import os

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from checks import FRAMES, PICTURES, SCENE, check, picture, settle, shown
from stand import Stand


@check
def a_screen_reader_is_told_everything(browser):
    def named(where):
        nodes = browser.names()
        for role, name in nodes:
            if role in ("button", "link", "textbox", "checkbox", "dialog", "img", "image", "list"):
                assert name.strip(), f"{where}: a {role} without a name"
        return nodes

    with Stand([picture("onboarding.png")], gallery=PICTURES) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        assert ("heading", "What would you like to do?") in named("start")
        browser.click("[data-open=onboard]")
        browser.find('.verdict[data-outcome="successful"]')
        nodes = named("scanner")
        assert ("dialog", "Scan QR code") in nodes, nodes
        # What lies behind the dialog is out of reach.
        assert not any(name.startswith("Explore a machine") for _, name in nodes)
        browser.until("document.getElementById('announcer').textContent.includes('Code accepted. This device will connect to')")
        browser.click(".verdict .button:not(.primary)")
        browser.click("dialog .leave")
        browser.click("[data-open=field]")
        browser.find("wm-text-field")
        nodes = named("form")
        assert any(role == "textbox" and "Material number" in name for role, name in nodes), nodes
        assert any(role == "button" and "Material number" in name for role, name in nodes), nodes
        settle(browser)
    with Stand(FRAMES, scene=SCENE) as stand:
        browser.open(stand.url)
        browser.click("[data-open=ar]")
        browser.find(".coaching .primary", within=60)
        named("coaching")
        browser.click(".coaching .primary")
        browser.find('.stage[data-phase="annotating"]', within=60)
        browser.click(".rail .steps .button:last-child")
        named("annotating")
        settle(browser)


@check
def shapes_schemes_and_languages(browser):
    with Stand([picture("onboarding.png")], gallery=PICTURES) as stand:
        try:
            browser.resize(390, 844, scale=2, mobile=True)
            browser.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
            browser.open(stand.url)
            browser.click('.start .button[lang="de"]')
            browser.until("document.documentElement.lang === 'de'")
            shown(browser, "start-portrait-dark-german", everywhere=False)
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            shown(browser, "scan-portrait-dark-german", everywhere=False)
            moving = browser.script("return document.getAnimations().filter((a) => a.playState === 'running' && a.effect.getComputedTiming().duration > 10).length")
            assert moving == 0, f"{moving} animations although less motion was asked for"
            browser.click(".verdict .button:not(.primary)")
            browser.click("dialog .leave")
            browser.resize(844, 390, scale=2, mobile=True)
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            browser.until("document.querySelector('.verdict').scrollTop === 0", what="the whole answer")
            assert browser.script("const v = document.querySelector('.verdict'); return v.scrollHeight <= v.clientHeight + 1"), "the answer is cut off"
            shown(browser, "scan-landscape-dark", everywhere=False)
            browser.click(".verdict .button:not(.primary)")
            browser.click("dialog .leave")
            browser.media(prefers_color_scheme="light")
            browser.resize(800, 600)
            browser.script("document.documentElement.style.fontSize = '200%'")
            shown(browser, "start-large-text", everywhere=False)
            assert browser.script("return document.documentElement.scrollWidth <= innerWidth + 1"), "it scrolls sideways"
            browser.click("[data-open=field]")
            browser.find("wm-text-field")
            shown(browser, "field-large-text", everywhere=False)
            assert browser.script("return document.documentElement.scrollWidth <= innerWidth + 1"), "it scrolls sideways"
            browser.script("document.documentElement.style.fontSize = ''")
            browser.resize(1024, 1366)
            browser.open(stand.url)
            browser.find("[data-open=onboard]")
            shown(browser, "start-portrait-light", everywhere=False)
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            assert browser.script("return document.documentElement.scrollWidth <= innerWidth + 1"), "it scrolls sideways"
            shown(browser, "scan-portrait-light", everywhere=False)
            settle(browser)
        finally:
            browser.usual()


@check
def the_keyboard_reaches_everything(browser):
    with Stand([picture("onboarding.png")]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        keys = ActionChains(browser.driver)
        for _ in range(8):
            keys.send_keys(Keys.TAB).perform()
            if browser.script("return document.activeElement?.dataset?.open") == "onboard":
                break
        keys.send_keys(Keys.ENTER).perform()
        browser.find('.verdict[data-outcome="successful"]')
        browser.until("document.activeElement?.classList.contains('primary')", what="the focus on the call to action")
        keys.send_keys(Keys.TAB).perform()
        assert browser.script("return document.querySelector('dialog').contains(document.activeElement)"), "the focus left the dialog"
        keys.send_keys(Keys.ESCAPE).perform()
        browser.gone(".stage")
        browser.until("document.activeElement?.dataset?.open === 'onboard'", what="the focus back where it was")
        settle(browser)


@check
def the_keyboard_leads_through_the_session(browser):
    def press(*keys):
        for key in keys:
            ActionChains(browser.driver).send_keys(key).perform()

    def reach(condition, what):
        for _ in range(16):
            if browser.script(f"return Boolean({condition})"):
                return
            press(Keys.TAB)
        raise AssertionError(f"Tab does not reach {what}")

    with Stand([os.path.join(FRAMES, "000060.jpg")], scene=SCENE) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        reach("document.activeElement.dataset.open === 'ar'", "the tile")
        press(Keys.ENTER)
        browser.until("document.activeElement.matches('.coaching .primary')", within=60, what="the focus on the call to action")
        press(Keys.ENTER)
        browser.find('.stage[data-phase="annotating"]', within=60)
        browser.until("document.getElementById('announcer').textContent === '4 notes in sight'", what="what is said of the notes")
        press(Keys.ARROW_RIGHT)
        browser.until("document.querySelector('.rail').dataset.card && document.getElementById('announcer').textContent === 'Shaft seal'", what="the first note")
        reach("document.activeElement.matches('.rail .card[aria-current]')", "the card")
        press(Keys.ENTER)
        browser.until("document.activeElement.matches('.detail')", what="the focus in the detail")
        press(Keys.ESCAPE)
        browser.gone(".detail")
        browser.until("document.activeElement.matches('.rail .card[aria-current]')", what="the focus back on the card")
        press(Keys.ESCAPE)
        browser.gone(".stage")
        browser.until("document.activeElement?.dataset?.open === 'ar'", what="the focus back where it was")
        settle(browser)
