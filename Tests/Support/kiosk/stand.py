"""The real service on sample frames, and the real kiosk beside it."""
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
WAYMARK = os.environ.get("WAYMARK", os.path.join(ROOT, ".build/release/waymark-station"))
# The page as packages carry it, where Scripts/bundle-page has made it.
PAGE_FOLDER = os.environ.get("KIOSK_PAGE", os.path.join(ROOT, "Sources/Station/WaymarkKiosk/Resources"))


class Camera:
    """A camera that shows one of its pictures, `at`, 30 times a second until it is told another one, or to be `silent`."""

    def __init__(self, pictures):
        self.pictures, self.at = [], 0
        for each in pictures:
            with open(each, "rb") as file:
                self.pictures.append(file.read())
        self.path = os.path.join(tempfile.mkdtemp(prefix="waymark-camera-"), "camera.mjpeg")
        os.mkfifo(self.path)
        self.silent, self.ended = threading.Event(), threading.Event()
        self.feeder = threading.Thread(target=self.feed, daemon=True)
        self.feeder.start()

    def feed(self):
        # Opened for both ways, so that it neither waits for the service nor ends with it.
        pipe = os.open(self.path, os.O_RDWR)
        try:
            while not self.ended.wait(1 / 30):
                if not self.silent.is_set():
                    os.write(pipe, self.pictures[self.at])
        finally:
            os.close(pipe)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.feeder.join(5)
        shutil.rmtree(os.path.dirname(self.path), ignore_errors=True)


class Stand:
    """`source` is a folder of pictures, a list of pictures, or the path of a `Camera`."""

    def __init__(self, source, scene=None, gallery=None, rate=30, extra="", options=(), user=None, beat=1.0):
        """`options` go to the kiosk, which runs as `user` where one is named; `beat` is how long a match shows before its notes do, in seconds."""
        self.folder = tempfile.mkdtemp(prefix="waymark-kiosk-")
        os.chmod(self.folder, 0o755)
        self.socket = os.path.join(self.folder, "waymark.sock")
        if isinstance(source, list):
            frames = os.path.join(self.folder, "frames")
            os.mkdir(frames)
            for number, picture in enumerate(source):
                shutil.copy(picture, os.path.join(frames, f"{number:03d}{os.path.splitext(picture)[1]}"))
            source = frames
        self.configuration = os.path.join(self.folder, "waymark.yaml")
        lines = ["source:", f"  path: {source}", f"  rate: {rate}", "  onboarding: true"]
        if scene:
            lines += ["scenes:", f"  folders: [\"{os.path.dirname(scene)}\"]", f"  load: {os.path.basename(scene)}", f"  annotateAfter: {beat}"]
        if gallery:
            lines += ["gallery:", f"  folders: [\"{gallery}\"]"]
        with open(self.configuration, "w", encoding="utf8") as out:
            out.write("\n".join(lines) + "\n" + extra)
        self.service = None
        self.start_service()
        place = os.path.join(self.folder, "kiosk")
        os.mkdir(place)
        os.chmod(place, 0o777)
        account = pwd.getpwnam(user) if user else None
        as_user = ["setpriv", "--reuid", str(account.pw_uid), "--regid", str(account.pw_gid), "--clear-groups"] if user else []
        self.command = as_user + [
            WAYMARK, "kiosk", "--socket", self.socket, "--token-file", os.path.join(place, "token"),
            "--assets", PAGE_FOLDER, "--return-after", "60", *options]
        try:
            self.start_kiosk("127.0.0.1:0")
        except BaseException:
            self.close()
            raise

    def start_kiosk(self, address):
        self.kiosk = subprocess.Popen(self.command + ["--listen", address], stdout=subprocess.PIPE, text=True)
        self.url = self.kiosk.stdout.readline().strip()
        match = re.fullmatch(r"http://(127\.0\.0\.1:\d+)/\?token=[0-9a-f]{64}", self.url)
        assert match, self.url
        self.address = match[1]

    def restart_kiosk(self):
        """Ends the kiosk in order, with whatever is open, and starts it on the same port."""
        self.kiosk.terminate()
        assert self.kiosk.wait(20) == 0, "the kiosk did not end in order"
        self.start_kiosk(self.address)

    def start_service(self):
        self.log = open(os.path.join(self.folder, "service.log"), "ab")
        self.service = subprocess.Popen([WAYMARK, "serve", "--config", self.configuration, "--socket", self.socket], stderr=self.log, stdout=self.log)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(self.socket)
                    return
            except OSError:
                assert self.service.poll() is None, open(self.log.name, encoding="utf8").read()
                time.sleep(0.02)
        raise AssertionError("the service does not listen")

    def stop_service(self, how=signal.SIGTERM):
        self.service.send_signal(how)
        self.service.wait(20)

    def request(self, method, **parameters):
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(self.socket)
            stream = link.makefile("rw", encoding="utf8")
            stream.readline()
            stream.write(json.dumps({"id": 1, "method": method, "params": parameters}) + "\n")
            stream.flush()
            return json.loads(stream.readline())

    def becomes(self, what, condition, within=20, method="status"):
        """Waits until the service's status, or the snapshot of `subscribe`, is as a condition on it says."""
        end = time.monotonic() + within
        while not condition(status := self.request(method)["result"]):
            assert time.monotonic() < end, f"not {what}: {status['scanner']}, {status.get('scan')}, {status.get('session')}"
            time.sleep(0.05)

    def is_left(self):
        """Waits until nothing is armed, and nothing waits for a confirmation."""
        self.becomes("left", lambda status: not status.get("scan"))

    def is_scanning(self):
        """Waits until a scan is armed and looks for a code."""
        self.becomes("scanning", lambda status: status.get("scan") and not status["scan"].get("pending"))

    @staticmethod
    def resident(process):
        """Resident memory of a process in bytes."""
        with open(f"/proc/{process.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def close(self):
        for process in (self.kiosk, self.service):
            if process and process.poll() is None:
                process.terminate()
                process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
