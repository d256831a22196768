"""Rules of the guidelines for pages, one after the other: onboarding, signing in, synchronizing, and what the page says back.

The service's words are put into the page where a state is hard to reach otherwise: what is looked at is how the page shows it."""
import os

from accounts import configuration
from checks import at_rest, check, opened, picture, settle, shown
from stand import ROOT, Stand

LOGOS = [os.path.join(ROOT, "Samples/pictures", name) for name in ("onboarding.png", "product.png", "wifi.png")]


def tell(browser, **event):
    """Has the page hear an event of the service."""
    browser.script("window.tell(arguments[0])", event)


def account(browser, **state):
    tell(browser, event="account.state", **state)


def answers(browser, **results):
    """Gives the page these results for these methods, dots written as `_`; None never comes."""
    browser.script("""
      const results = arguments[0], send = window.fetch;
      window.fetch = (url, options) => {
        const asked = typeof options?.body === 'string' ? JSON.parse(options.body) : {};
        if (asked.method) probe.sent.push(asked);
        const key = (asked.method ?? String(url).split('?')[0]).replaceAll('.', '_');
        if (!(key in results)) return send(url, options);
        return results[key] === null ? new Promise(() => {}) : Promise.resolve(new Response(JSON.stringify({ result: results[key] }), { headers: { 'content-type': 'application/json' } }));
      };""", results)


def sent(browser, method):
    return browser.script("return probe.sent.filter((one) => one.method === arguments[0]).map((one) => one.params ?? {})", method)


def box(browser, selector):
    return browser.script("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]", selector)


def begun(browser, stand):
    browser.open(stand.url)
    browser.until("document.documentElement.dataset.online === 'true'")
    browser.find('[data-screen="welcome"]')


@check
def the_welcome_says_what_there_is_and_steps_are_counted(browser):
    with Stand([picture("no-code.jpg")], extra=configuration(logos=("  demo: true", f"  demo: true\n  logos: {LOGOS}".replace("'", '"')))) as stand:
        begun(browser, stand)
        features = browser.script("return [...document.querySelectorAll('.features li')].map((one) => [Boolean(one.querySelector('svg')), one.querySelector('strong').textContent, one.querySelector('.soft').textContent])")
        assert len(features) >= 3 and all(sign and title and text for sign, title, text in features), features
        # A picture of its own, and the further logos at the foot.
        side = "return document.querySelector('.account .side svg').innerHTML"
        welcome = browser.script(side)
        browser.until("document.querySelectorAll('.logos img').length === 2", what="the further logos")
        at_rest(browser)
        assert box(browser, ".logos")[1] >= box(browser, ".features")[3] - 1
        # They stand in the middle, clear of what is pressed.
        dots, bar = box(browser, ".dots"), box(browser, ".account .bar")
        assert abs((dots[0] + dots[2]) - (bar[0] + bar[2])) < 4 and dots[0] > bar[0] and dots[2] < bar[2], (dots, bar)
        now = "return [...document.querySelectorAll('.dots i')].map((one) => 'now' in one.dataset)"
        assert browser.script(now) == [True] + [False] * 5, browser.script(now)
        shown(browser, "account-welcome-features")
        # On a screen that stands upright what is to be done lies below, near the hand, and the picture above.
        browser.resize(1080, 1920)
        at_rest(browser)
        assert box(browser, ".account > .foot")[3] > 1920 * .8 and box(browser, ".account .side")[3] < 1920 * .45
        browser.usual()
        account(browser, phase="activation", purpose="first")
        browser.find('[data-screen="activation"]')
        assert browser.script(now)[:2] == [False, True] and browser.script(side) != welcome
        # A rule that is not met has an empty ring, one that is met a tick.
        account(browser, phase="passcode", purpose="first")
        browser.find('[data-screen="passcode"]')
        signs = "return [...document.querySelectorAll('.rules li')].map((one) => [...one.querySelectorAll('svg')].filter((svg) => getComputedStyle(svg).display !== 'none').map((svg) => svg.innerHTML.includes('M8 12.5')))"
        assert browser.script(signs) == [[False], [False]], browser.script(signs)
        browser.script("document.querySelector('wm-text-field').fill('walrus7')")
        assert browser.script(signs) == [[True], [True]], browser.script(signs)
        # A text of three words at most names the work under way, beside something that turns.
        account(browser, phase="passcode", purpose="first", working=True)
        browser.find(".messages .progress .spinner")
        words = browser.script("return document.querySelector('.messages .progress').textContent")
        assert len(words.replace("…", "").split()) <= 3, words
        settle(browser, ("404",))


@check
def consents_come_up_and_are_decided_at_the_foot(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        begun(browser, stand)
        consent = lambda id, page, pages, **more: account(browser, phase="consents", purpose="first", consent={"id": id, "page": page, "pages": pages}, **more)
        moves = "getComputedStyle(document.querySelector('.account')).animationName"
        browser.script("window.moved = []; new MutationObserver(() => { for (const one of document.querySelectorAll('.account')) moved.push(getComputedStyle(one).animationName); }).observe(document.querySelector('.account-host'), { attributes: true, childList: true, subtree: true })")
        consent("usage", 0, 2)
        browser.find('[data-consent="usage"]')
        assert browser.script(f"return {moves}") == "modal-up", browser.script(f"return {moves}")
        at_rest(browser)
        assert browser.text(".account h1") == "Better together"
        bar = "return [...document.querySelectorAll('.account .bar button:not(.help)')].map((one) => one.textContent)"
        assert browser.script(bar) == ["Cancel", "Next"], browser.script(bar)
        browser.click(".account .bar .primary")
        browser.until("probe.sent.some((one) => one.method === 'account.next')", what="the next page")
        consent("usage", 1, 2)
        browser.until("document.querySelector('[data-consent]')?.dataset.page === '1'", what="the second page")
        assert browser.script(bar) == ["Back to Better together"], browser.script(bar)
        shown(browser, "account-consent-last")
        # The choices stand in a bar at the foot of the screen, however little is said above.
        for width, height in ((360, 640), (1280, 720), (1080, 1920)):
            browser.resize(width, height)
            at_rest(browser)
            assert box(browser, ".account > .foot")[3] > height * .9, (width, height, box(browser, ".account > .foot"))
        browser.usual()
        # Another consent is a screen of its own, which comes up as the first one went down.
        consent("privacy", 0, 1)
        browser.until("document.querySelector('[data-consent]')?.dataset.consent === 'privacy'", what="the next consent")
        assert browser.script(f"return {moves}") == "modal-up" and browser.text(".account h1") == "Your consent" and "modal-down" in browser.script("return moved")
        browser.click("[data-choice=deny]")
        browser.until("probe.sent.some((one) => one.method === 'consent.choose' && one.params.choice === 'deny')", what="a choice")
        consent("privacy", 0, 1, problem={"code": "consentNeeded"})
        browser.find("dialog[role=alertdialog]")
        shown(browser, "account-consent-alert")
        browser.click("dialog[role=alertdialog] .primary")
        browser.gone("dialog[role=alertdialog]")
        assert not browser.driver.find_elements("css selector", ".account .banner")
        # Scrolled content goes below the bar, which then has a shadow.
        browser.resize(800, 337)
        shadow = "getComputedStyle(document.querySelector('.account .bar')).boxShadow !== 'none'"
        browser.script("document.querySelector('.consent-text').textContent += ' More.'.repeat(400)")
        assert not browser.script(f"return {shadow}")
        browser.script("document.querySelector('.account > .room').scrollTop = 120")
        browser.until(shadow, what="a shadow")
        assert abs(box(browser, ".account .bar")[1] - box(browser, "main")[1]) < 1
        browser.usual()
        settle(browser, ("consentNeeded", "status of 4"))


@check
def users_and_synchronizing_have_a_bar_of_their_own(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        begun(browser, stand)
        ada, ben = ({"id": "a", "title": "Ada Lovelace", "subtitle": "Goods in", "initials": "AL"}, {"id": "b", "title": "Ben Okri", "initials": "BO"})
        # Before the names are there, their places are: a picture, lines, a button.
        answers(browser, account_users=None)
        account(browser, phase="users", user=ada)
        browser.find('[data-screen="users"]')
        assert browser.script("return ['avatar', 'text', 'button'].map((one) => document.querySelectorAll(`.skeleton-row .skeleton.${one}`).length)") == [3, 6, 3]
        assert browser.text(".account .bar h2") == "Choose a user"
        bar, add, help = box(browser, ".account .bar"), box(browser, ".account .bar [data-do=add]"), box(browser, ".account .bar .help")
        assert bar[2] - 48 < help[2] and help[0] - 48 < add[2] <= help[0] and add[1] >= bar[1] and add[3] <= bar[3] + 1, (bar, add, help)
        groups = "return [...document.querySelectorAll('.people [role=radiogroup]')].map((one) => [one.querySelector('h2')?.textContent ?? '', ...[...one.querySelectorAll('strong')].map((name) => name.textContent)])"
        for people, expected in (([ada], [["", "Ada Lovelace"]]), ([ada, ben], [["Selected", "Ada Lovelace"], ["All (2)", "Ada Lovelace", "Ben Okri"]])):
            answers(browser, account_users={"users": people, "selected": "a"})
            account(browser, phase="signIn", user=ada)
            browser.find('[data-screen="signIn"]')
            account(browser, phase="users", user=ada)
            browser.find(".people [data-user]")
            assert browser.script(groups) == expected, browser.script(groups)
        # Synchronizing shows its progress and that it is running, and can be stopped.
        account(browser, phase="sync", user=ada, sync={"state": "running", "progress": .4})
        browser.find('[data-sync="running"]')
        assert browser.text(".account .bar h2") == "Synchronization" and browser.script("return document.querySelector('.account .bar .leave').textContent") == "Back"
        assert browser.script("return document.querySelector('.progress .turning').getAnimations().length") == 1
        browser.script("[...document.querySelectorAll('.progress button')].find((one) => one.textContent === 'Stop').click()")
        browser.until("probe.sent.some((one) => one.method === 'account.leave')", what="an end of it")
        account(browser, phase="sync", user=ada, sync={"state": "userError", "user": ben})
        browser.find('[data-sync="userError"]')
        assert "Ben Okri" in browser.text(".who-acts") and browser.text(".person strong") == "Ben Okri"
        shown(browser, "account-sync-who")
        settle(browser, ("status of 4",))


@check
def the_profile_lies_at_the_right_of_the_bar(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        begun(browser, stand)
        ada = {"id": "a", "title": "Ada Lovelace", "subtitle": "Goods in", "initials": "AL"}
        account(browser, phase="signedIn", user=ada, synced=browser.script("return new Date().toISOString()"))
        browser.find("[data-profile]")
        for width, height in ((360, 640), (1280, 720)):
            browser.resize(width, height)
            at_rest(browser)
            bar, own = box(browser, ".start .bar"), box(browser, "[data-profile]")
            assert bar[2] - own[2] < 40 and own[2] - own[0] >= 47.5, (width, bar, own)
            assert browser.text("[data-profile] .avatar") == "AL"
            over = browser.script("const at = document.querySelector('[data-profile]').getBoundingClientRect(); return document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2).closest('[data-profile]') !== null")
            assert over, (width, height)
        browser.usual()
        browser.click("[data-profile]")
        browser.find("[data-state=profile] .person")
        assert browser.text("[data-state=profile] .person strong") == "Ada Lovelace" and browser.text("[data-state=profile] .person .avatar") == "AL"
        assert "Last synchronized: Today, " in browser.text("[data-state=profile] .synced"), browser.text("[data-state=profile] .synced")
        shown(browser, "profile")
        # Settings hold at once, and end with the visit.
        letters = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
        usual = browser.script(f"return {letters}")
        field = "document.querySelector('[data-state=profile] [name={}]').shadowRoot"
        browser.script(f"{field.format('size')}.querySelector('[data-value=\"150\"]').click(); {field.format('contrast')}.querySelector('button').click(); {field.format('sound')}.querySelector('button').click()")
        assert abs(browser.script(f"return {letters}") / usual - 1.5) < .01
        soft = "getComputedStyle(document.documentElement).getPropertyValue('--text-soft') === getComputedStyle(document.documentElement).getPropertyValue('--text')"
        assert browser.script(f"return {soft} && sessionStorage.getItem('muted') === 'yes'")
        shown(browser, "profile-large", everywhere=False)
        settle(browser, ("status of 4",))
    with Stand([picture("no-code.jpg")], options=["--idle-after", "16"]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        browser.click("[data-profile]")
        browser.find("[data-state=profile]")
        browser.script(f"{field.format('size')}.querySelector('[data-value=\"150\"]').click(); {field.format('contrast')}.querySelector('button').click()")
        assert browser.script(f"return {soft}")
        browser.find('[data-state="attract"]', within=60)
        browser.until(f"Math.abs({letters} - {usual}) < .1 && !({soft})", what="the page as it was")
        settle(browser)


@check
def what_was_done_today_is_counted(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        browser.find("[data-open=field]")
        assert not browser.driver.find_elements("css selector", ".today")
        for event in ({"event": "form.submitted", "form": "delivery"}, {"event": "form.submitted", "form": "delivery"}, {"event": "form.submitted", "form": "count"},
                      {"event": "document.saved"}, {"event": "scan.ended", "reason": "confirmed"}, {"event": "scan.ended", "reason": "timedOut"}):
            tell(browser, **event)
        figures = browser.script("return Object.fromEntries([...document.querySelectorAll('.today li')].map((one) => [one.dataset.what, one.querySelector('strong').textContent]))")
        assert figures == {"forms": "2", "counts": "1", "documents": "1", "connections": "1"}, figures
        shown(browser, "start-today")
        settle(browser)


@check
def times_are_said_as_people_say_them(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "field")
        said = browser.script("""return import('/assets/js/times.js').then(({ spokenTime, spokenMonth }) => {
          const now = new Date(2026, 10, 26, 14, 5), at = (...date) => spokenTime(new Date(...date), 'en', now);
          return [at(2026, 10, 26, 9, 30), at(2026, 10, 25, 23, 59), at(2026, 10, 23), at(2026, 10, 12), spokenTime(new Date(2026, 10, 25, 8, 0), 'de', now), spokenMonth(new Date(2026, 10, 1), 'en', now), spokenMonth(new Date(2026, 9, 31), 'en', now), spokenMonth(new Date(2026, 5, 1), 'de', now)];
        });""")
        assert [one.replace("\u202f", " ") for one in said] == ["Today, 9:30 AM", "Yesterday, 11:59 PM", "3 days ago", "Nov 12, 2026", "Gestern, 8:00", "This month", "Last month", "Juni 2026"], said
        settle(browser)
