"""The AR scanner: from the coaching view to the card, and the overlay on its frame."""
import os
import shutil
import statistics
import tempfile

from checks import FRAMES, SCENE, annotated, check, hold, opened, release, settle
from fields import Program
from following import drawn
from stand import Stand

# Taps a place of the picture of 640 × 480 pixels.
TAP = """
  const canvas = document.querySelector('.stage canvas'), own = canvas.getBoundingClientRect(), scale = Math.max(own.width / 640, own.height / 480);
  const place = { clientX: own.left + own.width / 2 + (arguments[0] - 320) * scale, clientY: own.top + own.height / 2 + (arguments[1] - 240) * scale };
  canvas.dispatchEvent(new MouseEvent('click', { ...place, bubbles: true }));"""
SHELF = """
name: Shelf
anchors:
  - name: box
    image: box.jpg
    physicalWidth: 0.2
    copies: 5
    annotate: each
    annotations:
      - { id: price, position: [0, 0, 0], card: { title: Price, actionText: Order, actionType: custom, actionData: order-box } }
"""


@check
def ar_from_coaching_to_the_card(browser):
    with Stand(FRAMES, scene=SCENE) as stand:
        opened(browser, stand, "ar")
        browser.find(".coaching .primary", within=60)
        browser.until("document.querySelector('.coaching img').naturalWidth > 0", what="the guide picture")
        browser.click(".coaching .primary")
        browser.find('.stage[data-phase="matched"]', within=60)
        browser.find('.stage[data-phase="annotating"]')
        browser.script("document.querySelector('dialog').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        first = browser.find(".rail[data-card]").get_attribute("data-card")
        browser.click(".rail .steps .button:last-child")
        browser.until(f"document.querySelector('.rail').dataset.card !== '{first}'", what="the next card")
        browser.click(".rail .card")
        browser.find(".detail h3")
        browser.click(".detail .head .button")
        browser.gone(".detail")
        browser.click(".thumbnail")
        browser.find(".coaching .primary")
        assert browser.text(".coaching .primary") == "Return to scan"
        browser.click(".coaching .primary")
        browser.gone(".coaching")
        browser.click("dialog .leave")
        browser.find("[data-open=ar]")
        assert stand.request("status")["result"].get("session", "inactive") == "inactive"
        settle(browser)


@check
def a_scene_that_is_loaded_ends_the_choice(browser):
    # A service that has just started is still loading its scene when a user opens the view.
    with Stand(FRAMES, extra=f"scenes:\n  folders: [\"{os.path.dirname(SCENE)}\"]\n") as stand:
        opened(browser, stand, "ar")
        browser.find(".choice .button")
        answer = stand.request("scene.load", name=os.path.basename(SCENE))
        assert "result" in answer, answer
        browser.find(".coaching .primary", within=60)
        browser.click("dialog .leave")
        browser.find("[data-open=ar]")
        settle(browser)


@check
def who_leaves_before_the_session_has_begun_leaves_none(browser):
    with Stand(FRAMES, scene=SCENE) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        hold(browser, "session.start")
        browser.click("[data-open=ar]")
        browser.until("window.held", what="a session on its way")
        browser.click("dialog .leave")
        browser.gone(".stage")
        release(browser)
        stand.becomes("inactive", lambda status: status.get("session", "inactive") == "inactive")
        settle(browser)


@check
def the_overlay_lies_on_its_own_frame(browser):
    with Stand(FRAMES, scene=SCENE) as stand:
        annotated(browser, stand)
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
def the_tapped_copy_is_the_one_that_is_meant(browser):
    box = os.path.join(SCENE, "pump-7.jpg")
    frame = os.path.join(drawn(browser, [box], [[[0, 70, 150, 210], [0, 360, 150, 210]]]), "000.jpg")
    shelf = os.path.join(tempfile.mkdtemp(prefix="waymark-scene-"), "shelf")
    os.mkdir(shelf)
    shutil.copy(box, os.path.join(shelf, "box.jpg"))
    with open(os.path.join(shelf, "scene.yaml"), "w", encoding="utf8") as out:
        out.write(SHELF)
    with Stand([frame], scene=shelf) as stand:
        annotated(browser, stand)
        stand.becomes("two copies", lambda state: len(state.get("anchors") or []) == 2, method="subscribe")
        # Only what the page has drawn can be tapped: a frame that the service took after both were found.
        captured = stand.request("status")["result"]["statistics"]["frames"]["captured"]
        browser.until(f"probe.drawn.some(([, overlay]) => overlay > {captured})", what="both copies on the page")
        middles = {one["copy"]: sum(x for x, _ in one["corners"]) / 4 for one in stand.request("subscribe")["result"]["anchors"]}
        program = Program(stand)
        program.ask("subscribe", events=["annotation.*", "card.*"])
        for copy in sorted(middles, key=middles.get):
            browser.script(TAP, middles[copy], 225)
            event = program.event("annotation.selected")
            assert (event["id"], event["copy"]) == ("price", copy), event
            browser.click(".rail .card")
            assert program.event("card.opened")["copy"] == copy
            browser.click(".detail .primary")
            event = program.event("card.action")
            assert (event["actionData"], event["copy"]) == ("order-box", copy), event
            browser.click(".detail .head .button")
            browser.gone(".detail")
            # The picture, which moved beside the detail, moves back.
            drawn_before = browser.script("return probe.drawn.length")
            browser.until(f"probe.drawn.length > {drawn_before + 30}", what="the picture back in its place")
        program.close()
        settle(browser)
    shutil.rmtree(os.path.dirname(shelf))
    shutil.rmtree(os.path.dirname(frame))
