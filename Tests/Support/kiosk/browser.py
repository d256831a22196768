"""A headless Chromium, and the few things the tests ask of it."""
import base64
import glob
import json
import os
import sys
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

AXE = next(iter(glob.glob(os.path.join(sys.prefix, "lib/python3*/site-packages/axe_playwright_python/axe.min.js"))), None)

# Notes every frame that was drawn with the overlay on it, every event's delay, and how many frames a scan has looked at, from the
# first line on.
PROBE = """
window.probe = { drawn: [], delays: [], looked: 0, shift: 0, shifted: [], long: [], sent: [] };
new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) { probe.shift += one.value; probe.shifted.push(...one.sources.map(({ node }) => node?.className || node?.nodeName)); } }).observe({ type: 'layout-shift', buffered: true });
new PerformanceObserver((list) => { for (const one of list.getEntries()) probe.long.push(Math.round(one.duration)); }).observe({ type: 'longtask', buffered: true });
const send = window.fetch;
window.fetch = (url, options) => { if (typeof options?.body === 'string') probe.sent.push(JSON.parse(options.body)); return send(url, options); };
document.addEventListener('drawn', (e) => { probe.drawn.push([e.detail.frame, e.detail.overlay]); }, true);
const Original = window.EventSource;
window.EventSource = class extends Original {
  constructor(...a) {
    super(...a);
    window.tell = (event) => this.onmessage({ data: JSON.stringify(event) });
    this.addEventListener('message', (m) => {
      if (m.data.includes('"anchors.updated"') && m.data.includes('"trackingMethod"') && !m.data.includes('"fullTracking"')) probe.away ??= performance.now();
      const time = /"time":"([^"]+)"/.exec(m.data);
      const frames = /"event":"scanner.status".*"frames":(\\d+)/.exec(m.data);
      if (frames) probe.looked = Number(frames[1]);
      if (time) probe.delays.push(Date.now() - Date.parse(time[1]));
    });
  }
};
"""


class Browser:
    def __init__(self, size=(1280, 800)):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--enable-precise-memory-info",
                         "--js-flags=--expose-gc", f"--window-size={size[0]},{size[1]}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(60)
        self.cdp("Network.enable")
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=PROBE)
        self.requests = []
        self.console = []

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def open(self, url):
        self.driver.get(url)

    def resize(self, width, height, scale=1.0, mobile=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def forget_cookies(self):
        self.cdp("Network.clearBrowserCookies")

    def usual(self):
        """The screen as it is otherwise."""
        self.cdp("Emulation.clearDeviceMetricsOverride")
        self.media(prefers_color_scheme="light", prefers_reduced_motion="no-preference")

    def media(self, **features):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])

    def find(self, selector, within=20):
        """The first visible match, waited for. A dialog that fades in shows between two questions: a later match counts if the next look finds it, too."""
        end, before = time.monotonic() + within, None
        while time.monotonic() < end:
            shown = None
            for at, node in enumerate(self.driver.find_elements(By.CSS_SELECTOR, selector)):
                try:
                    if node.is_displayed():
                        if at == 0 or node == before:
                            return node
                        shown = node
                        break
                except Exception:  # replaced meanwhile
                    pass
            before = shown
            time.sleep(0.03)
        raise AssertionError(f"{selector} did not appear within {within} s")

    def gone(self, selector, within=20):
        end = time.monotonic() + within
        while time.monotonic() < end:
            try:
                if not any(node.is_displayed() for node in self.driver.find_elements(By.CSS_SELECTOR, selector)):
                    return
            except Exception:  # replaced meanwhile
                pass
            time.sleep(0.03)
        raise AssertionError(f"{selector} did not go away within {within} s")

    def click(self, selector, within=20):
        end = time.monotonic() + within
        while True:
            try:
                self.driver.execute_script("arguments[0].click()", self.find(selector, within))
                return
            except StaleElementReferenceException:  # replaced meanwhile
                if time.monotonic() > end:
                    raise

    def type(self, text):
        """Types into what has the focus."""
        self.driver.switch_to.active_element.send_keys(text)

    def text(self, selector):
        return self.find(selector).text

    def script(self, source, *arguments):
        return self.driver.execute_script(source, *arguments)

    def until(self, source, within=20, what=None):
        """Waits until a script's value is true, and returns it."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            value = self.script("return " + source)
            if value:
                return value
            time.sleep(0.03)
        raise AssertionError(f"{what or source} did not come true within {within} s")

    def shot(self, path):
        form = {"quality": 68, "format": "webp"} if path.endswith(".webp") else {"format": "png"}
        data = self.cdp("Page.captureScreenshot", **form)["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def accessibility(self):
        """Faults that axe-core finds, but for minor ones."""
        with open(AXE, encoding="utf8") as source:
            expression = source.read() + ";axe.run().then((r) => JSON.stringify(r.violations))"
        answer = self.cdp("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
                          allowUnsafeEvalBlockedByCSP=True)
        violations = json.loads(answer["result"]["value"])
        return [(v["id"], [n["html"][:160] for n in v["nodes"]]) for v in violations if v["impact"] != "minor"]

    def names(self):
        """What a screen reader is told: (role, name) of everything that is not ignored."""
        nodes = self.cdp("Accessibility.getFullAXTree")["nodes"]
        return [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")]

    def collect(self):
        """Takes up what was requested and what the console said since the last call."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
        self.console += [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "ERROR")]

    def close(self):
        self.driver.quit()
