"""Measures the kiosk page in a headless Chromium, the real service on the sample walk beside it.

  measure.py [live] [views] [memory] [first] [--firefox] [--undisturbed] [--frames 50000] [--seconds 20] [--rate 60] [--json]

live    at 640×480 and 30 frames a second: frames drawn a second, how far the overlay's frame is from the one it is drawn
        on, and the time from an event's birth in the service to its arrival in the page.
views   each view over the camera at 1280×720 and 30 frames a second: frames drawn a second, and the tasks over 50 ms while it
        opens and once it is there.
memory  so many frames as fast as the system gives: the page's heap after a forced collection, the kiosk's and the
        service's memory, and by how much they grow from the second fifth of the run to its end.
first   the first view, from asking for the page to its first picture, in turns with a page of one word from the same program:
        milliseconds of each and their ratio, with nothing cached and with everything, how many files it took, and how much the
        whole page is as it travels.

With --firefox `live` and `first` are measured in Firefox. With --undisturbed (as root) all of it runs before everything else on the machine: what other work there costs a page is
no property of the page. Ends with 1 when a limit is missed. Needs selenium, Chromium and the built executable (WAYMARK names another one).
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.join(ROOT, "Tests/Support/kiosk"))
from browser import Browser
from stand import Stand

# Those of the tests take their arguments for a folder.
own, sys.argv = sys.argv, sys.argv[:1]
from documents import storage
from firefox import Firefox
from following import drawn
from texts import PLATES, read_into
sys.argv = own

FRAMES = os.path.join(ROOT, "Samples/sequences/pump-room")
SCENE = os.path.join(ROOT, "Samples/scenes/pump-room")

# The page asks for 30 frames a second; for a long run it is to get more.
FASTER = """
const given = window.fetch;
window.fetch = (url, ...rest) => given(typeof url === 'string' ? url.replace(/rate=30$/, 'rate=%d') : url, ...rest);
"""
# Only counts: a list of 50,000 entries would be growth of the measurement's own.
COUNT = """
window.count = { drawn: 0, overlaid: 0, off: 0 };
document.addEventListener('drawn', (e) => {
  count.drawn += 1;
  if (e.detail.overlay === null) return;
  count.overlaid += 1;
  if (e.detail.overlay !== e.detail.frame) count.off += 1;
  if (window.probe) { probe.drawn.length = 0; if (probe.delays.length > 5000) probe.delays.length = 0; }
}, true);
"""


def annotate(browser, stand):
    browser.open(stand.url)
    browser.click("[data-open=ar]", within=60)
    browser.click(".coaching .primary", within=60)
    browser.find('.stage[data-phase="annotating"]', within=120)


def live(options):
    browser = (Firefox if options.firefox else Browser)()
    try:
        with Stand(FRAMES, scene=SCENE, rate=30) as stand:
            annotate(browser, stand)
            browser.script("probe.drawn.length = 0; probe.delays.length = 0; window.begun = performance.now()")
            time.sleep(options.seconds)
            drawn, delays, seconds = browser.script("return [probe.drawn, probe.delays, (performance.now() - begun) / 1000]")
            overlaid = [(frame, overlay) for frame, overlay in drawn if overlay is not None]
            return {
                "framesASecond": round(len(drawn) / seconds, 2), "drawn": len(drawn), "withOverlay": len(overlaid),
                "overlayFramesOff": sum(frame != overlay for frame, overlay in overlaid),
                "framesLeftOut": drawn[-1][0] - drawn[0][0] + 1 - len(drawn),
                "eventToPageMedianMilliseconds": statistics.median(delays),
                "eventToPageP95Milliseconds": sorted(delays)[int(len(delays) * 0.95)], "events": len(delays)}
    finally:
        browser.close()


def shelf():
    """The camera goes along seven codes and back."""
    places = [(0, 40), (1, 240), (0, 400), (2, 600), (0, 760), (1, 960), (0, 1120)]
    return [[[source, x - at, 170, 150] for source, x in places if -200 < x - at < 640] for at in [*range(0, 700, 12), *range(700, 0, -12)]]


def views(options):
    """Each view with what its scanner follows or looks for before the camera."""
    codes = ["product.png", "onboarding.png", "wifi.png"]
    moving = [[[0, x, 170, 150]] for x in [*range(100, 300, 5), *range(300, 100, -5)]]
    browser, found = Browser(), {}
    try:
        for view, pictures, there in (
            ("onboard", drawn(browser, codes, moving), ".stage canvas[data-frame]"), ("ar", FRAMES, ".coaching .primary"),
            ("document", FRAMES, ".shutter:not(:disabled)"), ("count", drawn(browser, codes, shelf()), ".counted"),
            ("text", [os.path.join(PLATES, "plate.jpg")], ".reader .guide")):
            with Stand(pictures, scene=SCENE if view == "ar" else None, rate=30, extra=storage()[0] if view == "document" else "") as stand:
                browser.resize(1280, 720)
                browser.open(stand.url)
                browser.until("document.documentElement.dataset.online === 'true'")
                time.sleep(1)
                browser.script("probe.long.length = 0")
                browser.script(f"document.querySelector('[data-open={'field' if view == 'text' else view}]').click()")
                if view == "text":
                    read_into(browser, "batch")
                # What looks whether something is displayed would be a long task itself.
                browser.until(f"document.querySelector('{there}')", within=60)
                if view == "ar":
                    browser.script(f"document.querySelector('{there}').click()")
                    browser.until("document.querySelector('.stage').dataset.phase === 'annotating'", within=60)
                browser.until("probe.drawn.length > 10", within=60, what="ten frames")
                opening = browser.script("const long = [...probe.long]; probe.long.length = probe.drawn.length = 0; window.begun = performance.now(); return long")
                time.sleep(options.seconds)
                frames, long, seconds = browser.script("return [probe.drawn.length, probe.long, (performance.now() - begun) / 1000]")
                found[view] = {"framesASecond": round(frames / seconds, 1), "longTasksOpening": opening, "longTasks": long}
                browser.collect()
                browser.requests.clear()
                browser.open("about:blank")
    finally:
        browser.close()
    return found


def memory(options):
    browser = Browser()
    try:
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=FASTER % options.rate + COUNT)
        with Stand(FRAMES, scene=SCENE, rate=options.rate, options=["--idle-after", "0"]) as stand:
            annotate(browser, stand)
            samples, begun = [], time.monotonic()
            step = max(1, options.frames // 20)
            while True:
                count = browser.script("return count")
                if count["drawn"] >= step * len(samples):
                    # The log of requests would be growth of the driver's own.
                    browser.collect()
                    browser.requests.clear()
                    browser.cdp("HeapProfiler.collectGarbage")
                    samples.append({
                        "frames": count["drawn"], "heap": browser.cdp("Runtime.getHeapUsage")["usedSize"],
                        "kiosk": stand.resident(stand.kiosk), "service": stand.resident(stand.service),
                        "seconds": round(time.monotonic() - begun, 1)})
                    if not options.json:
                        print("%(frames)7d frames  %(seconds)7.1f s  heap %(heap)9d  kiosk %(kiosk)10d  service %(service)10d" % samples[-1], flush=True)
                if count["drawn"] >= options.frames:
                    break
                time.sleep(0.5)
            settled = samples[len(samples) // 5:]
            third = max(1, len(settled) // 3)
            growth = {
                name: statistics.median(s[name] for s in settled[-third:]) - statistics.median(s[name] for s in settled[:third])
                for name in ("heap", "kiosk", "service")}
            return {"frames": count["drawn"], "overlaid": count["overlaid"], "overlayFramesOff": count["off"],
                    "seconds": samples[-1]["seconds"], "heapBytes": samples[-1]["heap"], "kioskBytes": samples[-1]["kiosk"],
                    "serviceBytes": samples[-1]["service"], "growthBytes": growth}
    finally:
        browser.close()


EMPTY = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Empty</title><body><h1>Empty</h1></body></html>'
PAINTED = """
  const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  return painted && { painted, files: performance.getEntriesByType('resource').filter((one) => one.responseEnd < painted).length };"""


# The size of all files of the page as they travel, once the last is there.
TRAVELLED = """(() => {
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].filter(({ name }) => !name.includes('/api/'));
  return all.some(({ name, responseEnd }) => name.endsWith('/views.js') && responseEnd) && all.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
})()"""


def first(options):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        with open(os.path.join(folder, "index.html"), "w", encoding="utf8") as out:
            out.write(EMPTY)
        browser = (Firefox if options.firefox else Browser)()
        try:
            picture = [os.path.join(ROOT, "Samples/pictures/no-code.jpg")]
            with Stand(picture) as page, Stand(picture, options=["--assets", folder]) as empty:

                def once(stand, cached):
                    if options.firefox:
                        browser.ask("network.setCacheBehavior", cacheBehavior="default" if cached else "bypass")
                    elif not cached:
                        browser.cdp("Network.clearBrowserCache")
                    browser.open("about:blank")
                    # The previous page may still be loading; its requests must not count for the next first view.
                    time.sleep(0.3)
                    browser.open(f"http://{stand.address}/")
                    while not (seen := browser.script(PAINTED)):
                        time.sleep(0.02)
                    return seen

                for stand in (page, empty):
                    browser.open(stand.url)
                rounds = [(once(page, False), once(empty, False), once(page, True)) for _ in range(options.rounds)]
                once(page, False)
                travelled = browser.until(TRAVELLED, what="the whole page")
        finally:
            browser.close()
    def middle(pick):
        return statistics.median(pick(*one) for one in rounds)

    return {
        "firstViewMilliseconds": round(middle(lambda fresh, empty, cached: fresh["painted"])),
        "slowestMilliseconds": round(max(fresh["painted"] for fresh, _, _ in rounds)),
        "cachedMilliseconds": round(middle(lambda fresh, empty, cached: cached["painted"])),
        "emptyPageMilliseconds": round(middle(lambda fresh, empty, cached: empty["painted"])),
        "ratio": round(middle(lambda fresh, empty, cached: fresh["painted"] / empty["painted"]), 2),
        "travelledKibibytes": round(travelled / 1024, 1),
        "files": middle(lambda fresh, empty, cached: fresh["files"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["live", "views", "memory", "first", []], default=["live"])
    parser.add_argument("--frames", type=int, default=50_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--firefox", action="store_true")
    parser.add_argument("--undisturbed", action="store_true")
    options = parser.parse_args()
    if options.firefox and not {"live", "first"}.issuperset(options.what):
        parser.error("Firefox is asked for live and first alone.")
    if options.undisturbed:
        # Browser, service and kiosk inherit it.
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    report, limits = {}, {}
    if "live" in options.what:
        report["live"] = found = live(options)
        limits["the overlay 0 frames off"] = found["overlayFramesOff"] == 0 and found["withOverlay"] > 0
        limits["30 frames a second"] = found["framesASecond"] >= 29
        limits["event to page under 30 ms"] = found["eventToPageMedianMilliseconds"] < 30
    if "views" in options.what:
        report["views"] = found = views(options)
        for view, figures in found.items():
            limits[f"{view}: 30 frames a second"] = figures["framesASecond"] >= 29
            limits[f"{view}: no task over 50 ms"] = not figures["longTasks"] and not figures["longTasksOpening"]
    if "memory" in options.what:
        report["memory"] = found = memory(options)
        limits["the page's heap flat (under 1 MiB)"] = found["growthBytes"]["heap"] < 1 << 20
        limits["the kiosk's memory flat (under 4 MiB)"] = found["growthBytes"]["kiosk"] < 4 << 20
    if "first" in options.what:
        report["first"] = found = first(options)
        limits["the page in 150 KiB"] = found["travelledKibibytes"] <= 150
        limits["the first view in 300 ms"] = found["firstViewMilliseconds"] <= 300
        if options.undisturbed:
            limits["the first view in 300 ms each time"] = found["slowestMilliseconds"] <= 300
    if options.json:
        print(json.dumps({"report": report, "limits": limits}))
    else:
        for part, figures in report.items():
            for key, value in figures.items():
                print(f"{part:7} {key:32} {value}")
        for key, value in limits.items():
            print(f"{'ok' if value else 'MISS':4} {key}")
    sys.exit(0 if all(limits.values()) else 1)


main()
