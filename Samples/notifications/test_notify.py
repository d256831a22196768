#!/usr/bin/env python3
"""Tests notify.py on a session bus of its own, with a server of notifications that writes down what it is told.

  dbus-run-session -- test_notify.py WAYMARK

The server is on Debian's python3-dbus and python3-gi. Ends with a line "N passed, N failed".
"""
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAME = "org.freedesktop.Notifications"


class Server(dbus.service.Object):
    """Takes notifications as the specification wants it."""

    def __init__(self, bus):
        super().__init__(bus, "/org/freedesktop/Notifications")
        self.told = []

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, title, body, actions, hints, timeout):
        number = int(replaces) or len(self.told) + 1
        self.told.append((str(app), int(replaces), str(title), str(body), bool(hints.get("transient")), number))
        return dbus.UInt32(number)


def wait(condition, what):
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            sys.exit("FAILED: %s" % what)
        time.sleep(0.02)


def main():
    waymark = sys.argv[1]
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    name = dbus.service.BusName(NAME, bus)
    server = Server(bus)
    loop = GLib.MainLoop()
    threading.Thread(target=loop.run, daemon=True).start()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/waymark.sock"
        # Markup, quotes and a line break in a code are shown as they are.
        code = "<b>5 > 4 & 'x' \\ \"y\"</b>"
        subprocess.run(["qrencode", "-s", "6", "-m", "8", "-o", folder + "/code.png", code], check=True)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "Clients/python/src"), "PYTHONDONTWRITEBYTECODE": "1"}
        children = []

        def start(*command):
            children.append(subprocess.Popen(command, env=environment))
            return children[-1]

        def service():
            return start(waymark, "serve", "--socket", path, "--log-level", "error")

        def scan(picture, mode):
            sent = subprocess.run(
                [waymark, "send", "scan.picture", '{"mode":"%s"}' % mode, "--file", picture, "--socket", path], stdout=subprocess.DEVNULL)
            return sent.returncode == 0

        try:
            service()
            wait(lambda: subprocess.run([waymark, "send", "ping", "--socket", path], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL).returncode == 0, "the service does not start")
            start(sys.executable, str(HERE / "notify.py"), "--socket", path, "--text", "--refused")

            def shown(picture, count, mode="barcode"):
                # The notifier may not listen yet: what was scanned before is not shown.
                def try_again():
                    scan(picture, mode)
                    time.sleep(0.2)
                    return len(server.told) >= count
                wait(try_again, "no notification")

            shown(folder + "/code.png", 1)
            app, replaces, title, text, transient, number = server.told[0]
            checks = [
                ("a code is shown as it is", (app, title, text) == ("Waymark", "Code read", "&lt;b&gt;5 &gt; 4 &amp; 'x' \\ \"y\"&lt;/b&gt;")),
                ("the first takes nobody's place, and does not stay", replaces == 0 and transient)]
            shown(folder + "/code.png", 2)
            checks.append(("the next one takes its place", server.told[1][1] == number))
            before = len(server.told)
            shown(str(ROOT / "Samples/pictures/wifi.png"), before + 1)
            checks.append(("a secret is not shown as a text", server.told[before][3] == "qr"))
            before = len(server.told)
            shown(str(ROOT / "Samples/pictures/wifi.png"), before + 1, "onboarding")
            checks.append(("what the policy refuses is told", server.told[before][2:4] == ("Code refused", "kindNotAllowed")))
            shown(str(ROOT / "Samples/pictures/no-code.jpg"), len(server.told) + 1)
            checks.append(("what is refused is told", server.told[-1][3] == "nothingFound"))
            for what, holds in checks:
                print("%s %s" % ("ok     " if holds else "FAILED ", what))
                failed += not holds
            if failed:
                print(server.told)
        finally:
            for child in children:
                child.kill()
                child.wait()
    loop.quit()
    del name
    print("%d passed, %d failed" % (len(checks) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
