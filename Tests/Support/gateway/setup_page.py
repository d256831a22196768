"""The page for operators: what it and its methods give away, and the page in a browser."""
import json
import os
import sys
import time

from gateway import ROOT, TOKENS, Gateway, parse, wait

FOLDER = os.environ.get("GATEWAY_PAGE", str(ROOT / ".build/gateway-page"))
PATHS = ["/", "/assets/page.css", "/assets/page.js", "/assets/icon.svg", "/assets/fonts/inter-regular.woff2", "/assets/fonts/inter-semibold.woff2"]
BYTES = 100_000
OBSERVER_MESSAGE = "This token is an observer’s; the page needs an operator’s."


def files(suite):
    """The files need no token and contain none; the answers behind them need an operator's, and contain no secret."""
    stranger, size = Gateway(port=suite.port), 0
    for path in PATHS:
        answer = stranger.get(path)
        size += len(answer.body)
        policy = answer.headers["content-security-policy"]
        assert answer.status == 200 and "unsafe" not in policy and "frame-ancestors 'none'" in policy, (path, answer.status, policy)
        assert answer.headers["cross-origin-resource-policy"] == "same-origin" and answer.headers["x-content-type-options"] == "nosniff", path
        assert stranger.request("POST", path, b"{}").status == 405, path
    assert size <= BYTES, size
    for path in ("/assets/", "/assets/fonts/OFL.txt", "/assets/../gateway.yaml", "/assets/%2e%2e/gateway.yaml", "/assets/..%2fpage.js", "//", "/assets/page.js/", "/index.html"):
        assert stranger.get(path).status in (400, 401), path
        assert suite.network.get(path).status in (400, 404), path
    for host in ("evil.example", "127.0.0.1", "localhost:1"):
        assert parse(stranger.raw(b"GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % host.encode())).status == 421, host
    methods = {"config.show": {}, "config.check": {"text": "scan: {}"}, "log.read": {}, "report.make": {}}
    for method, params in methods.items():
        assert stranger.call(method, params).status == 401, method
        refused = suite.viewer.call(method, params)
        assert refused.status == 403 and refused.json["error"]["code"] == "notPermitted", refused.body
        foreign = suite.network.call(method, params, [("Origin", "https://evil.example")])
        assert foreign.status == 403 and foreign.json["error"]["code"] == "foreignOrigin", foreign.body
        answer = suite.network.call(method, params)
        assert answer.status == 200, (method, answer.body[:300])
        for secret in (suite.secret, *TOKENS.values()):
            assert secret.encode() not in answer.body, (method, secret)
    shown = {one["key"]: one for one in suite.network.call("config.show").json["values"]}
    assert shown["clients.history"]["value"] == "1000" and shown["clients.history"]["origin"] == f"{suite.folder}/waymark.yaml:1", shown["clients.history"]
    assert shown["camera.keepOpen"]["origin"] == "default" and shown["log.level"]["origin"] == "command line", shown["log.level"]
    assert "[redacted]" in shown["scenes.cache"]["value"], shown["scenes.cache"]
    check = lambda text: suite.network.call("config.check", {"text": text})
    assert check("scan:\n  rate: 5\n").json == {"problems": []}
    wrong = check("scan:\n  rate: 5\n  barcodeSymbologies: [qr, ean]\n").json["problems"]
    assert [one["line"] for one in wrong] == [3] and 'no symbology "ean"' in wrong[0]["message"], wrong
    # A file that the text names is not quoted.
    named = check(f"camera:\n  calibrations: [{suite.folder}/secret]\n").json["problems"]
    assert len(named) == 1 and named[0]["line"] == 2 and suite.secret not in json.dumps(named), named
    assert check("a" * 40_000).status == 400 and check("").status == 400
    assert check("a" * 70_000).status == 413
    assert "waymark report" in suite.network.call("report.make").json["text"]


def start(name):
    sys.path.append(str(ROOT / "Tests/Support/kiosk"))
    if name == "firefox":
        from firefox import Firefox
        return Firefox()
    from browser import Browser
    return Browser()


def driven(suite, name):
    """An operator enters, sees what the camera sees, and looks at everything; others are told what is missing."""
    try:
        browser = start(name)
    except Exception as problem:
        print("        no %s: %s" % (name, str(problem)[:80]), flush=True)
        return
    enter = """
        document.getElementById('token').value = arguments[0];
        document.getElementById('enter').requestSubmit();"""
    shots, seen = os.environ.get("SHOTS"), "document.getElementById('parts').textContent"
    try:
        browser.open("http://127.0.0.1:%d/" % suite.port)
        browser.find("#enter")
        assert browser.accessibility() == [], browser.accessibility()
        for token, told in (("not-a-token-of-the-gateway", "does not know this token"), (TOKENS["observer"], OBSERVER_MESSAGE)):
            browser.script(enter, token)
            browser.until("document.getElementById('trouble').textContent.includes(%s)" % json.dumps(told))
            assert browser.script("return document.getElementById('parts').hidden && !sessionStorage.length")
        browser.script(enter, TOKENS["operator"])
        browser.until(seen + ".includes('Scene Pump room')", what="the anchors")
        browser.until("document.querySelector('canvas').dataset.frame", what="the live picture")
        for text in ("streaming", "Values that apply", "waymark.yaml:1", "command line", "barcode", "clients"):
            browser.until(seen + ".includes(%s)" % json.dumps(text), what=text)
        # Frames that were drawn, from those that the page has counted.
        begin, first, used = time.monotonic(), browser.script("return probe.drawn.length"), processor(suite)
        browser.until("probe.drawn.length >= %d" % (first + 100), 60, "a hundred frames")
        seconds = time.monotonic() - begin
        share = {one: (after - before) / seconds * 100 for (one, before), after in zip(used.items(), processor(suite).values())}
        browser.click(".row .button.primary")
        browser.until("/Accepted: |Refused: /.test(%s)" % seen, 40, "a verdict")
        browser.script("document.getElementById('changed').value = 'scan:\\n  rat: 5'")
        browser.script("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Check').click()")
        browser.until(seen + ".includes('scan.rat')", what="the problem of the changed file")
        assert suite.secret not in browser.script("return document.documentElement.innerHTML")
        assert browser.accessibility() == [], browser.accessibility()
        assert browser.script("return !localStorage.length && !document.cookie && sessionStorage.length === 1")
        paint = browser.script("return Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1)")
        size = browser.script("return performance.getEntriesByType('resource').filter((one) => one.name.includes('/assets/')).reduce((sum, one) => sum + one.encodedBodySize, performance.getEntriesByType('navigation')[0].encodedBodySize)")
        assert 0 < size <= BYTES, size
        if shots:
            browser.shot(os.path.join(shots, "setup-%s.png" % name))
            browser.resize(420, 900)
            browser.shot(os.path.join(shots, "setup-%s-small.png" % name))
        browser.collect()
        assert all("127.0.0.1:%d" % suite.port in one or one.startswith(("data:", "about:", "blob:")) for one in browser.requests), browser.requests
        faults = [one for one in browser.console if not any(code in one["message"] for code in ("401", "403"))]
        assert not faults, faults
        print("        first paint %d ms, %d bytes, %.1f frames a second, gateway %.1f %%, service %.1f %% of a core"
              % (paint, size, 100 / seconds, share["gateway"], share["service"]), flush=True)
        report(browser, suite, name)
        browser.script("document.getElementById('forget').click()")
        browser.find("#enter")
        assert browser.script("return !sessionStorage.length")
    finally:
        browser.close()


def report(browser, suite, name):
    """The report arrives as a file."""
    if name == "firefox":
        return
    browser.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(suite.folder))
    browser.script("[...document.querySelectorAll('button')].find((one) => one.textContent.includes('report')).click()")
    path = suite.folder / "waymark-report.txt"
    wait(path.exists, "no report was downloaded", 60)
    text = wait(path.read_text, "the report is empty")
    assert text.startswith("waymark report") and "== Log" in text and suite.secret not in text, text[:300]


def processor(suite):
    """Processor seconds of both programs and of what they have started."""
    def seconds(process):
        fields = open("/proc/%d/stat" % process).read().rpartition(")")[2].split()
        children = open("/proc/%d/task/%d/children" % (process, process)).read().split()
        return sum(int(one) for one in fields[11:13]) / os.sysconf("SC_CLK_TCK") + sum(seconds(int(child)) for child in children)
    return {"gateway": seconds(suite.gateway.process.pid), "service": seconds(suite.service.process.pid)}
