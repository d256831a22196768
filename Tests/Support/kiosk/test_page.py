"""Drives the kiosk page in a real Chromium against the real service on sample frames.

  test_page.py [SCREENSHOT_FOLDER]

Every state of the page is reached as a person would reach it; each is checked for what it says, for accessibility faults
and for console errors, and pictured. Prints one line a check and closes with "N passed, N failed".
"""
import os
import statistics
import sys
import tempfile
import threading
import time
import traceback

from browser import Browser
from stand import ROOT, Stand

SHOTS = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="waymark-screens-")
PICTURES = os.path.join(ROOT, "Samples/pictures")
FRAMES = os.path.join(ROOT, "Samples/sequences/pump-room")
SCENE = os.path.join(ROOT, "Samples/scenes/pump-room")
os.makedirs(SHOTS, exist_ok=True)

CHECKS = []
faults = []


def check(function):
    CHECKS.append(function)
    return function


def picture(name):
    return os.path.join(PICTURES, name)


def shown(browser, name):
    """Pictures a state, and asks axe-core about it."""
    browser.shot(os.path.join(SHOTS, name + ".png"))
    found = browser.accessibility()
    assert not found, f"{name}: {found}"


def settle(browser):
    """After a check: no console error, and nothing asked of another machine."""
    browser.collect()
    errors = [entry["message"] for entry in browser.console]
    browser.console.clear()
    expected = [e for e in errors if any(code in e for code in ("status of 422", "status of 503", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE"))]
    assert len(errors) == len(expected), errors
    foreign = [url for url in browser.requests if not url.startswith(("http://127.0.0.1:", "blob:http://127.0.0.1:", "data:"))]
    assert not foreign, foreign


@check
def onboarding_from_start_to_handed_over(browser):
    with Stand([picture("onboarding.png")], gallery=PICTURES) as stand:
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
        browser.click('[data-state="handed-over"] .button')
        browser.find("[data-open=onboard]")
        settle(browser)


@check
def an_invalid_code_says_why_in_words(browser):
    with Stand([picture("plain-http.png")]) as stand:
        browser.open(stand.url)
        browser.click("[data-open=onboard]")
        browser.find('.verdict[data-outcome="invalid"]')
        words = browser.text(".verdict p")
        assert len(words.split()) > 3 and "hostNotAllowed" not in words, words
        shown(browser, "scan-invalid")
        settle(browser)


@check
def the_gallery_asks_first_and_answers_unsuccessful(browser):
    with Stand([picture("no-code.jpg")], gallery=PICTURES) as stand:
        browser.open(stand.url)
        browser.click("[data-open=onboard]")
        browser.find(".roll .ask")
        assert not browser.driver.find_elements("css selector", ".roll .strip img")
        shown(browser, "scan-waiting")
        browser.click(".roll .ask .button")
        browser.until("document.querySelectorAll('.roll .strip img').length >= 5", what="thumbnails")
        browser.until("[...document.querySelectorAll('.roll .strip img')].every((i) => i.complete && i.naturalWidth)", what="loaded thumbnails")
        shown(browser, "camera-roll")
        browser.click('.roll .strip button[aria-label*="no-code"]')
        browser.find('.verdict[data-outcome="unsuccessful"]')
        shown(browser, "scan-unsuccessful")
        browser.click(".verdict .primary")
        browser.gone(".verdict")
        browser.click(".roll .chevron")
        browser.until("document.querySelector('#roll-body').hidden")
        settle(browser)


@check
def a_picture_from_the_device_is_judged(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.click("[data-open=onboard]")
        browser.click(".roll .head .button")
        shown(browser, "gallery")
        browser.script("document.querySelector('input[type=file]').classList.remove('visually-hidden')")
        browser.driver.find_element("css selector", "input[type=file]").send_keys(picture("onboarding.png"))
        browser.find('.verdict[data-outcome="successful"]')
        settle(browser)


@check
def a_barcode_fills_a_field(browser):
    with Stand([picture("product.png")]) as stand:
        browser.open(stand.url)
        browser.click("[data-open=field]")
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
        batch, note = (f"document.querySelector('wm-text-field[name={name}]')" for name in ("batch", "note"))
        for name, text in (("batch", "12345678901234"), ("note", "x" * 33)):
            browser.script(f"const f = document.querySelector('wm-text-field[name={name}]'); f.input.value = arguments[0]; f.input.dispatchEvent(new Event('input'))", text)
        assert browser.script(f"return {batch}.value") == "1234567890"
        assert browser.script(f"return {note}.value.length") == 33
        assert "3" in browser.script(f"return {note}.shadowRoot.querySelector('.message').textContent")
        assert browser.script("return document.querySelector('wm-text-field[name=plant]').input.readOnly")
        settle(browser)


@check
def ar_from_coaching_to_the_card(browser):
    with Stand(FRAMES, scene=SCENE) as stand:
        browser.open(stand.url)
        browser.click("[data-open=ar]")
        browser.find(".coaching .primary", within=60)
        browser.until("document.querySelector('.coaching img').naturalWidth > 0", what="the guide picture")
        shown(browser, "ar-coaching")
        browser.click(".coaching .primary")
        browser.find('.stage[data-phase="scanning"], .stage[data-phase="matched"], .stage[data-phase="annotating"]')
        browser.shot(os.path.join(SHOTS, "ar-scanning.png"))
        browser.find('.stage[data-phase="matched"]', within=60)
        browser.shot(os.path.join(SHOTS, "ar-matched.png"))
        browser.find('.stage[data-phase="annotating"]')
        browser.script("document.dispatchEvent(new KeyboardEvent('keydown')); document.querySelector('.sheet').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        first = browser.find(".rail[data-card]").get_attribute("data-card")
        shown(browser, "ar-annotating")
        browser.click(".rail .steps .button:last-child")
        browser.until(f"document.querySelector('.rail').dataset.card !== '{first}'", what="the next card")
        browser.click(".rail .card")
        browser.find(".detail h3")
        shown(browser, "ar-detail")
        browser.click(".detail header .button")
        browser.gone(".detail")
        browser.click(".thumbnail")
        browser.find(".coaching .primary")
        assert browser.text(".coaching .primary") == "Return to Scan"
        browser.click(".coaching .primary")
        browser.gone(".coaching")
        browser.click(".bar .button")
        browser.find("[data-open=ar]")
        assert stand.request("status")["result"].get("session", "inactive") == "inactive"
        settle(browser)


@check
def the_overlay_lies_on_its_own_frame(browser):
    with Stand(FRAMES, scene=SCENE) as stand:
        browser.open(stand.url)
        browser.click("[data-open=ar]")
        browser.click(".coaching .primary", within=60)
        browser.find('.stage[data-phase="annotating"]', within=60)
        browser.script("probe.drawn.length = 0; probe.delays.length = 0; window.begun = performance.now()")
        browser.until("probe.drawn.length > 240", within=60, what="240 frames")
        drawn, seconds = browser.script("return [probe.drawn, (performance.now() - begun) / 1000]")
        with_overlay = [(frame, overlay) for frame, overlay in drawn if overlay is not None]
        assert len(with_overlay) > 30, len(with_overlay)
        assert all(frame == overlay for frame, overlay in with_overlay)
        assert all(b[0] > a[0] for a, b in zip(drawn, drawn[1:])), "frames out of order"
        delay = statistics.median(browser.script("return probe.delays"))
        print(f"  {len(with_overlay)} frames with their own overlay, none with another's; {len(drawn) / seconds:.1f} frames a second; "
              f"service to page: median {delay:.0f} ms")
        settle(browser)


@check
def the_service_goes_and_comes_back(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.click("[data-open=onboard]")
        browser.until("document.documentElement.dataset.online === 'true'")
        stand.stop_service()
        browser.find(".banner.bad")
        shown(browser, "offline")
        stand.start_service()
        browser.until("document.documentElement.dataset.online === 'true'", within=30)
        browser.gone(".banner.bad")
        # The scan that was under way is armed again by itself.
        end = time.monotonic() + 20
        while stand.request("status")["result"]["scanner"]["status"] != "scanning":
            assert time.monotonic() < end, "the scan was not armed again"
            time.sleep(0.05)
        settle(browser)


@check
def the_camera_goes_and_comes_back(browser):
    folder = tempfile.mkdtemp(prefix="waymark-fifo-")
    fifo = os.path.join(folder, "camera.mjpeg")
    os.mkfifo(fifo)
    with open(os.path.join(FRAMES, sorted(os.listdir(FRAMES))[0]), "rb") as frame:
        jpeg = frame.read()
    silent, ended = threading.Event(), threading.Event()

    def feed():
        try:
            with open(fifo, "wb", buffering=0) as out:
                while not ended.is_set():
                    if not silent.is_set():
                        out.write(jpeg)
                    time.sleep(1 / 30)
        except BrokenPipeError:
            pass

    threading.Thread(target=feed, daemon=True).start()
    try:
        with Stand(fifo) as stand:
            browser.open(stand.url)
            browser.click("[data-open=onboard]")
            browser.gone(".stage .loading")
            silent.set()
            browser.find(".camera-gone", within=30)
            shown(browser, "camera-gone")
            silent.clear()
            browser.gone(".camera-gone", within=30)
            settle(browser)
            ended.set()
    finally:
        ended.set()


@check
def shapes_schemes_and_languages(browser):
    with Stand([picture("onboarding.png")], gallery=PICTURES) as stand:
        try:
            browser.resize(390, 844, scale=2, mobile=True)
            browser.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
            browser.open(stand.url)
            browser.click('.start footer .button[lang="de"]')
            browser.until("document.documentElement.lang === 'de'")
            shown(browser, "start-portrait-dark-german")
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            shown(browser, "scan-portrait-dark-german")
            browser.click(".verdict .button:not(.primary)")
            browser.click(".bar .button")
            browser.resize(844, 390, scale=2, mobile=True)
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            shown(browser, "scan-landscape-dark")
            browser.click(".verdict .button:not(.primary)")
            browser.click(".bar .button")
            browser.media(prefers_color_scheme="light")
            browser.resize(800, 600)
            browser.script("document.documentElement.style.fontSize = '200%'")
            shown(browser, "start-large-text")
            assert browser.script("return document.documentElement.scrollWidth <= innerWidth + 1"), "it scrolls sideways"
            browser.click("[data-open=field]")
            browser.find("wm-text-field")
            shown(browser, "field-large-text")
            assert browser.script("return document.documentElement.scrollWidth <= innerWidth + 1"), "it scrolls sideways"
            settle(browser)
        finally:
            browser.cdp("Emulation.clearDeviceMetricsOverride")
            browser.media(prefers_color_scheme="light", prefers_reduced_motion="no-preference")


@check
def the_keyboard_reaches_everything(browser):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
    with Stand([picture("onboarding.png")]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        keys = ActionChains(browser.driver)
        for _ in range(6):
            keys.send_keys(Keys.TAB).perform()
            if browser.script("return document.activeElement?.dataset?.open") == "onboard":
                break
        keys.send_keys(Keys.ENTER).perform()
        browser.find('.verdict[data-outcome="successful"]')
        browser.until("document.activeElement?.classList.contains('primary')", what="the focus on the call to action")
        keys.send_keys(Keys.TAB).perform()
        assert browser.script("return document.querySelector('.sheet').contains(document.activeElement)"), "the focus left the dialog"
        keys.send_keys(Keys.ESCAPE).perform()
        browser.gone(".stage")
        browser.until("document.activeElement?.dataset?.open === 'onboard'", what="the focus back where it was")
        settle(browser)


def main():
    passed = failed = 0
    wanted = os.environ.get("ONLY", "").split(",") if os.environ.get("ONLY") else None
    browser = Browser()
    try:
        for function in CHECKS:
            name = function.__name__
            if wanted and name not in wanted:
                continue
            begun = time.monotonic()
            try:
                function(browser)
                passed += 1
                print(f"ok      {name.replace('_', ' ')} ({time.monotonic() - begun:.1f} s)", flush=True)
            except Exception as error:  # a check that failed is told, the rest goes on
                failed += 1
                browser.shot(os.path.join(SHOTS, "failed.png"))
                print(f"FAILED  {name.replace('_', ' ')}: {error}", flush=True)
                traceback.print_exc()
                browser.close()
                browser = Browser()
    finally:
        browser.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
