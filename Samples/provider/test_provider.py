#!/usr/bin/env python3
"""Users through the real service and the sample provider: every way in, every fault, and what survives a crash.

    test_provider.py [--waymark PATH] [NAME…]

Prints a line a test and closes with "N passed, N failed". About half a minute.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from provider import Provider
from waymark_client import Connection, RequestFailed

ROOT = os.path.dirname(os.path.dirname(HERE))
WAYMARK = os.path.join(ROOT, ".build/release/waymark-station")
PASSCODE = "walrus7"
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Device:
    """A service with the sample's configuration, in a folder of its own."""

    def __init__(self, changes=(), source="onboarding.png"):
        self.folder = tempfile.mkdtemp(prefix="waymark-accounts-")
        self.socket = os.path.join(self.folder, "s")
        with open(os.path.join(HERE, "accounts.yaml"), encoding="utf8") as file:
            text = file.read()
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        frames = os.path.join(self.folder, "frames")
        os.mkdir(frames)
        shutil.copy(os.path.join(ROOT, "Samples/pictures", source), frames)
        self.configuration = os.path.join(self.folder, "waymark.yaml")
        with open(self.configuration, "w", encoding="utf8") as file:
            file.write(text + "  folder: users\n  answerWithin: 2\n  syncWithin: 2\nsource: { path: %s, rate: 10, onboarding: true }\n" % frames)
        self.provider = self.service = None
        self.start()

    def start(self):
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.service = subprocess.Popen([WAYMARK, "serve", "--config", self.configuration, "--socket", self.socket], stdout=self.log, stderr=self.log)
        end = time.monotonic() + 60
        while True:
            try:
                self.client = Connection(self.socket, timeout=30)
                break
            except OSError:
                assert self.service.poll() is None and time.monotonic() < end, open(self.log.name, encoding="utf8").read()
                time.sleep(0.02)
        self.events = self.client.events()
        self.state = self.client.request("subscribe", events=["account.*", "consent.*", "scan.*"])["account"]

    def provide(self, **faults):
        self.provider = Provider(self.socket, faults=faults, steps=3).start()
        return self.provider

    def crash(self):
        self.service.send_signal(signal.SIGKILL)
        self.service.wait()

    def restart(self):
        self.crash()
        self.start()

    def does(self, method, /, **parameters):
        """A request; the error's code where it is refused."""
        try:
            answer = self.client.request(method, **parameters)
            # Every change is sent as an event; one received while waiting for the answer is newer than the answer.
            told = [one for one in self.client._events if one.get("event") == "account.state"]
            self.client._events[:] = [one for one in self.client._events if one.get("event") != "account.state"]
            self.state = told[-1] if told else answer
            return None
        except RequestFailed as error:
            return error.code

    def becomes(self, **wanted):
        """Waits until the state has these values (dots lead deeper), and nothing is under way."""
        def value(path):
            at = self.state
            for name in path.split("__"):
                at = (at or {}).get(name)
            return at
        end = time.monotonic() + 30
        while self.state.get("working") or any(value(path) != one for path, one in wanted.items()):
            assert time.monotonic() < end, "not %s: %s" % (wanted, self.state)
            event = next(self.events)
            if event.get("event") == "account.state":
                self.state = event
        return self.state

    def users(self, *arguments):
        run = subprocess.run([WAYMARK, "users", *arguments, "--socket", self.socket], capture_output=True, text=True, timeout=30)
        return run.returncode, run.stdout, run.stderr

    def close(self):
        if self.provider:
            self.provider.close()
        if self.service.poll() is None:
            self.service.terminate()
            self.service.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # The steps, as a person takes them.

    def activate(self, way="preset"):
        assert self.does("account.next") == "badParams", "the terms come first"
        assert self.does("account.next", agreed=True) is None
        assert self.does("account.choose", method=way) is None
        if way == "preset":
            self.does("account.next")
        elif way == "code":
            self.does("account.activate", code="WM-ADA")
        elif way == "email":
            self.does("account.activate", code="ada@example.com")
        elif way == "link":
            pass
        elif way == "scan":
            self.client.request("scan.begin", mode="onboarding")
            end = time.monotonic() + 30
            while next(self.events).get("event") != "scan.successful":
                assert time.monotonic() < end
            self.client.request("scan.confirm")
        self.becomes(phase="credentials")

    def verify(self, user="ada", password=None):
        assert self.does("authentication.submit", fields={"user": user, "password": password or user + "1"}) is None

    def consent(self, privacy="allow"):
        self.becomes(phase="consents")
        while self.state["phase"] == "consents":
            at = self.state["consent"]
            if at["page"] < at["pages"] - 1:
                assert self.does("account.next") is None
                continue
            choice = privacy if at["id"] == "privacy" else "later"
            assert self.does("consent.choose", consent=at["id"], choice=choice, language="en") is None
            if choice == "deny":
                return self.becomes(problem__code="consentNeeded")
            self.becomes()
        return self.state

    def protect(self, passcode=PASSCODE):
        self.becomes(phase="passcode", repeats=False)
        assert self.does("authentication.setPasscode", passcode="ab") == "passcodeRules"
        assert self.does("authentication.setPasscode", passcode=passcode) is None
        assert self.state["repeats"]
        assert self.does("authentication.setPasscode", passcode=passcode) is None
        self.becomes(phase="ready")

    def onboard(self, user="ada", way="preset"):
        self.activate(way)
        self.verify(user)
        self.consent()
        self.protect()
        assert self.does("account.next") is None
        self.becomes(phase="signedIn")

    def sign_in(self, passcode=PASSCODE):
        return self.does("authentication.signIn", passcode=passcode)


def each_way(way):
    def run():
        with Device() as device:
            device.provide()
            assert device.state["phase"] == "welcome" and device.state["purpose"] == "first", device.state
            device.onboard(way=way)
            assert device.state["user"]["title"] == "Ada Lovelace"
            host = {"scan": None}.get(way, "mobile.example.com")
            listed = device.client.request("account.list")["users"][0]
            assert listed["ready"] and (host is None or listed["host"] == host), listed
            # The scanned code reaches the program that verifies it.
            assert device.provider.asked[-2:] == ["verify", "sync"], device.provider.asked
    run.__name__ = "from_the_first_start_to_ready_by_" + way
    return test(run)


for one in ("preset", "code", "email", "scan"):
    each_way(one)


@test
def a_link_that_was_typed_is_judged_like_a_scanned_one():
    with Device() as device:
        device.provide()
        device.does("account.next", agreed=True)
        device.does("account.choose", method="code")
        assert device.does("account.activate", code="http://evil.example.net/onboard") == "codeRefused"
        assert device.does("account.activate", code="https://evil.example.net/") == "codeRefused"
        code = '{"appID":"com.example.app","host":"mobile.example.com"}'
        verdict = subprocess.run([WAYMARK, "onboarding", "check", "--json", "--policy", device.configuration, code], capture_output=True, text=True)
        if verdict.returncode == 0:
            assert device.does("account.activate", code=code) is None
            device.becomes(phase="credentials")


@test
def three_users_take_turns():
    with Device() as device:
        device.provide()
        device.onboard("ada")
        for user in ("ben", "cem"):
            assert device.does("account.leave") is None
            assert device.does("account.add") is None
            device.onboard(user)
        for turn in range(6):
            assert device.does("account.leave") is None
            assert device.does("account.switch") is None
            people = device.client.request("account.users")["users"]
            assert [one["title"] for one in people] == ["Ada Lovelace", "Ben Okri", "Cem Yılmaz"], people
            assert device.does("account.select", user=people[turn % 3]["id"]) is None
            assert device.does("account.back") is None
            assert device.sign_in() is None
            device.becomes(phase="signedIn", user__id=people[turn % 3]["id"])
            assert device.sign_in() == "wrongPhase", "one at a time"
        device.restart()
        assert device.state["phase"] == "signIn" and device.state["user"]["id"] == people[2]["id"], device.state


@test
def five_wrong_passcodes_wait_and_a_restart_does_not_help():
    with Device([("passcode: { minimum: 6, digit: true }", "passcode: { minimum: 6, digit: true, wait: 4 }")]) as device:
        device.provide()
        device.onboard()
        device.does("account.leave")
        for _ in range(5):
            assert device.sign_in("wrong77") is None
            device.becomes(problem__code="wrongPasscode")
        assert device.state["wait"] > 2
        assert device.sign_in() == "waiting"
        begun = time.monotonic()
        device.restart()
        assert device.sign_in() == "waiting", "the wait is gone with the process"
        status, out, _ = device.users("list")
        assert status == 0 and "5 wrong passcodes, waits" in out, out
        device.provide()
        while device.sign_in() == "waiting":
            assert time.monotonic() - begun < 20
            time.sleep(0.1)
        device.becomes(phase="signedIn")
        # Without waiting, where an administrator says so.
        device.does("account.leave")
        for _ in range(5):
            device.sign_in("wrong77")
            device.becomes(problem__code="wrongPasscode")
        assert device.sign_in() == "waiting"
        assert device.users("unlock", device.state["user"]["id"])[0] == 0
        assert device.sign_in() is None
        device.becomes(phase="signedIn")


@test
def the_provider_is_killed_in_the_midst_of_each_step():
    with Device() as device:
        device.does("account.next", agreed=True)
        device.does("account.choose", method="email")
        device.does("account.activate", code="ada@example.com")
        device.becomes(problem__code="noProvider")
        for fault, code in (("dies", "providerGone"), ("silent", "providerSilent"), ("offline", "offline"), ("refused", "refused")):
            provider = device.provide(lookup=fault)
            device.does("account.activate", code="ada@example.com")
            device.becomes(problem__code=code, phase="activation")
            provider.close()
        provider = device.provide(verify="dies")
        device.does("account.activate", code="ada@example.com")
        device.becomes(phase="credentials")
        device.verify()
        device.becomes(problem__code="providerGone", phase="credentials")
        provider = device.provide()
        device.verify(password="nonsense")
        assert device.becomes(problem__code="refused")["problem"]["text"] == "User name or password is wrong."
        device.verify()
        device.consent()
        device.protect()
        provider.close()
        device.becomes(provider=False)
        device.does("account.next")
        device.becomes(phase="sync", sync__state="connectionError")
        # Late answers are ignored.
        provider = device.provide(sync="late")
        device.does("sync.retry")
        device.does("account.leave")
        device.becomes(phase="signIn")
        device.sign_in()
        device.becomes(phase="sync", sync__state="connectionError")
        provider.close()
        provider = device.provide(sync="dies")
        device.does("sync.retry")
        device.becomes(phase="sync", sync__state="connectionError", problem__code="providerGone")
        device.provide()
        device.does("sync.retry")
        device.becomes(phase="signedIn")


@test
def both_errors_of_synchronizing_and_the_way_out_of_each():
    with Device() as device:
        device.provide()
        device.onboard("ada")
        device.does("account.leave")
        device.does("account.add")
        device.onboard("ben")
        device.does("account.leave")
        device.provider.faults["sync"] = "offline"
        device.sign_in()
        device.becomes(phase="sync", sync__state="connectionError", problem__code="offline")
        device.does("sync.retry")
        device.becomes(sync__state="connectionError")
        device.provider.faults["sync"] = "conflict:ada"
        device.does("sync.retry")
        device.becomes(sync__state="userError", sync__user__title="Ada Lovelace")
        device.does("account.leave")
        # So that this user can.
        device.becomes(phase="signIn", user__title="Ada Lovelace")
        device.provider.faults.clear()
        device.sign_in()
        device.becomes(phase="signedIn", user__title="Ada Lovelace")


@test
def denying_what_is_needed_leads_nowhere_and_is_recorded():
    with Device() as device:
        device.provide()
        device.activate()
        device.verify()
        device.consent(privacy="deny")
        assert device.state["phase"] == "consents"
        assert device.does("account.next") == "wrongPhase"
        assert device.does("authentication.setPasscode", passcode=PASSCODE) == "wrongPhase"
        device.restart()
        assert device.state["phase"] == "welcome", "nobody is a user by halves"
        status, out, _ = device.users("export-consents")
        records = [json.loads(line) for line in out.splitlines()]
        assert status == 0 and [one["choice"] for one in records] == ["later", "deny"], out
        assert all(len(one["hash"]) == 64 and one["time"].endswith("Z") for one in records)


@test
def whoever_is_removed_is_gone_with_everything():
    with Device() as device:
        device.provide()
        device.onboard()
        user = device.state["user"]["id"]
        status, out, _ = device.users("list", "--json")
        assert status == 0 and json.loads(out)["id"] == user
        assert device.users("remove", user)[0] == 0
        device.becomes(phase="welcome", problem__code="removed")
        assert device.users("list")[1] == ""
        assert device.users("export-consents")[1] == ""
        assert device.users("remove", user)[0] != 0
        left = subprocess.run(["grep", "-r", "-l", "-i", "-e", "lovelace", "-e", user, os.path.join(device.folder, "users")], capture_output=True, text=True).stdout
        assert all(name.endswith("/last") for name in left.split()), left


@test
def killed_at_any_moment_it_has_the_old_or_the_new():
    chance = random.Random(5)
    with Device() as device:
        device.provide()
        device.onboard()
        device.does("account.leave")
        for _ in range(8):
            failures = device.client.request("account.list")["users"][0]["failures"]
            device.client.send("authentication.signIn", passcode="wrong77")
            time.sleep(chance.uniform(0, 0.03))
            device.restart()
            listed = device.client.request("account.list")["users"]
            # The last failure may be counted or not, earlier ones are kept; and no user is signed in.
            assert len(listed) == 1 and listed[0]["failures"] in (failures, failures + 1), listed
            assert device.state["phase"] == "signIn"
            device.users("unlock")
        log = open(device.log.name, encoding="utf8").read()
        assert "damaged" not in log, log


@test
def nothing_that_was_typed_is_in_the_log_or_the_report():
    with Device() as device:
        device.provide()
        device.onboard()
        device.does("account.leave")
        device.sign_in("wrong-guess-7")
        device.becomes(problem__code="wrongPasscode")
        environment = dict(os.environ, WAYMARK_SOCKET=device.socket)
        report = subprocess.run([WAYMARK, "report", "--config", device.configuration], capture_output=True, text=True, env=environment, timeout=60).stdout
        text = report + open(device.log.name, encoding="utf8").read()
        assert "mode" in report
        for secret in (PASSCODE, "wrong-guess-7", "ada1", "Lovelace", "WM-ADA"):
            assert secret not in text, secret


@test
def a_forgotten_passcode_is_set_anew():
    with Device() as device:
        device.provide()
        device.onboard()
        device.does("account.leave")
        assert device.state["canRecover"]
        device.does("authentication.forgot")
        device.becomes(phase="credentials", purpose="recover")
        device.verify("ben")
        device.becomes(problem__code="refused")
        device.verify("ada")
        device.becomes(phase="passcode", purpose="recover")
        for _ in range(2):
            device.does("authentication.setPasscode", passcode="another8")
        device.becomes(phase="signIn")
        device.sign_in()
        device.becomes(problem__code="wrongPasscode")
        device.sign_in("another8")
        device.becomes(phase="signedIn")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--waymark", default=WAYMARK)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    globals()["WAYMARK"] = options.waymark
    passed = failed = 0
    for function in TESTS:
        if options.names and function.__name__ not in options.names:
            continue
        begun = time.monotonic()
        try:
            function()
            passed += 1
            print("ok      %s (%.1f s)" % (function.__name__.replace("_", " "), time.monotonic() - begun), flush=True)
        except Exception as error:  # a failed test is reported, the others still run
            failed += 1
            print("FAILED  %s: %s" % (function.__name__.replace("_", " "), error), flush=True)
            traceback.print_exc()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
