"""Printed text into a field. The pictures are rendered by Benchmarks/text/make_plates.py."""
import os

from checks import check, opened, settle, shown
from stand import ROOT, Stand

PLATES = os.path.join(ROOT, "Tests/Fixtures/Text")
VALUE = "document.querySelector('wm-text-field[name=\"{0}\"]').value"


def read_into(browser, name):
    """Presses the icon of a field that opens the text reader."""
    browser.find("wm-text-field")
    browser.script(f"document.querySelector('wm-text-field[name=\"{name}\"]').shadowRoot.querySelectorAll('button.scan')[1].click()")
    browser.find(".reader .guide")


@check
def a_printed_number_is_read_into_the_field(browser):
    with Stand([os.path.join(PLATES, "number.jpg")]) as stand:
        opened(browser, stand, "field")
        read_into(browser, "material")
        browser.until(VALUE.format("material") + " === '4006381333931'", what="the number in the field")
        browser.gone(".reader")
        settle(browser)


@check
def what_looks_alike_is_asked(browser):
    with Stand([os.path.join(PLATES, "batch.jpg")]) as stand:
        opened(browser, stand, "field")
        read_into(browser, "batch")
        browser.find(".reader .choice")
        choices = "[...document.querySelectorAll('.reader .choice')].map((one) => one.textContent)"
        browser.until(f"{choices}.includes('LB7042') && {choices}.includes('LB7O42')", what="both readings")
        shown(browser, "text-doubt", everywhere=False)
        # Nothing is taken without a tap.
        assert browser.script(f"return {VALUE.format('batch')}") == ""
        browser.script("[...document.querySelectorAll('.reader .choice')].find((one) => one.textContent === 'LB7042').click()")
        browser.until(VALUE.format("batch") + " === 'LB7042'", what="the chosen text in the field")
        browser.gone(".reader")
        settle(browser)


@check
def nothing_to_read_says_what_to_change(browser):
    with Stand([os.path.join(PLATES, "plate.jpg")]) as stand:
        opened(browser, stand, "field")
        read_into(browser, "batch")
        browser.find('.reader .prompt[data-state="advice"]')
        shown(browser, "text-nothing", everywhere=False)
        browser.click(".reader .leave")
        browser.gone(".reader")
        assert browser.script(f"return {VALUE.format('batch')}") == ""
        settle(browser)
