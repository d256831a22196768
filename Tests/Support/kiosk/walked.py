"""What a visitor stumbles over on the way: who signs and for what, why something is asked for, a badge, where the way back leads, how dialogs move, and whose device this is."""
import os
import re

from accounts import configuration
from checks import at_rest, check, opened, picture, settle, shown
from finish import pointer
from guided import account, answers, begun, box, sent
from matrix import tables
from mended import apart, inside
from stand import ROOT, Stand


@check
def who_signs_and_what_for_stand_beside_the_line(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "field")
        browser.find("wm-signature")
        cell = "document.querySelector('wm-signature').shadowRoot"
        assert browser.script(f"return {cell}.querySelector('.signer').hidden")
        for name, text in (("material", "4012345"), ("signer", "Ada Meyer")):
            browser.script(f"document.querySelector('.form [name={name}]').fill('{text}')")
        assert browser.script(f"return {cell}.querySelector('.signer').textContent") == "Signing: Ada Meyer"
        browser.script(f"{cell}.querySelector('.add').click()")
        browser.find("dialog.sign .about-it")
        facts = browser.script("return Object.fromEntries([...document.querySelectorAll('.about-it dt')].map((one) => [one.textContent, one.nextElementSibling.textContent]))")
        assert facts == {"Material number": "4012345", "Your name": "Ada Meyer"}, facts
        line = "const r = document.querySelector('dialog.sign wm-signature').shadowRoot.querySelector('.box').getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]"
        for width, height in ((360, 640), (800, 480), (1280, 720), (1080, 1920)):
            browser.resize(width, height)
            at_rest(browser)
            about, place = box(browser, ".about-it"), browser.script(line)
            assert inside(about, width, height) and inside(place, width, height) and apart(about, place), (width, height, about, place)
            assert place[2] - place[0] > width * .55 and place[3] - place[1] > height * .2, (width, height, place)
        browser.usual()
        shown(browser, "sign-form")
        left, top, right, bottom = browser.script(line)
        pointer(browser, ("mousePressed", left + 40, top + 40), ("mouseMoved", (left + right) / 2, (top + bottom) / 2), ("mouseReleased", right - 40, top + 60))
        browser.script("[...document.querySelector('dialog.sign wm-signature').shadowRoot.querySelectorAll('.primary')].at(-1).click()")
        browser.gone("dialog.sign")
        assert sent(browser, "signature.save")[-1]["signer"] == "Ada Meyer" and sent(browser, "signature.save")[-1]["purpose"] == "Receipt of the goods"
        # What was signed names its signer, whatever is written afterwards.
        browser.script("document.querySelector('.form [name=signer]').fill('Ben Okri')")
        assert browser.script(f"return {cell}.querySelector('.signer').textContent") == "Signing: Ada Meyer"
        settle(browser)


@check
def each_detail_that_is_asked_for_says_why(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        begun(browser, stand)
        for phase, more, words in (("activation", {"method": "email"}, "which company you belong to"), ("activation", {"method": "code"}, "which company it belongs to"),
                                   ("credentials", {}, "show that it is you"), ("passcode", {}, "protects your data")):
            account(browser, phase=phase, purpose="first", **more)
            browser.until(f"document.querySelector('.account .column')?.textContent.includes({words!r}) || document.querySelector('.account wm-text-field')?.getAttribute('helper')?.includes({words!r})", what=f"why {phase} asks")
            assert browser.script("return document.querySelectorAll('.account wm-text-field').length") >= 1
        settle(browser, ("status of 4",))


@check
def a_badge_names_who_signs_in(browser):
    with Stand([picture("product.png")], extra=configuration()) as stand:
        begun(browser, stand)
        ada, ben = {"id": "a", "title": "Ada Lovelace", "subtitle": "1815", "initials": "AL"}, {"id": "b", "title": "Ben Okri", "subtitle": "4006381333931", "initials": "BO"}
        answers(browser, account_users={"users": [ada, ben], "selected": "a"}, account_select={"phase": "users"}, account_back={"phase": "signIn"})
        scan = "document.querySelector('wm-text-field[name=search]').shadowRoot.querySelector('.scan').click()"
        account(browser, phase="users", user=ada)
        browser.find(".people [data-user]")
        shown(browser, "account-users-badge")
        browser.script(scan)
        browser.gone("dialog.scanner", within=40)
        browser.until("probe.sent.some((one) => one.method === 'account.back')", what="the way on")
        assert sent(browser, "account.select") == [{"user": "b"}], sent(browser, "account.select")
        # A badge that belongs to no user is searched for, and the list says so.
        answers(browser, account_users={"users": [ada], "selected": "a"})
        account(browser, phase="signIn", user=ada)
        browser.find("[data-screen=signIn]")
        account(browser, phase="users", user=ada)
        browser.find(".people [data-user]")
        browser.script(scan)
        browser.find(".people .empty", within=40)
        assert sent(browser, "account.select") == [{"user": "b"}]
        settle(browser, ("status of 4",))


@check
def the_way_back_leads_to_where_one_was(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.resize(360, 640)
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        for view in ("count", "document", "field", "onboard"):
            browser.find(f"[data-open={view}]")
            browser.script(f"document.querySelector('[data-open={view}]').scrollIntoView(); document.querySelector('[data-open={view}]').focus()")
            browser.click(f"[data-open={view}]")
            browser.click("dialog .leave, .form .leave")
            browser.until(f"document.activeElement.dataset.open === '{view}'", what=f"the focus back on {view}")
            tile = box(browser, f"[data-open={view}]")
            assert tile[1] > -1 and tile[3] < 641, (view, tile)
        browser.usual()
        settle(browser)
    # Of several forms, to the one that was chosen.
    with Stand([picture("no-code.jpg")], options=["--page", os.path.join(ROOT, "Samples/page/page.yaml")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        names = browser.script("return [...document.querySelectorAll('[data-open=field]')].map((one) => one.dataset.form)")
        assert len(names) == len(set(names)) and all(names), names
        browser.click(f"[data-form='{names[-1]}']")
        browser.click(".form .leave")
        browser.until(f"document.activeElement.dataset.form === '{names[-1]}'", what="the focus on the same form")
        settle(browser)


@check
def a_code_to_confirm_names_the_organization(browser):
    with Stand([picture("onboarding-on-a-card.jpg")], options=["--page", os.path.join(ROOT, "Samples/page/page.yaml")]) as stand:
        opened(browser, stand, "onboard")
        browser.find(".verdict .brand")
        name = browser.script("return JSON.parse(document.querySelector('meta[name=waymark]').content).page.brand.name")
        assert browser.text(".verdict .brand strong") == name and browser.script("return Boolean(document.querySelector('.verdict .brand :is(img, svg)'))")
        assert name in browser.script("return document.getElementById('announcer').textContent")
        for width, height in ((360, 640), (800, 480), (1280, 720)):
            browser.resize(width, height)
            at_rest(browser)
            brand, go = box(browser, ".verdict .brand"), box(browser, ".verdict .primary")
            assert inside(brand, width, height) and inside(go, width, height) and apart(brand, go), (width, height, brand, go)
        browser.usual()
        shown(browser, "scan-organization")
        settle(browser)


@check
def dialogs_come_up_and_go_down(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        for view in ("count", "onboard"):
            browser.click(f"[data-open={view}]")
            browser.find("dialog.view")
            assert browser.script("return getComputedStyle(document.querySelector('dialog.view')).animationName") == "modal-up"
            browser.script("""window.went = []; new MutationObserver(() => { const one = document.querySelector('.going'); if (one) went.push(one.getAnimations()[0]?.effect.getKeyframes().at(-1).transform, document.querySelector('dialog[open]') === null); })
              .observe(document.body, { childList: true }); document.querySelector('dialog .leave').click();""")
            assert browser.until("window.went.length && went")[0].startswith("translateY("), browser.script("return went")
            # It is closed at once: nothing waits for the movement.
            assert browser.script("return went[1]") is True
            browser.gone(".going")
        # Who prefers less motion gets none.
        browser.media(prefers_reduced_motion="reduce")
        browser.click("[data-open=count]")
        browser.find("dialog.view")
        browser.script("went.length = 0; document.querySelector('dialog .leave').click()")
        browser.gone("dialog.view")
        assert browser.script("return went.length") == 0
        browser.usual()
        settle(browser)


@check
def no_text_says_only_that_something_failed(browser):
    vague = re.compile(r"did(n[’']t| not) work|went wrong|^something|something (failed|is wrong)|was not accepted|nicht geklappt|schiefgegangen|funktioniert nicht|^(error|fehler)[.!]?$", re.IGNORECASE)
    texts = [one for some in tables().values() for one in some]
    assert len(texts) > 600, len(texts)
    wrong = [one for one in texts if vague.search(one)]
    assert not wrong, wrong
    settle(browser)
