"""Drives the kiosk page in a real Chromium against the real service on sample frames.

  test_page.py [SCREENSHOT_FOLDER]

Every state of the page is reached as a person would reach it; each is checked for what it says, for accessibility faults
and for console errors, and pictured. With BROWSER=firefox those checks that Firefox can be asked. Prints one line a check and closes with "N passed, N failed".
"""
import os
import shutil
import sys
import time
import traceback

# Each names its checks in the order in which they run.
import scanning  # noqa: F401
import following  # noqa: F401
import session  # noqa: F401
import exploring  # noqa: F401
import documents  # noqa: F401
import fields  # noqa: F401
import page  # noqa: F401
import pickup  # noqa: F401
import handover  # noqa: F401
import finish  # noqa: F401
import signing  # noqa: F401
import texts  # noqa: F401
import interruptions  # noqa: F401
import settings  # noqa: F401
import access  # noqa: F401
import accounts  # noqa: F401
import shift  # noqa: F401
import hearing  # noqa: F401
import mended  # noqa: F401
import guided  # noqa: F401
import lists  # noqa: F401
import formed  # noqa: F401
import sighted  # noqa: F401
import assisted  # noqa: F401
import quality  # noqa: F401
import matrix  # noqa: F401
import walked  # noqa: F401
import jobs  # noqa: F401
import monkey  # noqa: F401
from browser import Browser
from checks import CHECKS, SHOTS


def main():
    passed = failed = 0
    wanted = os.environ.get("ONLY", "").split(",") if os.environ.get("ONLY") else None
    make = Browser
    if os.environ.get("BROWSER") == "firefox":
        import firefox
        make, wanted = firefox.Firefox, wanted or firefox.CHECKS
    browser = make()
    try:
        for function in CHECKS:
            name = function.__name__
            if wanted and name not in wanted:
                continue
            begun = time.monotonic()
            # Each stand has a port, and its cookie a name, of its own; those of a hundred stands are more than the 8 KiB that a header may have.
            browser.forget_cookies()
            try:
                function(browser)
                passed += 1
                print(f"ok      {name.replace('_', ' ')} ({time.monotonic() - begun:.1f} s)", flush=True)
            except Exception as error:  # a failed check is reported, the others still run
                failed += 1
                browser.shot(os.path.join(SHOTS, "failed.png"))
                print(f"FAILED  {name.replace('_', ' ')}: {error}", flush=True)
                traceback.print_exc()
                browser.close()
                browser = make()
    finally:
        browser.close()
    if len(sys.argv) <= 1 and not failed:
        shutil.rmtree(SHOTS, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
