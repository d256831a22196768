"""A headless Firefox, asked for the same things as `browser.Browser`. Debian has no geckodriver; Firefox itself speaks WebDriver BiDi."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time

import websocket
from browser import AXE, PROBE


# The checks that go through every view as a user does, without those that need Chromium's driver: pictures, fingers, single keys.
CHECKS = """
  onboarding_from_start_to_handed_over handed_over_goes_back_by_itself an_invalid_code_says_why_in_words the_gallery_asks_first_and_answers_unsuccessful
  a_confirmation_that_fails_is_told a_barcode_fills_a_field another_program_holds_the_scanner a_code_is_outlined_and_followed_between_its_answers
  a_shelf_is_counted_once the_offline_banner_leaves_the_bar_alone the_guide_is_what_counts the_code_is_outlined_and_stands_still
  a_chosen_picture_is_shown_with_its_code continue_is_pressed_once a_scan_of_somebody_else_is_theirs what_is_looked_for_and_found marker_icons_are_drawn
  whoever_is_still_there_is_asked what_was_scanned_is_never_cut the_kit_shows_every_state every_screen_holds_a_session
  the_coaching_sheet_collapses_and_returns whoever_reads_a_card_is_left_alone a_scan_that_is_over_begins_again
  pages_capture_themselves_and_are_asked_about an_answer_finds_nobody_there a_printed_number_is_read_into_the_field what_looks_alike_is_asked
  nothing_to_read_says_what_to_change the_service_goes_and_comes_back the_camera_goes_and_comes_back what_moves_for_ever_is_no_visitor
  the_kiosk_shows_what_it_was_told_to a_language_stays_until_nobody_is_there an_observer_is_told_so every_screen_holds_what_it_must
  hands_reach_what_they_press the_page_is_small_and_soon_there messages_cover_neither_headings_nor_prompts
""".split()


class Node:
    def __init__(self, text):
        self.text = text


class Firefox:
    """What of a check only Chromium or its driver can do is not here: such a check is none for Firefox."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="waymark-firefox-")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0", "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env={**os.environ, "HOME": self.profile, "LANG": "C.UTF-8"})
        address = None
        for line in self.process.stderr:
            if match := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
                address = match[1]
                break
        assert address, "Firefox did not start"
        # Firefox blocks when its standard error is not read.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.socket = websocket.create_connection(address + "/session", timeout=60, suppress_origin=True)
        self.number = 0
        self.requests, self.console = [], []
        self.driver = self
        self.ask("session.new", capabilities={})
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        # A page in the background gets no focus events.
        self.ask("browsingContext.activate", context=self.context)
        self.ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.ask("script.addPreloadScript", functionDeclaration="() => {" + PROBE + "}")
        self.usual()

    def ask(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.number:
                assert message["type"] == "success", f"{method}: {message.get('message')}"
                return message["result"]
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.console.append({"message": message["params"]["text"] or ""})
            elif message.get("method") == "network.beforeRequestSent":
                self.requests.append(message["params"]["request"]["url"])

    def open(self, url):
        self.ask("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def find_elements(self, _, selector):
        return [Node(text) for text in self.script("return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)", selector)]

    @property
    def current_url(self):
        return self.script("return location.href")

    def execute_async_script(self, source, *arguments):
        return self.script(f"return new Promise((go) => (function () {{ {source} }})(...arguments, go))", *arguments)

    def refresh(self):
        self.ask("browsingContext.reload", context=self.context, wait="complete")

    def resize(self, width, height):
        self.ask("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def forget_cookies(self):
        self.ask("storage.deleteCookies")

    def usual(self):
        self.resize(1280, 800)

    def script(self, source, *arguments):
        answer = self.ask(
            "script.evaluate", target={"context": self.context}, awaitPromise=True, userActivation=True,
            expression=f"(async function () {{ {source} }}).apply(null, {json.dumps(arguments)}).then((value) => JSON.stringify(value ?? null))")
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"]["value"])

    def until(self, source, within=20, what=None):
        end = time.monotonic() + within
        while not (value := self.script("return " + source)):
            assert time.monotonic() < end, f"{what or source} did not come true within {within} s"
            time.sleep(0.03)
        return value

    def find(self, selector, within=20):
        return Node(self.until(f"[...document.querySelectorAll({json.dumps(selector)})].filter((one) => one.checkVisibility({{ visibilityProperty: true }})).map((one) => one.innerText || ' ')[0]", within, f"{selector} to be seen"))

    def gone(self, selector, within=20):
        self.until(f"![...document.querySelectorAll({json.dumps(selector)})].some((one) => one.checkVisibility({{ visibilityProperty: true }}))", within, f"{selector} to go away")

    def click(self, selector, within=20):
        self.find(selector, within)
        self.script(f"[...document.querySelectorAll({json.dumps(selector)})].find((one) => one.checkVisibility({{ visibilityProperty: true }})).click()")

    def type(self, text):
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.ask("input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": keys}])

    def media(self, **_):
        """Movements and colours are as they are without a preference."""

    def text(self, selector):
        return self.find(selector).text

    def shot(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.ask("browsingContext.captureScreenshot", context=self.context)["data"]))

    def accessibility(self):
        with open(AXE, encoding="utf8") as source:
            axe = source.read()
        self.ask("script.evaluate", target={"context": self.context}, awaitPromise=False, expression=f"{axe}; 0")
        return self.script("const { violations } = await axe.run(); return violations.filter((v) => v.impact !== 'minor').map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 160))])")

    def collect(self):
        """What was asked for and said has come with the answers."""
        self.script("return 0")

    def close(self):
        try:
            self.ask("browser.close")
        except Exception:  # it may be gone already
            pass
        self.socket.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
