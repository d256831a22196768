"""A shift on a shared device, with everything that goes wrong in one."""
import json
import signal
import subprocess
import urllib.request

import websocket

from accounts import PASSCODE, Provider, configuration, consent, fill, onboard, passcode, screen, sign_out, submit
from checks import at_rest, check, picture, settle
from stand import WAYMARK, Stand


def sign_in(browser, text=PASSCODE):
    screen(browser, "signIn")
    fill(browser, "passcode", text)
    submit(browser)


def choose(browser, name):
    """Takes a user on the list, and goes back with the choice."""
    browser.click("[data-do=switch]")
    screen(browser, "users")
    browser.until("document.querySelector('.people [data-user]')", what="users")
    browser.script("[...document.querySelectorAll('.people [data-user]')].find((one) => one.textContent.includes(arguments[0])).click()", name)
    browser.until(f"document.querySelector('.people [aria-checked=true] strong')?.textContent === '{name}'", what="the tick")
    browser.click(".account .bar .leave")
    browser.until(f"document.querySelector('[data-screen=signIn] .person strong')?.textContent === '{name}'", what=name)


@check
def three_users_take_turns_for_a_shift(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        for number, user in enumerate(("ada", "ben", "cem")):
            if number:
                browser.click("[data-do=switch]")
                screen(browser, "users")
                browser.click("[data-do=add]")
            onboard(browser, user)
            sign_out(browser)
        for name in ("Ada Lovelace", "Cem Yılmaz", "Ben Okri", "Ada Lovelace", "Ben Okri"):
            if browser.until("document.querySelector('.person strong')?.textContent", what="somebody") != name:
                choose(browser, name)
            sign_in(browser)
            browser.find("[data-do=signOut]")
            assert name in browser.text(".who") and stand.request("account.state")["result"]["phase"] == "signedIn"
            sign_out(browser)
        # The one whose passcode it is not gets nowhere, and nothing of another is on the screen.
        choose(browser, "Cem Yılmaz")
        sign_in(browser, "another1")
        browser.find('.account .banner[data-kind="error"]')
        assert "Lovelace" not in browser.script("return document.body.innerText")
        # Who is removed is gone from the list of a page that is open.
        listed = subprocess.run([WAYMARK, "users", "list", "--json", "--socket", stand.socket], capture_output=True, check=True, text=True).stdout
        cem = next(one["id"] for one in map(json.loads, listed.splitlines()) if one["title"] == "Cem Yılmaz")
        subprocess.run([WAYMARK, "users", "remove", cem, "--socket", stand.socket], capture_output=True, check=True)
        browser.until("document.querySelector('[data-screen=signIn]') && !document.body.innerText.includes('Cem')", what="a screen without who was removed")
        browser.click("[data-do=switch]")
        browser.until("document.querySelectorAll('.people [role=radiogroup]:last-child [data-user]').length === 2", what="the two that are left")
        browser.click(".account .bar .leave")
        provider.close()
        settle(browser)


@check
def by_a_scan_and_by_an_address_one_gets_to_the_end(browser):
    with Stand([picture("onboarding.png")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        for way, user in (("scan", "ada"), ("email", "ben")):
            screen(browser, "welcome")
            browser.click("#account-terms")
            submit(browser)
            browser.click(f"[data-way={way}]")
            screen(browser, f"activation-{way}")
            if way == "scan":
                browser.click(".account .primary")
                browser.find('.verdict[data-outcome="successful"]')
                browser.click(".verdict .primary")
                browser.gone("dialog")
            else:
                fill(browser, "email", user + "@example.com")
                submit(browser)
            screen(browser, "credentials")
            fill(browser, "user", user)
            fill(browser, "password", user + "1")
            submit(browser)
            consent(browser)
            passcode(browser)
            screen(browser, "ready")
            submit(browser)
            browser.find("[data-do=signOut]")
            sign_out(browser)
            if way == "scan":
                browser.click("[data-do=switch]")
                screen(browser, "users")
                browser.click("[data-do=add]")
        provider.close()
        settle(browser)


@check
def five_wrong_passcodes_outlast_a_restart(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        onboard(browser)
        sign_out(browser)
        for _ in range(5):
            sign_in(browser, "wrong777")
            browser.until("document.querySelector('wm-text-field').value === '' && document.querySelector('.account .banner[data-kind=error]')", what="a refusal")
        waits = "document.querySelector('.account .banner')?.textContent.match(/in (\\d+) seconds/)?.[1]"
        browser.until(waits, what="the wait")
        stand.stop_service(signal.SIGKILL)
        browser.until("document.documentElement.dataset.online === 'false'")
        stand.start_service()
        browser.until("document.documentElement.dataset.online === 'true'", within=30)
        left = int(browser.until(waits, what="the same wait after a restart"))
        assert 5 < left <= 30, left
        fill(browser, "passcode", PASSCODE)
        assert browser.script("return document.querySelector('.account button[type=submit]').disabled"), "nobody gets in by pulling the plug"
        provider.close()
        settle(browser, also=("ERR_CONNECTION", "ERR_INCOMPLETE", "502"))


@check
def a_provider_that_dies_leaves_a_way_on(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        def dying(kind):
            return Provider(stand.socket, faults={kind: "dies"}).start()

        def failed():
            browser.find('.account .banner[data-kind="error"]')
            # The same screen, nothing of it locked, and a way out.
            browser.until("document.querySelector('.account .bar .leave') && !document.querySelector('.account .bar .leave').disabled", what="a way out")

        provider = dying("activate")
        browser.open(stand.url)
        screen(browser, "welcome")
        browser.click("#account-terms")
        submit(browser)
        screen(browser, "activation")
        browser.click("[data-way=code]")
        screen(browser, "activation-code")
        fill(browser, "code", "WM-ADA")
        submit(browser)
        failed()
        browser.click(".account .bar .leave")
        screen(browser, "activation")
        provider = dying("lookup")
        browser.click("[data-way=email]")
        screen(browser, "activation-email")
        fill(browser, "email", "ada@example.com")
        submit(browser)
        failed()
        # What was typed is still there: once more, with one that lives.
        provider = Provider(stand.socket).start()
        submit(browser)
        screen(browser, "credentials")
        provider.close()
        provider = dying("verify")
        fill(browser, "user", "ada")
        fill(browser, "password", "ada1")
        submit(browser)
        failed()
        assert browser.script("return document.querySelector('wm-text-field[name=user]').value") == "ada"
        provider = Provider(stand.socket).start()
        fill(browser, "password", "ada1")
        submit(browser)
        consent(browser)
        passcode(browser)
        screen(browser, "ready")
        submit(browser)
        browser.find("[data-do=signOut]")
        provider.close()
        sign_out(browser)
        provider = dying("sync")
        sign_in(browser)
        browser.find('[data-sync="connectionError"]')
        browser.click("[data-do=return]")
        provider = dying("recover")
        screen(browser, "signIn")
        browser.click("[data-do=forgot]")
        screen(browser, "recover")
        fill(browser, "user", "ada")
        fill(browser, "password", "ada1")
        submit(browser)
        failed()
        browser.click(".account .bar .leave")
        screen(browser, "signIn")
        provider = Provider(stand.socket).start()
        sign_in(browser)
        browser.find("[data-do=signOut]")
        provider.close()
        settle(browser)


@check
def every_other_screen_can_be_left(browser):
    with Stand([picture("no-code.jpg")], extra=configuration()) as stand:
        provider = Provider(stand.socket).start()
        browser.open(stand.url)
        screen(browser, "welcome")
        browser.click("#account-terms")
        submit(browser)
        for way in ("scan", "code", "email", "preset"):
            screen(browser, "activation")
            browser.click(f"[data-way={way}]")
            screen(browser, f"activation-{way}")
            browser.click(".account .bar .leave")
        screen(browser, "activation")
        browser.click("[data-way=preset]")
        screen(browser, "activation-preset")
        browser.click(".account .primary")
        screen(browser, "credentials")
        fill(browser, "user", "ada")
        fill(browser, "password", "ada1")
        submit(browser)
        consent(browser)
        screen(browser, "passcode")
        fill(browser, "passcode", PASSCODE)
        submit(browser)
        screen(browser, "passcode-repeat")
        # A different passcode is refused; back leads to the first of the two, which is empty.
        fill(browser, "passcode", "another1")
        submit(browser)
        browser.find('.account .banner[data-kind="error"]')
        browser.script("document.querySelector('[data-screen=passcode-repeat]') && document.querySelector('.account .bar .leave').click()")
        screen(browser, "passcode")
        assert browser.script("return document.querySelector('wm-text-field').value") == ""
        passcode(browser)
        screen(browser, "ready")
        submit(browser)
        browser.find("[data-do=signOut]")
        sign_out(browser)
        browser.click("[data-do=forgot]")
        screen(browser, "recover")
        browser.click(".account .bar .leave")
        provider.faults["sync"] = "silent"
        sign_in(browser)
        browser.find('[data-sync="running"]')
        browser.click("[data-do=return]")
        screen(browser, "signIn")
        provider.close()
        settle(browser)


def heap(browser):
    """Everything that the page's memory holds, as the browser's own snapshot tells it."""
    address = browser.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
    with urllib.request.urlopen(f"http://{address}/json") as answer:
        page = next(one for one in json.load(answer) if one["type"] == "page")
    link = websocket.create_connection(page["webSocketDebuggerUrl"], suppress_origin=True, timeout=60)
    try:
        for number, method in enumerate(("HeapProfiler.enable", "HeapProfiler.collectGarbage", "HeapProfiler.collectGarbage", "HeapProfiler.takeHeapSnapshot")):
            link.send(json.dumps({"id": number, "method": method, "params": {}}))
            chunks = []
            while (told := json.loads(link.recv())).get("id") != number:
                if told.get("method") == "HeapProfiler.addHeapSnapshotChunk":
                    chunks.append(told["params"]["chunk"])
        return "".join(chunks)
    finally:
        link.close()


@check
def what_was_typed_leaves_the_memory(browser):
    with Stand([picture("no-code.jpg")], extra=configuration(), options=["--on-screen-keyboard"]) as stand:
        provider = Provider(stand.socket).start()
        provider.users = {**provider.users, "ada": {**provider.users["ada"], "password": "okapi90713"}}
        secrets = ("quokka58417", "okapi90713", "numbat31337")
        browser.open(stand.url)
        screen(browser, "welcome")
        browser.click("#account-terms")
        submit(browser)
        browser.click("[data-way=preset]")
        screen(browser, "activation-preset")
        browser.click(".account .primary")
        screen(browser, "credentials")
        fill(browser, "user", "ada")
        fill(browser, "password", secrets[1])
        # The search finds what is there.
        assert secrets[1] in heap(browser)
        submit(browser)
        consent(browser)
        passcode(browser, secrets[0])
        screen(browser, "ready")
        submit(browser)
        browser.find("[data-do=signOut]")
        sign_out(browser)
        sign_in(browser, secrets[2])
        browser.find('.account .banner[data-kind="error"]')
        sign_in(browser, secrets[0])
        browser.find("[data-do=signOut]")
        # What this test itself noted of it goes first.
        browser.script("probe.sent.length = 0")
        at_rest(browser)
        whole = heap(browser)
        found = [one for one in secrets if one in whole]
        assert not found, [whole[max(0, whole.index(one) - 60):whole.index(one) + 60] for one in found]
        print(f"  none of what was typed in {len(whole) >> 20} MiB of memory")
        provider.close()
        settle(browser)
