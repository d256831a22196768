"""Results that a visitor takes home: the codes that the page shows, and a phone that takes each of them once."""
import http.client
import re

from checks import check, opened, picture, settle, shown
from documents import FLAT, capture, sheets, storage
from stand import Stand

ORIGIN = "http://pickup.example"


def phone(stand, method, address, origin=ORIGIN):
    """A request of a phone, which reaches the kiosk under the address of the code."""
    assert re.fullmatch(ORIGIN + "/pickup/[0-9a-f]{64}", address), address
    link = http.client.HTTPConnection(stand.address, timeout=20)
    link.request(method, address.removeprefix(ORIGIN), headers={"Host": "pickup.example", **({"Origin": origin} if method == "POST" else {})})
    answer = link.getresponse()
    body = answer.read()
    link.close()
    return answer.status, body


def code(browser):
    browser.find("[data-pickup] svg")
    return browser.script("return document.querySelector('[data-pickup]').dataset.pickup")


@check
def a_receipt_is_taken_home_by_a_phone_once(browser):
    with Stand([picture("no-code.jpg")], options=["--pickup", ORIGIN, "--show", "field"]) as stand:
        browser.open(stand.url)
        browser.until("document.documentElement.dataset.online === 'true'")
        browser.click("[data-open=field]")
        browser.find("wm-text-field[name=material]")
        browser.script("document.querySelector('.form [name=material]').fill('4012345')")
        browser.click("form .primary")
        address = code(browser)
        shown(browser, "pickup-form")
        assert phone(stand, "POST", address, "http://evil.example")[0] == 403
        status, page = phone(stand, "GET", address)
        assert status == 200 and b"<button>Save on this phone</button>" in page, page
        status, receipt = phone(stand, "POST", address)
        assert status == 200 and b"Material number: 4012345" in receipt, receipt
        assert phone(stand, "POST", address)[0] == 404
        settle(browser)


@check
def a_document_is_taken_home_by_a_phone(browser):
    configuration, _ = storage()
    with Stand(sheets(browser, [(FLAT, 7, 2)]), extra=configuration, rate=15, options=["--pickup", ORIGIN]) as stand:
        opened(browser, stand, "document")
        browser.until("!document.querySelector('.shutter').disabled", what="a session")
        browser.click("[data-mode]")
        capture(browser, 1)
        browser.script("[...document.querySelectorAll('dialog.ask button')].find((b) => b.matches('.primary')).click()")
        browser.click("[data-save]")
        browser.find('[data-state="document-saved"]')
        address = code(browser)
        shown(browser, "pickup-document")
        assert re.search(r"[2-9B-Z]{4}-[2-9B-Z]{4}", browser.script("return document.querySelector('[data-state=document-saved]').textContent"))
        status, document = phone(stand, "POST", address)
        assert status == 200 and document.startswith(b"%PDF-") and document.rstrip().endswith(b"%%EOF"), document[:40]
        assert phone(stand, "GET", address)[0] == 404
        settle(browser)


@check
def a_kiosk_without_an_address_for_phones_offers_nothing(browser):
    with Stand([picture("no-code.jpg")]) as stand:
        opened(browser, stand, "field")
        browser.find("wm-text-field[name=material]")
        browser.script("document.querySelector('.form [name=material]').fill('4012345')")
        browser.click("form .primary")
        browser.until("document.querySelector('.form [name=material]').value === ''")
        assert browser.script("return fetch('/api/pickup', { method: 'POST', body: '{}' }).then((one) => one.status)") == 404
        assert not browser.driver.find_elements("css selector", "[data-pickup]")
        browser.collect()
        browser.console.clear()
        settle(browser)
