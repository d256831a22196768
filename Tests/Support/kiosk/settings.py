"""What the kiosk was told to show, and to whom."""
import os
import subprocess
import tempfile

from checks import FRAMES, SCENE, check, picture, settle, shown
from documents import storage
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
        assert browser.script("return [...document.querySelectorAll('dialog .bar .light')].filter((b) => b.offsetParent).length") == 0
        settle(browser)


@check
def a_language_stays_until_nobody_is_there(browser):
    with Stand([picture("no-code.jpg")], options=["--idle-after", "6"]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        assert browser.script("return document.documentElement.lang") == "en"
        browser.click("[data-language=de]")
        browser.until("document.documentElement.lang === 'de'")
        browser.open(f"http://{stand.address}/")
        browser.until("document.documentElement.lang === 'en'", what="a page of one's own, reopened, in the browser's language")
        browser.click("[data-language=de]")
        browser.driver.refresh()
        browser.find("[data-language=de][aria-pressed=true]")
        # The next visitor finds the page as it is for everybody.
        browser.find('[data-state="attract"]', within=30)
        assert browser.script("return [document.documentElement.lang, history.state]") == ["en", None]
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
def the_light_is_at_hand_in_every_view(browser):
    # A camera with a light, as the service would report it.
    script = browser.cdp("Page.addScriptToEvaluateOnNewDocument", source="""
      const through = window.fetch;
      window.fetch = async (url, options) => {
        const { method } = typeof options?.body === 'string' ? JSON.parse(options.body) : {};
        const answer = (result) => new Response(JSON.stringify({ result }), { headers: { 'content-type': 'application/json' } });
        if (method === 'torch') { await through('/api/config'); probe.sent.push(JSON.parse(options.body)); return answer({}); }
        return method === 'camera.list' ? answer({ cameras: [{ selected: true, torch: true }] }) : through(url, options);
      };""")["identifier"]
    try:
        with Stand(FRAMES, scene=SCENE, extra=storage()[0]) as stand:
            browser.resize(360, 640)
            browser.open(stand.url)
            browser.until("document.documentElement.dataset.online === 'true'")
            for view in ("onboard", "ar", "document", "count"):
                browser.click(f"[data-open={view}]")
                browser.find("dialog .bar .light")
                small = browser.script("return [...document.querySelectorAll('dialog .bar .button')].filter((b) => b.offsetParent).map((b) => b.getBoundingClientRect()).filter((r) => r.width < 47.5 || r.height < 47.5 || r.left < -1 || r.right > innerWidth + 1).length")
                assert not small, view
                browser.click("dialog .bar .light")
                browser.until("document.querySelector('dialog .bar .light').getAttribute('aria-pressed') === 'true'", what=f"the light in {view}")
                assert ("button", "Light") in browser.names()
                browser.click("dialog .leave")
                browser.script("document.querySelector('dialog.ask .actions .button:not(.primary)')?.click()")
                browser.find(f"[data-open={view}]")
                browser.until("probe.sent.filter((one) => one.method === 'torch').at(-1).params.on === false", what=f"the light off after {view}")
            browser.usual()
            settle(browser)
    finally:
        browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


@check
def each_view_shows_its_camera(browser):
    with tempfile.TemporaryDirectory(prefix="waymark-desk-") as folder:
        os.chmod(folder, 0o755)
        code = picture("onboarding.png")
        further = f"cameras:\n  desk:\n    source: {{path: {code}, rate: 10, onboarding: true}}\n"
        page = os.path.join(folder, "page.yaml")
        with open(page, "w", encoding="utf8") as out:
            out.write("cameras: {onboard: desk}\n")
        with Stand([picture("no-code.jpg")], extra=further, options=["--page", page]) as stand:
            browser.open(stand.url)
            browser.script("window.asked = []; const through = window.fetch; window.fetch = (url, options) => { window.asked.push(String(url)); return through(url, options); };")
            browser.click("[data-open=onboard]")
            # The first camera sees no code: the verdict is of the one over the desk.
            browser.find('.verdict[data-outcome="successful"]')
            browser.until("window.asked.some((url) => url.startsWith('/api/preview') && url.endsWith('&camera=desk'))")
            scans = {one["name"]: one.get("scan") for one in stand.request("status")["result"]["cameras"]}
            assert scans["main"] is None and scans["desk"]["scan"].startswith("desk."), scans
            browser.click("dialog .bar .leave")
            stand.becomes("left", lambda status: not any(one.get("scan") for one in status["cameras"]))
            browser.click("[data-open=count]")
            browser.until("window.asked.filter((url) => url.startsWith('/api/preview')).at(-1)?.endsWith('&camera=main')", what="counting shows the first camera")
            settle(browser)
