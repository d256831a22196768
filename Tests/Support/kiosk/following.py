"""Codes that are followed from frame to frame: outlined where they are, and counted."""
import base64
import json
import os
import tempfile

from checks import check, opened, picture, settle, shown
from fields import Program
from stand import Camera, Stand

# Draws pictures of 640 × 480: each is a list of [source, x, y, size], a source being a number among the pictures given.
DRAW = """
  const [sources, plans, go] = arguments;
  const load = (url) => new Promise((done) => { const image = new Image(); image.onload = () => done(image); image.src = url; });
  Promise.all(sources.map(load)).then((images) => {
    const canvas = new OffscreenCanvas(640, 480);
    const context = canvas.getContext('2d');
    const encode = (plan) => {
      context.fillStyle = 'rgb(' + [206, 200, 188].join() + ')';
      context.fillRect(0, 0, 640, 480);
      for (const [source, x, y, size] of plan) {
        const image = images[source];
        context.fillStyle = 'white';
        context.fillRect(x - size * .12, y - size * .12, size * 1.24, size * image.height / image.width + size * .24);
        context.drawImage(image, x, y, size, size * image.height / image.width);
      }
      return canvas.convertToBlob({ type: 'image/jpeg', quality: .92 }).then((blob) => new Promise((done) => { const reader = new FileReader(); reader.onload = () => done(reader.result.split(',')[1]); reader.readAsDataURL(blob); }));
    };
    return plans.reduce((before, plan) => before.then(async (all) => [...all, await encode(plan)]), Promise.resolve([]));
  }).then(go);"""


def drawn(browser, names, plans):
    """A folder of pictures that the browser drew from samples, in order."""
    folder = tempfile.mkdtemp(prefix="waymark-drawn-")
    sources = []
    for name in names:
        with open(picture(name), "rb") as source:
            sources.append(f"data:image/{name.rsplit('.', 1)[1]};base64," + base64.b64encode(source.read()).decode())
    browser.open("about:blank")
    for number, data in enumerate(browser.driver.execute_async_script(DRAW, sources, plans)):
        with open(os.path.join(folder, f"{number:03d}.jpg"), "wb") as out:
            out.write(base64.b64decode(data))
    return folder


# Where the pixels of a colour lie on the canvas, as shares of the picture: [count, x, y]; and which frame that is.
COLOURED = """
  const canvas = document.querySelector('.stage canvas');
  const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const [r, g, b] = arguments[0];
  let count = 0, x = 0, y = 0;
  for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - r) < 14 && Math.abs(data[i + 1] - g) < 14 && Math.abs(data[i + 2] - b) < 14) { count++; x += i / 4 % width; y += Math.floor(i / 4 / width); }
  const ratio = canvas.width / canvas.clientWidth, scale = Math.max(canvas.clientWidth / 640, canvas.clientHeight / 480);
  const at = (sum, size, whole) => ((sum / count / ratio) - size / 2) / scale + whole / 2;
  return [count, at(x, canvas.clientWidth, 640), at(y, canvas.clientHeight, 480), Number(canvas.dataset.frame)];"""
REFUSED = [255, 155, 145]
SEEN = [78, 227, 154]


@check
def a_code_is_outlined_and_followed_between_its_answers(browser):
    # A code that is refused, carried to and fro before the camera.
    size, steps = 120, 24
    places = [220 + (80 * k if k <= steps // 2 else 80 * (steps - k)) / (steps // 2) for k in range(steps)]
    folder = drawn(browser, ["plain-http.png"], [[[0, x, 180, size]] for x in places])
    with Stand(folder, rate=15) as stand:
        browser.resize(640, 480)
        opened(browser, stand, "onboard")
        browser.find('.verdict[data-outcome="invalid"]')
        browser.until("probe.sent.some((one) => one.method === 'codes.follow')", what="a wish to follow")
        browser.click(".verdict .primary")
        browser.gone(".verdict")
        # It is still there, is not reported again, and keeps an outline at its place in the colour of its outcome.
        looked = []
        browser.script("probe.drawn.length = 0")
        browser.until("probe.drawn.filter(([, overlay]) => overlay !== null).length > 8", what="frames with their own outlines")
        for _ in range(12):
            looked.append(browser.script(COLOURED, REFUSED))
            browser.script("return new Promise((go) => document.addEventListener('drawn', go, { capture: true, once: true }))")
        assert all(frame == overlay for frame, overlay in browser.script("return probe.drawn") if overlay is not None)
        found = [one for one in looked if one[0] > 200]
        assert len(found) >= 10, looked
        assert max(x for _, x, _, _ in found) - min(x for _, x, _, _ in found) > 20, found
        # The outline is around the code in the very picture that is shown: one of those that were drawn.
        first = browser.script("return Number(document.querySelector('.stage canvas').dataset.frame)")
        assert first
        for _, x, y, _ in found:
            middle = x - size / 2
            assert min(abs(middle - place) for place in places) < 12, (x, places)
            assert abs(y - (180 + size / 2)) < 40, y
        shown(browser, "scan-followed", everywhere=False)
        browser.usual()
        browser.click("dialog .leave")
        # Nothing is followed once the view is left.
        stand.becomes("unfollowed", lambda state: state.get("codes") is None, method="subscribe")
        settle(browser)


def walk(browser, camera):
    """Takes the camera along all of its pictures, each when the page has looked at the codes of the one before: however busy the
    machine is, nobody hurries it."""
    for place in range(len(camera.pictures)):
        camera.at = place
        browser.script("probe.drawn.length = 0")
        browser.until("probe.drawn.filter(([frame, overlay]) => frame === overlay).length > 2 || probe.drawn.length > 30", what="a look at the shelf")


@check
def a_shelf_is_counted_once(browser):
    names = ["product.png", "onboarding.png", "wifi.png"]
    # Seven codes on a shelf of 1,300 pixels; the camera goes there and back.
    shelf = [(0, 40), (1, 240), (0, 400), (2, 600), (0, 760), (1, 960), (0, 1120)]
    way = [*range(0, 700, 12), *range(700, 0, -20)]
    folder = drawn(browser, names, [[[source, x - at, 170, 150] for source, x in shelf if -200 < x - at < 640] for at in way])
    with Camera([os.path.join(folder, name) for name in sorted(os.listdir(folder))]) as camera, Stand(camera.path) as stand:
        browser.open(stand.url)
        browser.find("[data-open=count]")
        program = Program(stand)
        program.ask("subscribe", events=["form.submitted"])
        browser.until("document.documentElement.dataset.online === 'true'")
        browser.click("[data-open=count]")
        browser.find(".counted .empty")
        browser.until("Number(document.querySelector('.counted .total').textContent) > 0", what="a first code")
        walk(browser, camera)
        browser.until("document.querySelector('.counted .total').textContent === '7'", what="seven codes")
        # Another round adds nothing.
        walk(browser, camera)
        rows = browser.script("return [...document.querySelectorAll('.counted .amount')].map((one) => one.textContent).sort()")
        assert rows == ["1 ×", "2 ×", "4 ×"], rows
        names = browser.script("return [...document.querySelectorAll('.counted .soft')].map((one) => one.textContent)")
        assert sorted(names) == ["EAN-13", "QR Code", "QR Code"], names
        # The list shows neither the payload of an onboarding code nor the password of a network.
        titles = browser.script("return [...document.querySelectorAll('.counted .what strong')].map((one) => one.textContent)")
        assert titles.count("Code without an article number") == 2, titles
        shown(browser, "count")
        browser.click("[data-by=content]")
        browser.until("document.querySelector('.counted .total').textContent === '3'", what="three kinds")
        browser.click("[data-by=place]")
        # The files are what the command writes.
        browser.script("window.files = []; URL.createObjectURL = (blob) => { files.push(blob.text()); return 'blob:kept'; }; HTMLAnchorElement.prototype.click = () => {}")
        browser.click("[data-save=json]")
        browser.click("[data-save=csv]")
        written, table = browser.script("return Promise.all(files)")
        report = json.loads(written)
        assert report["by"] == "place" and report["total"] == 7 and report["stretches"] == 1, report
        assert sorted(one["amount"] for one in report["codes"]) == [1, 2, 4], report
        assert table.startswith("symbology,text,amount,input\r\n") and '"ean13",' in table and table.count("\r\n") == 4, table
        # Programs get it.
        browser.click(".counted .primary")
        event = program.event("form.submitted")
        assert event["form"] == "count" and {one["name"]: one["value"] for one in event["fields"]}["total"] == "7", event
        program.close()
        browser.click("[data-state=count-sent] [data-another]")
        browser.until("Number(document.querySelector('.counted .total').textContent) > 0", what="a new count")
        browser.click("dialog .leave")
        browser.find("dialog.ask")
        shown(browser, "count-leave", everywhere=False)
        browser.click("dialog.ask .button:not(.primary)")
        browser.gone(".stage")
        stand.becomes("unfollowed", lambda state: state.get("codes") is None, method="subscribe")
        settle(browser)
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "count")
        browser.find(".counted .empty")
        shown(browser, "count-empty")
        browser.click("dialog .leave")
        browser.gone(".stage")
        settle(browser)
