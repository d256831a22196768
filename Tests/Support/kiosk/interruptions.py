"""What the page shows while service, kiosk or camera are away, and how it goes on."""
from checks import FRAMES, SCENE, annotated, check, opened, picture, settle, shown
from stand import Camera, Stand


@check
def the_service_goes_and_comes_back(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "onboard")
        browser.until("document.documentElement.dataset.online === 'true'")
        stand.stop_service()
        browser.find(".banner[data-kind=error]")
        shown(browser, "offline")
        stand.start_service()
        browser.until("document.documentElement.dataset.online === 'true'", within=30)
        browser.gone(".banner[data-kind=error]")
        # The scan that was under way is armed again by itself.
        stand.is_scanning()
        browser.click("dialog .leave")
        # What a person has typed is still there after the service was away.
        browser.click("[data-open=field]")
        browser.find("wm-text-field")
        browser.script("const f = document.querySelector('wm-text-field[name=note]'); f.input.value = 'half a note'; f.input.dispatchEvent(new Event('input'))")
        stand.stop_service()
        browser.find(".banner[data-kind=error]")
        stand.start_service()
        browser.until("document.documentElement.dataset.online === 'true'", within=30)
        assert browser.script("return document.querySelector('wm-text-field[name=note]').value") == "half a note"
        settle(browser)


@check
def the_session_outlives_the_connection_of_the_page(browser):
    with Stand(FRAMES, scene=SCENE) as stand:
        annotated(browser, stand)
        # The kiosk's process ends and restarts on the same port, with the same token: the page continues where it was.
        stand.restart_kiosk()
        browser.until("document.documentElement.dataset.online === 'true'", within=30)
        browser.until("['scanning', 'matched', 'annotating'].includes(document.querySelector('.stage')?.dataset.phase)", within=30)
        last = int(browser.script("return document.querySelector('.stage canvas').dataset.frame"))
        browser.until(f"Number(document.querySelector('.stage canvas').dataset.frame) > {last}", within=30, what="new pictures")
        settle(browser)


@check
def the_camera_goes_and_comes_back(browser):
    with Camera([picture("no-code.jpg")]) as camera, Stand(camera.path) as stand:
        browser.open(stand.url)
        browser.find("[data-open=onboard]")
        browser.click("[data-open=onboard]")
        browser.until("document.querySelector('.stage canvas')?.dataset.frame", what="the live picture")
        camera.silent.set()
        browser.find(".camera-gone", within=30)
        assert browser.text(".camera-gone h3") == "The camera is not responding"
        assert stand.request("status")["result"]["camera"]["status"] == "stalled"
        shown(browser, "camera-gone")
        last = int(browser.script("return document.querySelector('.stage canvas').dataset.frame"))
        camera.silent.clear()
        browser.gone(".camera-gone", within=30)
        browser.until(f"Number(document.querySelector('.stage canvas').dataset.frame) > {last}", within=30, what="new pictures")
        settle(browser)


@check
def what_moves_for_ever_is_no_visitor(browser):
    # Pictures come and go before the camera, over and over: for a while that counts as a person who walks about with it.
    with Stand(FRAMES, scene=SCENE, options=["--idle-after", "4"], beat=0.2) as stand:
        annotated(browser, stand)
        browser.find('[data-state="attract"]', within=40)
        stand.becomes("inactive", lambda status: status.get("session", "inactive") == "inactive")
        settle(browser)
