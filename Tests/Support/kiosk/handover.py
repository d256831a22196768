"""Results that leave by a program of the integrator's, with the number by which they are found again; and a page that is only looked at."""
import json
import os
import re
import stat
import subprocess
import tempfile

from checks import check, opened, picture, settle, shown
from documents import FLAT, capture, sheets, storage
from fields import Program
from pickup import ORIGIN
from stand import ROOT, WAYMARK, Stand

NUMBER = r"[2-9B-DF-HJ-NP-TV-Z]{4}-[2-9B-DF-HJ-NP-TV-Z]{4}"
PAGE = """handover:
- {{name: print, label: {{en: Print, de: Drucken}}, program: {0}/program, arguments: [-t, "{{number}}", "{{file}}"], done: {{en: It comes out on the right., de: Es kommt rechts heraus.}}}}
- {{name: mail, label: {{en: Send by e-mail, de: Per E-Mail senden}}, program: {0}/program, ask: {{en: Your e-mail address, de: Ihre E-Mail-Adresse}},
   pattern: '[^@\\s]+@[^@\\s]+', wrong: {{en: An address has an @., de: Eine Adresse hat ein @.}}}}
- {{name: stick, label: {{en: Save to a USB stick, de: Auf einen USB-Stick}}, program: {0}/program, of: document, seconds: 1}}
"""


def ways(script="exit 0"):
    """A folder with a page that has three ways, and the program of all of them, which keeps what it gets."""
    folder = tempfile.mkdtemp(prefix="waymark-ways-")
    os.chmod(folder, 0o755)
    with open(os.path.join(folder, "page.yaml"), "w", encoding="utf8") as out:
        out.write(PAGE.format(folder))
    program = os.path.join(folder, "program")
    with open(program, "w", encoding="utf8") as out:
        out.write(f"#!/bin/sh\nfor last; do :; done\ncp \"$last\" {folder}/file\ncat > {folder}/told\nprintf '%s\\n' \"$@\" > {folder}/arguments\n{script}\n")
    os.chmod(program, stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    return folder


def content(folder, name):
    with open(os.path.join(folder, name), encoding="utf8") as file:
        return file.read()


def saved_form(browser):
    browser.find("wm-text-field[name=material]")
    browser.script("document.querySelector('.form [name=material]').fill('4012345')")
    browser.click("form .primary")
    browser.find('[data-state="form-saved"] .handover')
    return re.search(NUMBER, browser.text('[data-state="form-saved"] .number'))[0]


@check
def a_receipt_is_printed_and_mailed_under_the_number_that_programs_are_told(browser):
    folder = ways()
    with Stand([picture("no-code.jpg")], options=["--page", os.path.join(folder, "page.yaml"), "--pickup", ORIGIN]) as stand:
        listener = Program(stand)
        listener.ask("subscribe", events=["form.*"])
        opened(browser, stand, "field")
        number = saved_form(browser)
        assert listener.event("form.submitted")["key"] == number
        assert not browser.driver.find_elements("css selector", "[data-way=stick]"), "a way for documents alone"
        browser.find("[data-pickup] svg")
        shown(browser, "home-form")
        browser.click("[data-way=print]")
        browser.until("document.querySelector('[data-handed=print]').textContent === 'It comes out on the right.'")
        assert content(folder, "arguments").splitlines()[:2] == ["-t", number]
        receipt = content(folder, "file")
        assert f"Number: {number}" in receipt and "Material number: 4012345" in receipt, receipt
        browser.click("[data-way=mail]")
        browser.find(".handover-question")
        browser.script("document.querySelector('.handover-question wm-text-field').fill('ann')")
        browser.click(".handover-question [type=submit]")
        browser.until("document.querySelector('.handover-question wm-text-field').validationMessage === 'An address has an @.'")
        shown(browser, "home-mail")
        browser.script("document.querySelector('.handover-question wm-text-field').fill('ann@example.org')")
        browser.click(".handover-question [type=submit]")
        browser.until("document.querySelector('[data-handed=mail]').textContent === 'Completed'")
        told = json.loads(content(folder, "told"))
        assert (told["way"], told["answer"], told["number"], told["of"], told["form"], told["language"]) == ("mail", "ann@example.org", number, "form", "goods-received", "en"), told
        assert "ann@example.org" not in content(folder, "arguments")
        browser.click('[data-state="form-saved"] [data-done]')
        browser.gone('[data-state="form-saved"]')
        listener.close()
        settle(browser)


@check
def a_program_that_fails_or_hangs_is_told_to_the_visitor_and_may_be_tried_again(browser):
    folder = ways(script='case $(cat "$0.next") in later) exit 75;; fails) echo no paper >&2; exit 1;; hangs) sleep 60;; esac')
    with Stand(sheets(browser, [(FLAT, 7, 2)]), extra=storage()[0], rate=15, options=["--page", os.path.join(folder, "page.yaml")]) as stand:
        opened(browser, stand, "document")
        browser.until("!document.querySelector('.shutter').disabled", what="a session")
        browser.click("[data-mode]")
        capture(browser, 1)
        browser.script("[...document.querySelectorAll('dialog.ask button')].find((b) => b.matches('.primary')).click()")
        browser.click("[data-save]")
        browser.find('[data-state="document-saved"] .handover')
        number = re.search(NUMBER, browser.text('[data-state="document-saved"] .number'))[0]
        said = "document.querySelector('[data-handed=stick]').textContent"
        for outcome, words in (("fails", "It could not be sent."), ("later", "It cannot be sent right now."), ("hangs", "It took too long and was stopped."), ("works", "Completed")):
            with open(os.path.join(folder, "program.next"), "w", encoding="utf8") as out:
                out.write(outcome)
            browser.click("[data-way=stick]")
            browser.until(f"{said}.startsWith('{words}')", what=outcome)
        shown(browser, "home-document", everywhere=False)
        with open(os.path.join(folder, "file"), "rb") as file:
            assert file.read(5) == b"%PDF-"
        assert json.loads(content(folder, "told"))["file"].endswith(f"/{number}.pdf")
        settle(browser, ("status of 502", "status of 504"))


@check
def a_page_is_looked_at_without_camera_and_service(browser):
    command = [WAYMARK, "kiosk", "--preview", "--page", os.path.join(ROOT, "Samples/page/page.yaml"), "--listen", "127.0.0.1:0", "--show", "field", "--assets", os.path.join(ROOT, "Sources/Station/WaymarkKiosk/Resources")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as kiosk:
        try:
            browser.open(kiosk.stdout.readline().strip())
            browser.until("document.querySelector('.brand img')?.naturalWidth > 0", what="the logo")
            browser.until("document.documentElement.dataset.online === 'true'")
            browser.click("[data-open=field]")
            browser.find("wm-date")
            for name, value in (("article", "40123455"), ("batch", "LB7042")):
                browser.script("document.querySelector(`.form [name='${arguments[0]}']`).fill(arguments[1])", name, value)
            browser.script("for (const one of document.querySelectorAll('.form [required]')) if (one.name !== 'article') one.removeAttribute('required')")
            browser.click("form .primary")
            handed = json.loads(kiosk.stdout.readline())
            assert handed["form"] == "delivery" and re.fullmatch(NUMBER, handed["key"]) and handed["fields"][0]["value"] == "40123455", handed
            settle(browser)
        finally:
            kiosk.terminate()
