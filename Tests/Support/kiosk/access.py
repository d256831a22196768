"""Every person: screen readers, keyboards, shapes of screens, colour schemes, languages, less motion."""
import os

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from checks import FRAMES, PICTURES, SCENE, check, fits, picture, settle, shown
from documents import FLAT, sheets, storage
from following import drawn
from stand import Stand


def press(browser, *keys):
    for key in keys:
        ActionChains(browser.driver).send_keys(key).perform()


def reach(browser, condition, what, back=False, within=40):
    """Tabs on, or back, until a condition holds for what has the focus."""
    for _ in range(within):
        if browser.script(f"let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return Boolean({condition})"):
            return
        chain = ActionChains(browser.driver)
        (chain.key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT) if back else chain.send_keys(Keys.TAB)).perform()
    raise AssertionError(f"Tab does not reach {what}")


def said(browser, words):
    browser.until(f"document.getElementById('announcer').textContent.includes({words!r})", what=f"{words!r} to a screen reader")


def named(browser, where):
    """What a screen reader finds: nothing that can be used or seen is without a name."""
    nodes = browser.names()
    for role, name in nodes:
        if role in ("button", "link", "textbox", "checkbox", "dialog", "img", "image", "list", "group"):
            assert name.strip() or role == "group", f"{where}: a {role} without a name"
    return nodes


@check
def a_screen_reader_is_told_everything(browser):
    with Stand([picture("onboarding-on-a-card.jpg")], gallery=PICTURES) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        assert ("heading", "What would you like to do?") in named(browser, "start")
        browser.click("[data-open=onboard]")
        browser.find('.verdict[data-outcome="successful"]')
        nodes = named(browser, "scanner")
        assert ("dialog", "Connect this device") in nodes, nodes
        # What lies behind the dialog is out of reach.
        assert not any(name.startswith("Explore a machine") for _, name in nodes)
        browser.until("document.getElementById('announcer').textContent.includes('Code accepted. This device will connect to')")
        browser.click(".verdict .button:not(.primary)")
        browser.click("dialog .leave")
        browser.click("[data-open=field]")
        browser.find("wm-text-field")
        nodes = named(browser, "form")
        assert any(role == "textbox" and "Material number" in name for role, name in nodes), nodes
        assert any(role == "button" and "Material number" in name for role, name in nodes), nodes
        settle(browser)
    with Stand(FRAMES, scene=SCENE) as stand:
        browser.open(stand.url)
        browser.click("[data-open=ar]")
        browser.find(".coaching .primary", within=60)
        named(browser, "coaching")
        browser.click(".coaching .primary")
        browser.find('.stage[data-phase="annotating"]', within=60)
        browser.click(".rail .steps .button:last-child")
        named(browser, "annotating")
        settle(browser)


@check
def shapes_schemes_and_languages(browser):
    with Stand([picture("onboarding-on-a-card.jpg")], gallery=PICTURES) as stand:
        try:
            browser.resize(390, 844, scale=2, mobile=True)
            browser.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
            browser.open(stand.url)
            # On a phone the languages are behind the help alone.
            browser.click(".start .help")
            browser.click("[data-state=help] [data-language=de]")
            browser.until("document.documentElement.lang === 'de'")
            browser.click("[data-state=help] .primary")
            browser.gone("[data-state=help]")
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
            assert fits(browser), "it scrolls sideways"
            browser.click("[data-open=field]")
            browser.find("wm-text-field")
            shown(browser, "field-large-text", everywhere=False)
            assert fits(browser), "it scrolls sideways"
            browser.script("document.documentElement.style.fontSize = ''")
            browser.resize(1024, 1366)
            browser.open(stand.url)
            browser.find("[data-open=onboard]")
            shown(browser, "start-portrait-light", everywhere=False)
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            assert fits(browser), "it scrolls sideways"
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


@check
def the_keyboard_and_the_ear_lead_through_documents(browser):
    # The sheet comes when there was time to switch to manual: nothing is captured before.
    with Stand(sheets(browser, [(None, 7, 75), (FLAT, 7, 900)]), extra=storage()[0], rate=15) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        reach(browser, "at.dataset.open === 'document'", "the tile")
        press(browser, Keys.ENTER)
        browser.until("!document.querySelector('.shutter')?.disabled", what="a shutter")
        assert ("dialog", "Scan documents") in named(browser, "camera")
        reach(browser, "at.matches('[data-mode]')", "the switch to manual")
        press(browser, Keys.ENTER)
        for count in (1, 2):
            reach(browser, "at.matches('.shutter')", "the shutter")
            press(browser, Keys.ENTER)
            said(browser, f"Page {count} captured")
            browser.until("document.activeElement.matches('dialog.ask .primary')", what="the focus on Keep")
            named(browser, "confirmation")
            if count == 1:
                reach(browser, "at.textContent === 'Adjust'", "Adjust")
                press(browser, Keys.ENTER)
                browser.find(".adjust .handle")
                nodes = named(browser, "corners")
                assert ("button", "Top left corner") in nodes, nodes
                reach(browser, "at.matches('.handle')", "a corner")
                press(browser, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
                reach(browser, "at.matches('.adjust .tools .primary')", "what ends it")
                press(browser, Keys.ENTER)
                browser.gone(".adjust")
            else:
                press(browser, Keys.ENTER)
                browser.gone("dialog.ask")
        reach(browser, "at.matches('[data-pages]')", "the pages")
        press(browser, Keys.ENTER)
        browser.find(".pages")
        nodes = named(browser, "pages")
        assert {"Page 1 of 2", "Page 2 of 2", "Rotate", "Delete", "Earlier"} <= {name for _, name in nodes}, nodes
        reach(browser, "at.matches('[data-tool=earlier]')", "an earlier place")
        press(browser, Keys.ENTER)
        browser.until("document.querySelector('.pages [data-tool=earlier]').disabled", what="the page in front")
        # What had the focus can no longer be pressed; the keyboard still has a place.
        reach(browser, "at.matches('[data-tool=later]')", "a later place")
        reach(browser, "at.matches('[data-tool=delete]')", "Delete")
        press(browser, Keys.ENTER)
        said(browser, "The page was deleted")
        reach(browser, "at.matches('.toast .button')", "Undo", within=30)
        press(browser, Keys.ENTER)
        browser.until("document.querySelectorAll('.pages .strip [data-page]').length === 2", what="the page back")
        reach(browser, "at.matches('.pages .bar .leave')", "the way back")
        press(browser, Keys.ENTER)
        browser.gone(".pages")
        reach(browser, "at.matches('[data-save]')", "Save")
        press(browser, Keys.ENTER)
        browser.until("document.activeElement.matches('[data-state=document-saved] .button')", what="the focus on the way on")
        said(browser, "Your document is saved")
        press(browser, Keys.ENTER)
        browser.find("[data-open=document]")
        settle(browser)


@check
def the_keyboard_and_the_ear_lead_through_a_count_and_a_form(browser):
    with Stand(drawn(browser, ["product.png", "onboarding.png"], [[[0, 90, 160, 180], [1, 380, 160, 150]]] * 2), rate=15) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        reach(browser, "at.dataset.open === 'count'", "the tile")
        press(browser, Keys.ENTER)
        browser.until("document.querySelector('.counted .total')?.textContent === '2'", what="two codes")
        nodes = named(browser, "count")
        assert {"What was counted", "Save as CSV", "Send the count"} <= {name for _, name in nodes}, nodes
        said(browser, "counted")
        reach(browser, "at.matches('[data-by=content]')", "each kind once")
        press(browser, Keys.ENTER)
        browser.until("document.querySelector('[data-by=content]').getAttribute('aria-pressed') === 'true'")
        reach(browser, "at.matches('.counted .primary')", "Send the count")
        press(browser, Keys.ENTER)
        said(browser, "The count was sent")
        press(browser, Keys.ESCAPE)
        browser.gone(".stage")
        browser.until("document.activeElement?.dataset?.open === 'count'", what="the focus back where it was")
        reach(browser, "at.dataset.open === 'field'", "the form's tile")
        press(browser, Keys.ENTER)
        browser.find("wm-text-field")
        # A scan into a field by keyboard alone, and what is wrong is said and led to.
        reach(browser, "at.matches('button.scan') && at.getRootNode().host?.getAttribute('name') === 'material'", "the scan button")
        press(browser, Keys.ENTER)
        browser.until("document.querySelector('wm-text-field[name=material]').value", what="what was scanned")
        browser.gone(".stage")
        reach(browser, "at.getRootNode().host?.getAttribute('name') === 'quantity' && at.matches('input')", "the quantity")
        press(browser, "x")
        reach(browser, "at.matches('form .bar .primary')", "Save", within=60)
        press(browser, Keys.ENTER)
        browser.until("document.querySelector('wm-stepper[name=quantity]').input.getAttribute('aria-invalid') === 'true'", what="what is wrong")
        reach(browser, "at.matches('.leave')", "the way out", back=True, within=60)
        press(browser, Keys.ENTER)
        # The page asks before it throws input away.
        reach(browser, "at.textContent === 'Discard the entries'", "Discard")
        press(browser, Keys.ENTER)
        browser.find("[data-open=field]")
        settle(browser)
