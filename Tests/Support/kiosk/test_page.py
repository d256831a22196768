"""Drives the kiosk page in a real Chromium against the real service on sample frames.

  test_page.py [SCREENSHOT_FOLDER]

Every state of the page is reached as a person would reach it; each is checked for what it says, for accessibility faults
and for console errors, and pictured. Prints one line a check and closes with "N passed, N failed".
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from browser import Browser
from stand import ROOT, WAYMARK, Stand

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
    """Pictures a state once it has come to rest, and asks axe-core about it: what still fades in has no contrast yet."""
    browser.until("document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getComputedTiming().iterations === Infinity)", what="an end of the movements")
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
        browser.click(".bar .button")
        # What a person has typed is still there after the service was away.
        browser.click("[data-open=field]")
        browser.find("wm-text-field")
        browser.script("const f = document.querySelector('wm-text-field[name=note]'); f.input.value = 'half a note'; f.input.dispatchEvent(new Event('input'))")
        stand.stop_service()
        browser.find(".banner.bad")
        stand.start_service()
        browser.until("document.documentElement.dataset.online === 'true'", within=30)
        assert browser.script("return document.querySelector('wm-text-field[name=note]').value") == "half a note"
        settle(browser)


@check
def the_session_outlives_the_connection_of_the_page(browser):
    with Stand(FRAMES, scene=SCENE) as stand:
        browser.open(stand.url)
        browser.click("[data-open=ar]")
        browser.click(".coaching .primary", within=60)
        browser.find('.stage[data-phase="annotating"]', within=60)
        # The kiosk's process goes and comes back on the same port, with the same token: the page goes on where it was.
        stand.restart_kiosk()
        browser.until("document.documentElement.dataset.online === 'true'", within=30)
        browser.until("['scanning', 'matched', 'annotating'].includes(document.querySelector('.stage')?.dataset.phase)", within=30)
        last = int(browser.script("return document.querySelector('.stage canvas').dataset.frame"))
        browser.until(f"Number(document.querySelector('.stage canvas').dataset.frame) > {last}", within=30, what="new pictures")
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
        # Opened for both ways, so that it neither waits for the service nor ends with it.
        pipe = os.open(fifo, os.O_RDWR)
        try:
            while not ended.wait(1 / 30):
                if not silent.is_set():
                    os.write(pipe, jpeg)
        finally:
            os.close(pipe)

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    try:
        with Stand(fifo) as stand:
            browser.open(stand.url)
            browser.find("[data-open=onboard]")
            browser.click("[data-open=onboard]")
            browser.until("document.querySelector('.stage canvas')?.dataset.frame", what="the live picture")
            silent.set()
            browser.find(".camera-gone", within=30)
            assert browser.text(".camera-gone h3") == "The camera gives no picture."
            assert stand.request("status")["result"]["camera"]["status"] == "stalled"
            shown(browser, "camera-gone")
            last = int(browser.script("return document.querySelector('.stage canvas').dataset.frame"))
            silent.clear()
            browser.gone(".camera-gone", within=30)
            browser.until(f"Number(document.querySelector('.stage canvas').dataset.frame) > {last}", within=30, what="new pictures")
            settle(browser)
    finally:
        silent.clear()
        ended.set()
        feeder.join(5)


@check
def the_kiosk_shows_what_it_was_told_to(browser):
    with Stand([picture("no-code.jpg")], options=["--show", "onboard,field", "--language", "de", "--no-upload"]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        assert not browser.driver.find_elements("css selector", "[data-open=ar]")
        assert not browser.driver.find_elements("css selector", ".start footer .button"), "the language is fixed"
        assert browser.script("return document.documentElement.lang") == "de"
        browser.click("[data-open=onboard]")
        browser.find(".stage")
        assert browser.script("return document.querySelector('.bar').textContent").startswith("Abbrechen")
        assert not browser.driver.find_elements("css selector", ".roll .head .button:not(.chevron)"), "neither gallery nor upload"
        # No torch, no switch for it.
        assert browser.script("return [...document.querySelectorAll('.bar .button')].filter((b) => b.offsetParent && b.textContent.includes('Licht')).length") == 0
        settle(browser)


@check
def handed_over_goes_back_by_itself(browser):
    with Stand([picture("onboarding.png")], options=["--return-after", "1"]) as stand:
        browser.open(stand.url)
        browser.click("[data-open=onboard]")
        browser.find('.verdict[data-outcome="successful"]')
        browser.click(".verdict .primary")
        browser.find('[data-state="handed-over"]')
        browser.gone('[data-state="handed-over"]')
        browser.find("[data-open=onboard]")
        assert not browser.driver.find_elements("css selector", ".stage")
        settle(browser)


@check
def an_empty_gallery_and_a_file_that_is_no_picture(browser):
    empty = tempfile.mkdtemp(prefix="waymark-empty-")
    text = os.path.join(empty, "..", os.path.basename(empty) + ".txt")
    with open(text, "w", encoding="utf8") as out:
        out.write("no picture\n")
    with Stand([picture("no-code.jpg")], gallery=empty) as stand:
        browser.open(stand.url)
        browser.click("[data-open=onboard]")
        browser.click(".roll .ask .button")
        browser.until("document.querySelector('.roll .strip p')?.textContent === 'There are no pictures.'")
        shown(browser, "gallery-empty")
        browser.click(".roll .head .button:not(.chevron)")
        browser.find(".sheet.small, .sheet .actions")
        browser.script("document.querySelector('input[type=file]').classList.remove('visually-hidden')")
        browser.driver.find_element("css selector", "input[type=file]").send_keys(os.path.abspath(text))
        browser.until("document.querySelector('.stage .prompt').textContent === 'This file is no picture that can be read.'", what="what went wrong")
        shown(browser, "error-no-picture")
        # The way on: the scanner is still there, and so is the way out.
        browser.click(".bar .button")
        browser.find("[data-open=onboard]")
        settle(browser)
    os.unlink(text)


@check
def another_program_holds_the_scanner(browser):
    import socket
    with Stand([picture("no-code.jpg")]) as stand:
        holder = socket.socket(socket.AF_UNIX)
        holder.connect(stand.socket)
        stream = holder.makefile("rw", encoding="utf8")
        stream.readline()
        stream.write('{"id":1,"method":"scan.begin","params":{"mode":"barcode"}}\n')
        stream.flush()
        stream.readline()
        browser.open(stand.url)
        browser.click("[data-open=onboard]")
        browser.until("document.querySelector('.stage .prompt')?.textContent.startsWith('Another program')")
        shown(browser, "scan-busy")
        stream.close()
        holder.close()
        # It goes on by itself.
        browser.until("document.querySelector('.stage .prompt').textContent.startsWith('Hold')")
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
        assert ("dialog", "Scan") in nodes, nodes
        # What lies behind the dialog is out of reach.
        assert not any(name.startswith("Look at a machine") for _, name in nodes)
        browser.until("document.getElementById('announcer').textContent.includes('Code accepted. You will be connected to')")
        browser.click(".verdict .button:not(.primary)")
        browser.click(".bar .button")
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
        browser.click(".rail[data-card] .steps .button:last-child, .stage canvas")
        named("annotating")
        settle(browser)


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
            moving = browser.script("return document.getAnimations().filter((a) => a.playState === 'running' && a.effect.getComputedTiming().duration > 10).length")
            assert moving == 0, f"{moving} animations although less motion was asked for"
            browser.click(".verdict .button:not(.primary)")
            browser.click(".bar .button")
            browser.resize(844, 390, scale=2, mobile=True)
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            browser.until("document.querySelector('.verdict').scrollTop === 0", what="the whole answer")
            assert browser.script("const v = document.querySelector('.verdict'); return v.scrollHeight <= v.clientHeight + 1"), "the answer is cut off"
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
            browser.script("document.documentElement.style.fontSize = ''")
            browser.resize(1024, 1366)
            browser.open(stand.url)
            browser.find("[data-open=onboard]")
            shown(browser, "start-portrait-light")
            browser.click("[data-open=onboard]")
            browser.find('.verdict[data-outcome="successful"]')
            assert browser.script("return document.documentElement.scrollWidth <= innerWidth + 1"), "it scrolls sideways"
            shown(browser, "scan-portrait-light")
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
    if len(sys.argv) <= 1 and not failed:
        shutil.rmtree(SHOTS, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
