"""The clients against a real service on sample frames: WAYMARK names the program, SOURCE the folder of frames."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import waymark
from waymark import AsyncClient, Client, ConnectionLost, RequestFailed, messages
from waymark.codec import decode, encode, event

ROOT = pathlib.Path(__file__).resolve().parents[3]
WAYMARK = os.environ.get("WAYMARK", str(ROOT / ".build/release/waymark"))
FIELD = messages.FormField(name="material", value="4711")
SOURCE = os.environ.get("SOURCE", str(ROOT / "Samples/frames"))


class Service:
    """A service on sample frames, with a socket of its own."""

    def __init__(self, folder: str) -> None:
        self.path = f"{folder}/waymark.sock"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        command = [WAYMARK, "serve", "--source", SOURCE, "--source-onboarding", "--socket", self.path, "--log-level", "error"]
        self.process = subprocess.Popen(command)
        limit = time.monotonic() + 60
        while True:
            try:
                Client(self.path).close()
                return
            except ConnectionLost:
                if self.process.poll() is not None or time.monotonic() > limit:
                    raise
                time.sleep(0.02)

    def stop(self, how: int = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(30)
            self.process = None


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.service = Service(self.folder.name)
        self.addCleanup(self.service.stop)

    def test_hello_and_ping(self) -> None:
        with Client(self.service.path) as client:
            self.assertEqual(client.hello.role, "operator")
            self.assertEqual(client.hello.protocol, messages.PROTOCOL)
            self.assertGreater(client.ping().monotonic, 0)

    def test_a_code_is_scanned_and_confirmed(self) -> None:
        with Client(self.service.path) as client:
            client.subscribe("scan.*")
            scan = client.scan_begin(mode="onboarding", context={"step": 2}).scan
            for one in client.events(timeout=60):
                if isinstance(one.body, messages.ScanSuccessful):
                    self.assertEqual(one.body.scan, scan)
                    self.assertEqual(one.body.context, {"step": 2})
                    self.assertEqual(one.body.connect_to, "mobile.example.com")
                    self.assertIsNotNone(one.frame)
                    client.scan_confirm(scan=scan)
                    break
            else:
                self.fail("no code was read")

    def test_a_refusal_says_what_was_meant(self) -> None:
        with Client(self.service.path) as client:
            with self.assertRaises(RequestFailed) as refused:
                client.call("scan.begin", {"mode": "barcode", "regoin": [0, 0, 1, 1]})
            self.assertEqual(refused.exception.code, "badParams")
            self.assertIn("region", refused.exception.hint)
            for method, hint in (("scan.bgin", "Did you mean scan.begin?"), ("session.begin", "There are session.")):
                with self.assertRaises(RequestFailed) as refused:
                    client.call(method)
                self.assertIn(hint, refused.exception.hint)
            # The connection stays open.
            client.ping()

    def test_pictures(self) -> None:
        with Client(self.service.path) as client:
            picture = client.snapshot()
            self.assertEqual(len(picture.data), picture.header.size)
            self.assertEqual(picture.header.format, "jpeg")
            for picture in itertools.islice(client.preview(width=160), 3):
                self.assertTrue(picture.data.startswith(b"\xff\xd8"))
            with open(ROOT / "Samples/pictures/wifi.png", "rb") as file:
                outcome = client.scan_picture(file.read(), mode="barcode")
            self.assertEqual(outcome.outcome, "successful")
            assert outcome.successful is not None
            self.assertTrue((outcome.successful[0].text or "").startswith("WIFI:"))

    def test_events_end_after_a_time_without_any(self) -> None:
        with Client(self.service.path) as client:
            self.assertEqual(list(client.events("form.*", timeout=0.05)), [])
            client.form_submit(form="goods", fields=[FIELD])
            (submitted,) = client.events(timeout=0.5)
            assert isinstance(submitted.body, messages.FormSubmitted)
            self.assertEqual(submitted.body.fields, [FIELD])

    def test_a_service_that_was_killed_is_found_again(self) -> None:
        with Client(self.service.path) as client:
            client.subscribe("form.*")
            events = client.events()
            self.service.stop(signal.SIGKILL)
            self.service.start()
            self.assertEqual(next(events).name, "hello")
            client.form_submit(form="goods", fields=[FIELD])
            self.assertEqual(next(events).name, "form.submitted")

    def test_without_reconnecting_the_end_is_an_error(self) -> None:
        with Client(self.service.path) as client:
            events = client.events("scan.*", reconnect=False)
            self.service.stop()
            with self.assertRaises(ConnectionLost):
                for _ in events:
                    pass

    def test_asyncio(self) -> None:
        async def main() -> None:
            async with AsyncClient(self.service.path) as client:
                # Each answer reaches the thread that asked, in any order.
                pings = await asyncio.gather(*(client.ping() for _ in range(50)))
                self.assertEqual(len({ping.monotonic for ping in pings}), 50)
                await client.subscribe("scan.*")
                scan = (await client.scan_begin(mode="onboarding")).scan
                async for one in client.events():
                    if isinstance(one.body, messages.ScanSuccessful):
                        await client.scan_confirm(scan=scan)
                        break
                picture = await client.snapshot(width=160)
                self.assertEqual(len(picture.data), picture.header.size)
                async for picture in client.preview(width=160):
                    self.assertEqual(picture.header.format, "jpeg")
                    break
                with self.assertRaises(RequestFailed) as refused:
                    await client.call("nosuch.method")
                self.assertEqual(refused.exception.code, "unknownMethod")

        asyncio.run(main())

    def test_asyncio_finds_a_service_again(self) -> None:
        async def main() -> None:
            async with AsyncClient(self.service.path) as client:
                await client.subscribe("form.*")
                events = client.events()
                await asyncio.to_thread(self.service.stop, signal.SIGKILL)
                await asyncio.to_thread(self.service.start)
                self.assertEqual((await anext(events)).name, "hello")
                await client.form_submit(form="goods", fields=[FIELD])
                self.assertEqual((await anext(events)).name, "form.submitted")

        asyncio.run(main())

    def test_nobody_listens(self) -> None:
        with self.assertRaises(ConnectionLost):
            Client(self.folder.name + "/none.sock")

    def test_a_service_may_refuse_to_greet(self) -> None:
        path = self.folder.name + "/refusing.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()

            def refuse() -> None:
                for _ in range(2):
                    with listener.accept()[0] as peer:
                        peer.sendall(b'{"event":"connection.closed","reason":"notPermitted"}\n')

            refusing = threading.Thread(target=refuse)
            refusing.start()
            with self.assertRaisesRegex(ConnectionLost, "notPermitted.*roles"):
                Client(path)
            with self.assertRaisesRegex(ConnectionLost, "notPermitted.*roles"):
                asyncio.run(AsyncClient(path).connect())
            refusing.join()


def without_nulls(value: object) -> object:
    """JSON values as they come back: a member that is null is one that is missing, but for those of any JSON."""
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    if isinstance(value, list):
        return [without_nulls(element) for element in value]
    return value


class CodecTest(unittest.TestCase):
    def test_every_golden_event_comes_back(self) -> None:
        with open(ROOT / "Tests/Fixtures/Protocol/events.ndjson", encoding="utf-8") as file:
            for line in file:
                values = json.loads(line)
                one = event(values)
                assert one.body is not None, one.name
                again = encode(one.body)
                wanted = {name: value for name, value in values.items() if name not in ("event", "seq", "time", "frame")}
                self.assertEqual(again, without_nulls(wanted), one.name)

    def test_unknown_members_and_events_are_no_error(self) -> None:
        ping = decode(messages.PingResult, {"time": "t", "monotonic": 1, "later": True})
        self.assertEqual(ping, messages.PingResult(time="t", monotonic=1.0))
        self.assertIsNone(event({"event": "of.later", "seq": 3}).body)

    def test_what_is_missing_or_of_another_kind_is_an_error(self) -> None:
        wrong: list[object] = [{"time": "t"}, {"time": 1, "monotonic": 1.0}, {"time": "t", "monotonic": True}, []]
        for values in wrong:
            with self.assertRaises(ValueError):
                decode(messages.PingResult, values)

    def test_the_version_is_that_of_the_package(self) -> None:
        project = (ROOT / "Clients/python/pyproject.toml").read_text()
        self.assertIn(f'version = "{waymark.__version__}"', project)


if __name__ == "__main__":
    unittest.main()
