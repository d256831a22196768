"""Signing: on the page, with a pen, through the service, and into a file that can be verified."""
import base64
import json
import math
import os
import socket
import subprocess
import tempfile

from checks import at_rest, check, picture, settle, shown
from fields import Program, kit
from stand import WAYMARK, Stand

CELL = "document.querySelector('wm-signature[label=\"Received by\"]')"
PARTS = f"const cell = {CELL}, part = (name) => [...cell.shadowRoot.querySelectorAll('button')].find((one) => one.textContent === name);"
# The strokes of the kit's cell go to the real service.
REAL = f"""return import('/assets/js/api.js').then(({{ command }}) => {{ const cell = {CELL}; cell.save = (drawing) => {{ window.sent = drawing;
  return command('signature.save', {{ ...drawing, purpose: 'Goods received', signer: 'Ada Müller' }}); }}; return true; }});"""


def wave(box, i, whole=240):
    return (box["left"] + box["width"] * (0.1 + 0.8 * i / whole), box["top"] + box["height"] * (0.5 + 0.3 * math.sin(i / 9) * math.cos(i / 41)))


def place(browser):
    return browser.script(f"{CELL}.scrollIntoView({{ block: 'center' }}); return {CELL}.shadowRoot.querySelector('.tail').getBoundingClientRect().toJSON()")


def touch(browser, kind, x=None, y=None):
    browser.cdp("Input.dispatchTouchEvent", type=kind, touchPoints=[] if x is None else [{"x": x, "y": y}])


@check
def scrolling_over_a_cell_does_not_sign(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.resize(800, 600, mobile=True)
        browser.cdp("Emulation.setTouchEmulationEnabled", enabled=True)
        kit(browser, stand)
        box = place(browser)
        before = browser.script("return document.getElementById('app').scrollTop")
        x, y = box["left"] + box["width"] / 2, box["top"] + box["height"] / 2
        touch(browser, "touchStart", x, y)
        for step in range(1, 12):
            touch(browser, "touchMove", x, y - 12 * step)
        touch(browser, "touchEnd")
        browser.until(f"document.getElementById('app').scrollTop !== {before}", what="a page that scrolls")
        assert browser.script(f"return {CELL}.state") == "inactive" and browser.script(f"return {CELL}.ink.isEmpty")
        browser.cdp("Emulation.setTouchEmulationEnabled", enabled=False)
        browser.usual()
        settle(browser)


@check
def a_signature_is_drawn_kept_and_verified(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        listener = Program(stand)
        listener.ask("subscribe", events=["signature.*"])
        browser.resize(1280, 900)
        kit(browser, stand)
        browser.script(REAL)
        # Empty it cannot be saved, and says so.
        assert browser.script(f"return {CELL}.reportValidity()") is False
        browser.script(f"{CELL}.shadowRoot.querySelector('.scrim').click()")
        assert browser.script(f"{PARTS} return [part('Save').disabled, part('Clear').disabled, part('Cancel').hidden, cell.state]") == [True, True, False, "active"]
        box = place(browser)
        # A pen, by the browser's own input: its pressure comes through.
        pen = {"pointerType": "pen", "button": "left"}
        x, y = wave(box, 0)
        browser.cdp("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, force=0.3, clickCount=1, buttons=1, **pen)
        for i in range(1, 40):
            x, y = wave(box, 6 * i)
            browser.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, force=0.3 + 0.5 * i / 40, buttons=1, **pen)
        browser.cdp("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, buttons=0, **pen)
        pressures = browser.script(f"return {CELL}.ink.strokes[0].map((one) => one.p)")
        assert len(pressures) > 20 and None not in pressures and max(pressures) > min(pressures) + 200, pressures
        assert browser.script(f"{PARTS} return [part('Save').disabled, part('Clear').disabled, cell.state]") == [False, False, "signed"]
        shown(browser, "sign-signed", everywhere=False)
        browser.script(f"{PARTS} part('Clear').click()")
        assert browser.script(f"return [{CELL}.state, {CELL}.ink.isEmpty]") == ["active", True]
        # 120 positions a second for two seconds, four between two frames as the screen measures them: none is dropped.
        lost = browser.script(f"""
          const cell = {CELL}, tail = cell.shadowRoot.querySelector('.tail'), box = tail.getBoundingClientRect();
          const at = (i) => ({{ clientX: box.left + box.width * (.1 + .8 * i / 240), clientY: box.top + box.height * (.5 + .3 * Math.sin(i / 9) * Math.cos(i / 41)) }});
          const make = (type, i) => new PointerEvent(type, {{ bubbles: true, composed: true, pointerId: 9, pointerType: 'touch', pressure: .5, ...at(i) }});
          tail.dispatchEvent(make('pointerdown', 0));
          const longest = []; let i = 1;
          return new Promise((done) => {{
            const step = () => {{
              const begun = performance.now();
              const some = [0, 1, 2, 3].map((k) => make('pointermove', i + k));
              const event = some.at(-1);
              event.getCoalescedEvents = () => some;
              tail.dispatchEvent(event);
              i += 4;
              requestAnimationFrame(() => {{ longest.push(performance.now() - begun); if (i <= 240) setTimeout(step, 33); else {{ tail.dispatchEvent(make('pointerup', 240)); done([241 - cell.ink.points, Math.max(...longest)]); }} }});
            }};
            step();
          }});""")
        assert lost[0] == 0, lost
        print(f"  241 of 241 positions kept; drawn after at most {lost[1]:.0f} ms")
        at_rest(browser)
        canvas = browser.script(f"const c = {CELL}.shadowRoot.querySelector('canvas'); return [c.toDataURL('image/png'), c.width, c.height]")
        browser.script(f"{PARTS} part('Save').click()")
        event = listener.event("signature.saved")
        browser.until(f"{CELL}.state === 'saved'")
        assert event["purpose"] == "Goods received" and event["hash"] == browser.script(f"return {CELL}.hash") and event["id"] == browser.script(f"return {CELL}.value")
        assert browser.script(f"{PARTS} return [part('Re-enter signature').hidden, cell.checkValidity()]") == [False, True]
        shown(browser, "sign-saved", everywhere=False)
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("svg", "png", "json"):
                path = os.path.join(folder, "signature." + kind)
                with open(path, "wb") as out:
                    out.write(fetch(stand, event["id"], kind))
                run = subprocess.run([WAYMARK, "signature", "verify", path, "--json", "--hash", event["hash"]], capture_output=True, text=True)
                report = json.loads(run.stdout)
                assert run.returncode == 0 and report["whole"] and report["points"] == 241 and report["signer"] == "Ada Müller", (kind, run.stdout, run.stderr)
            with open(path.replace("json", "svg"), encoding="utf8") as source:
                changed = source.read().replace("Goods received", "Goods refused")
            with open(path + ".svg", "w", encoding="utf8") as out:
                out.write(changed)
            assert subprocess.run([WAYMARK, "signature", "verify", path + ".svg"], capture_output=True).returncode == 2
            assert subprocess.run([WAYMARK, "signature", "verify", os.path.abspath(__file__)], capture_output=True).returncode == 65
            if WAYMARK and os.environ.get("KEEP"):
                subprocess.run(["cp", "-r", folder, os.environ["KEEP"]])
            same_picture(browser, canvas, os.path.join(folder, "signature.png"))
        # Once more: it is empty, and signs nothing before the first touch.
        browser.script(f"{PARTS} part('Re-enter signature').click()")
        assert browser.script(f"return [{CELL}.state, {CELL}.ink.isEmpty, {CELL}.value]") == ["inactive", True, ""]
        browser.script(f"{CELL}.shadowRoot.querySelector('.scrim').click()")
        assert browser.script(f"return {CELL}.state") == "active"
        browser.script(f"{PARTS} part('Cancel').click()")
        assert browser.script(f"return {CELL}.state") == "inactive"
        # The whole screen.
        browser.script("[...document.querySelector('[data-sample=sign]').shadowRoot.querySelectorAll('button')].find((one) => one.textContent === 'Add signature').click()")
        browser.find("dialog.view.sign")
        shown(browser, "sign-screen")
        listener.close()
        browser.usual()
        settle(browser)


def fetch(stand, identity, kind):
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(20)
        link.connect(stand.socket)
        stream = link.makefile("rwb")
        stream.readline()
        stream.write(json.dumps({"id": 1, "method": "signature.get", "params": {"id": identity, "format": kind}}).encode() + b"\n")
        stream.flush()
        header = json.loads(stream.readline())
        assert header["format"] == kind, header
        return stream.read(header["size"])


def same_picture(browser, canvas, path):
    """The page's canvas and the service's PNG, at the PNG's size: how much of the ink differs."""
    with open(path, "rb") as source:
        png = "data:image/png;base64," + base64.b64encode(source.read()).decode()
    ink, different = browser.cdp("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression=f"""(async () => {{
      const load = (url) => createImageBitmap(new Blob([Uint8Array.from(atob(url.split(',')[1]), (c) => c.charCodeAt(0))], {{ type: 'image/png' }}));
      const cell = {CELL};
      const [page, file] = [await load({json.dumps(canvas[0])}), await load({json.dumps(png)})];
      const [w, h] = [Math.round({canvas[1]} / devicePixelRatio), Math.round({canvas[2]} / devicePixelRatio)];
      const margin = Math.max(8, Math.floor(Math.min(w, h) / 16));
      const gray = (image, sx, sy, sw, sh) => {{ const c = new OffscreenCanvas(w, h), x = c.getContext('2d'); x.fillStyle = '#fff'; x.fillRect(0, 0, w, h); x.drawImage(image, sx, sy, sw, sh, 0, 0, w, h); return x.getImageData(0, 0, w, h).data; }};
      const [a, b] = [gray(page, 0, 0, page.width, page.height), gray(file, 2 * margin, 2 * margin, 2 * w, 2 * h)];
      let ink = 0, difference = 0;
      for (let y = 2; y < h - 2; y += 1) for (let x = 2; x < w - 2; x += 1) {{ const i = 4 * (y * w + x); ink += 255 - a[i]; difference += Math.abs(a[i] - b[i]); }}
      return [ink / (w * h * 255), difference / (w * h * 255)];
    }})()""")["result"]["value"]
    print(f"  page and file differ by {100 * different:.2f} % of the picture, {100 * ink:.1f} % of which is ink")
    assert 0.005 < ink < 0.2 and different < 0.01, (ink, different)
