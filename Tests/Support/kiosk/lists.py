"""The list of a count, menus, and what the page says back: sorted, filtered, put right; where messages lie and how they are put away."""

from checks import at_rest, check, opened, picture, settle, shown
from guided import answers, box, tell
from stand import Stand

COUNT = {"count": "c", "total": 7, "views": 5, "stretches": 1, "codes": [
    {"symbology": "ean13", "text": "4006381333931", "name": "4006381333931", "amount": 4}, {"symbology": "qr", "amount": 2}, {"symbology": "code128", "text": "A-17", "name": "A-17", "amount": 1}]}


@check
def a_counted_list_is_sorted_filtered_and_put_right(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        answers(browser, count_begin=COUNT, count_end={})
        browser.click("[data-open=count]")
        browser.find(".counted .row")
        rows = "return [...document.querySelectorAll('.counted .row')].map((one) => [one.querySelector('.amount').textContent, one.querySelector('strong').textContent, one.querySelector('.soft').textContent])"
        newest = [["1 ×", "A-17", "Code 128"], ["2 ×", "Code without an article number", "QR Code"], ["4 ×", "4006381333931", "EAN-13"]]
        assert browser.script(rows) == newest, browser.script(rows)
        head = "return document.querySelector('.counted .total').textContent + ' ' + document.querySelector('.counted h3').textContent"
        assert browser.script(head) == "7 counted · 3 kinds", browser.script(head)
        # An order is chosen in a menu at its button, the first one is chosen already, and what was chosen is said.
        browser.click("[data-sort]")
        browser.find(".menu")
        menu = "return [...document.querySelectorAll('.menu [role=menuitemradio]')].map((one) => [one.dataset.value, one.getAttribute('aria-checked')])"
        assert browser.script(menu) == [["newest", "true"], ["name", "false"], ["amount", "false"]], browser.script(menu)
        assert browser.script("return document.activeElement.dataset.value") == "newest"
        anchor, own = box(browser, "[data-sort]"), box(browser, ".menu")
        assert own[1] >= anchor[3] and own[1] - anchor[3] < 24, (anchor, own)
        shown(browser, "count-sort")
        browser.click(".menu [data-value=amount]")
        browser.gone(".menu")
        assert [row[0] for row in browser.script(rows)] == ["4 ×", "2 ×", "1 ×"] and "Most copies first" in browser.text(".toast")
        # Escape puts a menu away, and nothing else.
        browser.click("[data-sort]")
        browser.script("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))")
        browser.gone(".menu")
        assert browser.script("return document.activeElement.matches('[data-sort]') && document.querySelector('dialog.counting') !== null")
        # Of one kind alone: a bar says so and takes it back.
        browser.click("[data-kinds]")
        browser.click(".menu [data-value=ean13]")
        browser.until("document.querySelector('.filtered').textContent.startsWith('EAN-13: 1 of 3')", what="what is shown")
        assert len(browser.script(rows)) == 1
        shown(browser, "count-filtered")
        browser.click("[data-unfilter]")
        assert len(browser.script(rows)) == 3 and browser.script("return document.querySelector('.filtered').hidden")
        # A row opens its details, which come in from the side, with their place in the list and the way to the others.
        browser.click(".counted .row[data-index='0']")
        browser.find("[data-state=count-details]")
        assert browser.script("return getComputedStyle(document.querySelector('dialog.details')).animationName === 'push'")
        place = "return [...document.querySelectorAll('.details .heading .grow > *')].map((one) => one.textContent)"
        assert browser.script(place) == ["1 of 3", "What was counted"], browser.script(place)
        header = "return document.querySelector('.details .object').textContent + (document.querySelector('.details .object svg') ? '' : ' no sign')"
        assert browser.script(header) == "4006381333931EAN-13", browser.script(header)
        shown(browser, "count-details")
        browser.click(".details .heading button:last-child")
        assert browser.script(place)[0] == "2 of 3" and browser.script(header) == "Code without an article numberQR Code"
        assert "password" not in browser.script("return document.querySelector('.details').textContent").lower()
        browser.click(".details .heading button:first-child")
        # A wrong count is put right; an entry that does not belong there is taken out, and comes back.
        browser.script("document.querySelector('.details wm-stepper').shadowRoot.querySelector('.more').click()")
        browser.until("document.querySelector('.counted .total').textContent === '8'", what="a corrected count")
        browser.click("[data-remove]")
        browser.gone("[data-state=count-details]")
        browser.until("document.querySelector('.counted .total').textContent === '3' && document.querySelectorAll('.counted .row').length === 2", what="a list without it")
        browser.script("[...document.querySelectorAll('.toast .button')].at(-1).click()")
        browser.until("document.querySelector('.counted .total').textContent === '8'", what="what was taken out")
        # Later counts are added to those that a person has put right.
        more = {**COUNT, "views": 9, "total": 8, "codes": [{**COUNT["codes"][0], "amount": 5}, *COUNT["codes"][1:]]}
        tell(browser, event="count.changed", **more)
        browser.until("document.querySelector('.counted .total').textContent === '9'", what="one more")
        # The list is handed over as it stands.
        answers(browser, form_submit={"id": "f", "submitted": "2026-11-26T08:00:00.000Z"})
        browser.click(".counted .primary")
        fields = browser.until("probe.sent.find((one) => one.method === 'form.submit')?.params.fields", what="a count that is sent")
        values = {one["name"]: one["value"] for one in fields}
        assert values["total"] == "9" and '"amount":6' in values["codes"], values
        browser.click("[data-state=count-sent] [data-done]")
        browser.gone(".stage")
        browser.until("document.activeElement?.dataset?.open === 'count'", what="the focus on what was chosen last")
        settle(browser)


@check
def a_count_is_compared_with_what_is_expected(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        answers(browser, count_begin=COUNT, count_end={})
        browser.click("[data-open=count]")
        browser.find(".counted .row")
        # The first code is there too often, one is missing, and two are not on the list.
        expected = [{"text": "4006381333931", "name": "Pens", "amount": 3}, {"text": "40123455", "name": "Rulers", "amount": 2}]
        tell(browser, event="count.changed", **{**COUNT, "total": 0, "codes": []}, expected=expected)
        browser.until("document.querySelector('.compared').textContent === '5 expected'", what="what is expected before anything is counted")
        tell(browser, event="count.changed", **COUNT, expected=expected)
        rows = "return [...document.querySelectorAll('.counted .row')].map((one) => [one.querySelector('strong').textContent, one.querySelector('.amount').textContent, one.querySelector('.soft').textContent])"
        browser.until("!document.querySelector('.compared').hidden", what="a comparison")
        seen = browser.script(rows)
        assert ["Pens", "4 / 3", "1 too many"] in seen and ["Rulers", "0 / 2", "2 missing"] in seen and sum(one[2] == "Not expected here" for one in seen) == 2, seen
        assert browser.text(".compared") == "2 missing · 1 too many · 2 kinds not expected", browser.text(".compared")
        shown(browser, "count-expected")
        # Two that no camera sees are added by hand; later events without the list change nothing about it.
        browser.script("[...document.querySelectorAll('.counted .row')].find((one) => one.textContent.includes('Rulers')).click()")
        browser.find(".details wm-stepper")
        assert browser.script("return document.querySelector('.details [data-remove]').hidden"), "what is expected stays in the list"
        for _ in range(2):
            browser.script("document.querySelector('.details wm-stepper').shadowRoot.querySelector('.more').click()")
        browser.click(".details .actions .primary")
        tell(browser, event="count.changed", **{**COUNT, "views": 9})
        browser.until("document.querySelector('.compared').textContent === '1 too many · 2 kinds not expected'", what="what is left")
        answers(browser, form_submit={"id": "f", "submitted": "2026-11-26T08:00:00.000Z"})
        browser.click(".counted .primary")
        fields = browser.until("probe.sent.find((one) => one.method === 'form.submit')?.params.fields", what="a count that is sent")
        values = {one["name"]: one["value"] for one in fields}
        assert '{"text":"4006381333931","expected":3,"counted":4}' in values["differences"] and "40123455" not in values["differences"], values
        settle(browser)


@check
def messages_lie_where_they_belong(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.find("[data-open=ar]")
        browser.open(f"http://{stand.address}/assets/kit.html")
        browser.find("[data-sample=markers]")
        browser.resize(1280, 900)
        rem = browser.script("return parseFloat(getComputedStyle(document.documentElement).fontSize)")
        sizes = browser.script("return [...document.querySelectorAll('.samples > .art[data-size]')].map((one) => one.getBoundingClientRect().width)")
        assert [round(16 * size / rem) for size in sizes] == [320, 160, 92, 64, 48], sizes
        assert browser.script("return ['avatar', 'text', 'button'].every((one) => document.querySelector(`.skeleton.${one}`))")
        # Several messages: their list is beside the row, on a phone a sheet from below.
        for width, height in ((1280, 720), (360, 640)):
            browser.resize(width, height)
            for _ in range(2):
                browser.click("[data-sample=banner]")
            browser.click("#banners [aria-expanded]")
            browser.until("document.querySelectorAll('.popover .banner').length === 2", what="the list of messages")
            at_rest(browser)
            own = box(browser, ".popover")
            assert (own[3] >= height - 1 and own[2] - own[0] >= width - 20) if width == 360 else own[1] > box(browser, "#banners .banner")[1], (width, own)
            browser.click("[data-sample=clear]")
            browser.gone(".popover")
        # Words about what was done leave the buttons of a question free.
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=material]")
        browser.script("document.querySelector('.form [name=material]').fill('4012345')")
        browser.click(".form .leave")
        browser.find("dialog.ask .actions .primary")
        browser.script("return import('/assets/js/elements/feedback.js').then(({ toast }) => { toast('Sent. Number: K7RM-42QD', { seconds: 60 }); })")
        for width, height in ((1280, 720), (360, 640)):
            browser.resize(width, height)
            at_rest(browser)
            told, buttons = box(browser, ".toast"), box(browser, "dialog.ask .actions")
            assert told[3] <= buttons[1] or told[1] >= buttons[3], (width, told, buttons)
        browser.usual()
        settle(browser)


@check
def the_connection_is_told_on_every_screen(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "field")
        browser.find("wm-text-field")
        edge = "getComputedStyle(document.querySelector('#layer .status')).backgroundColor"
        bad = "(() => { const n = document.createElement('i'); n.style.color = 'var(--bad)'; document.body.append(n); const c = getComputedStyle(n).color; n.remove(); return c; })()"
        assert browser.script(f"return {edge}") == "rgba(0, 0, 0, 0)"
        # An answer that takes a while is seen to be on its way, and no longer than that.
        answers(browser, form_submit=None)
        browser.script("document.querySelector('wm-text-field[name=material]').fill('4012345')")
        browser.click("form .primary")
        browser.until("'working' in document.documentElement.dataset && document.querySelector('#layer .status').getAnimations().length === 1", what="something on its way")
        tell(browser, event="kiosk.connection", online=False)
        browser.until(f"{edge} === {bad}", what="a red edge over the form")
        # The banner can be put away; the edge stays.
        browser.click("#banners .banner .round")
        browser.gone("#banners .banner")
        assert browser.script(f"return {edge} === {bad}")
        tell(browser, event="kiosk.connection", online=True)
        browser.script("document.querySelector('.leave').click()")
        browser.find("dialog.ask")
        tell(browser, event="kiosk.connection", online=False)
        over = "(() => { const r = document.querySelector('#layer .status').getBoundingClientRect(); return document.querySelector('dialog.ask').contains(document.querySelector('#layer')) && r.top === 0 && r.width >= innerWidth - 20; })()"
        browser.until(f"{edge} === {bad} && {over}", what="the edge over a dialog")
        settle(browser)


@check
def a_camera_that_is_not_there_leaves_a_way_out(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        browser.script("const send = window.fetch; window.fetch = (url, options) => String(url).startsWith('/api/preview') ? new Promise(() => {}) : send(url, options)")
        browser.click("[data-open=onboard]")
        browser.until("document.querySelector('.loading p')?.textContent === 'Starting the camera …'")
        browser.find(".loading [data-home]", within=30)
        assert "longer than usual" in browser.text(".loading p")
        shown(browser, "camera-slow")
        browser.click(".loading [data-home]")
        browser.gone(".stage")
        browser.click("[data-open=onboard]")
        browser.find(".stage")
        tell(browser, event="camera.status", status="lost")
        browser.find(".camera-gone [data-home]")
        assert browser.script("return document.querySelector('.camera-gone .art') !== null")
        browser.click(".camera-gone [data-home]")
        browser.gone(".stage")
        # A user who may only watch sees a lock, and no clock.
        tell(browser, event="kiosk.connection", online=True, role="observer", snapshot={"camera": {"status": "open"}})
        browser.find("[data-state=observer] .art")
        same = browser.script("return import('/assets/js/icons.js').then(({ art }) => art('lock').innerHTML === document.querySelector('[data-state=observer] .art').innerHTML)")
        assert same and browser.script("return document.querySelector('[data-state=observer] .art').dataset.size") == "320"
        settle(browser)


@check
def no_button_says_only_that_it_is_done(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "field")
        bare = browser.script("return Promise.all([import('/assets/js/strings.js'), import('/assets/js/texts.js')]).then(([{ tables }]) => Object.values(tables).flatMap((table) => Object.entries(table)).filter(([, text]) => /^(Done|OK|Fertig)$/.test(text)).map(([key]) => key))")
        # The keyboard on the screen has a key of that name, which ends typing, and a result is left with it.
        assert set(bare) == {"keys.done", "result.done"}, bare
        settle(browser)
