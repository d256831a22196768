#!/usr/bin/env python3
"""Shows the results of scans as notifications of the desktop, in the session of the user in front of it.

  notify.py [--socket PATH] [--text] [--refused]

  --text      shows what codes say, not their kind alone; codes with secrets, such as Wi-Fi, never show more than that
  --refused   shows codes that were refused, too

Needs python3-waymark and gdbus (Debian's libglib2.0-bin). A new notification takes the place of the one before.
"""
import argparse
import html
import re
import subprocess
import sys

from waymark import Client, messages

# Kinds whose text holds no secret. A code of a barcode scan has no kind: it may be anything, among it what these words begin.
HARMLESS = {None, "url", "text"}
SECRET = re.compile(r"\s*(\{|eyJ|begin:|(wifi|otpauth(-migration)?|dpp|lpa|fido|mt):)", re.IGNORECASE)


def body(event, with_text):
    """The title and the text of a notification, nothing for other events."""
    if isinstance(event.body, messages.ScanSuccessful):
        title = "Code accepted" if event.body.kind else "Code read"
        shown = event.body.connect_to or event.body.kind or event.body.symbology
        if with_text and event.body.kind in HARMLESS and event.body.text and not SECRET.match(event.body.text):
            shown = event.body.text
        return title, shown
    if isinstance(event.body, (messages.ScanInvalid, messages.ScanUnsuccessful)):
        return "Code refused", str(event.body.reason)
    return None


def notify(title, text, replaces):
    """Shows a notification (Desktop Notifications Specification 1.2); returns its number."""
    # The text may be markup to the desktop: a code writes none. gdbus reads a text in quotes as GVariant writes it.
    quoted = ["'%s'" % re.sub(r"(['\\])", r"\\\1", part) for part in
              (title, html.escape(re.sub(r"[\x00-\x1f\x7f]", " ", text[:200]), quote=False))]
    told = subprocess.run(
        ["gdbus", "call", "--session", "--dest", "org.freedesktop.Notifications", "--object-path", "/org/freedesktop/Notifications",
         "--method", "org.freedesktop.Notifications.Notify", "'Waymark'", str(replaces), "'scanner'", *quoted, "@as []",
         "{'transient': <true>}", "int32 5000"], stdout=subprocess.PIPE, text=True)
    number = re.search(r"uint32 (\d+)", told.stdout)
    return int(number.group(1)) if number else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--socket")
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--refused", action="store_true")
    options = parser.parse_args()
    names = ["scan.successful"] + (["scan.invalid", "scan.unsuccessful"] if options.refused else [])
    last = 0
    with Client(options.socket) as waymark:
        for event in waymark.events(*names):
            shown = body(event, options.text)
            if shown:
                last = notify(*shown, last)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
