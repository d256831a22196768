"""The AR scanner: from the coaching view to the card, and the overlay on its frame."""
import statistics

from checks import FRAMES, SCENE, annotated, check, hold, opened, release, settle
from stand import Stand


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
