"""Cameras by address against real servers: test_cameras.py WAYMARK [NAME...], waymark-cameras beside it. Ends with a line "N passed, N failed"."""
import http.server
import json
import os
import pathlib
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "Tests/Support/gateway")]

from gateway import free_port, wait

PASSWORD = "pass:word/ö"
LONG = ("minute",)
passed, failed = 0, 0


def plugin(name):
    """The file of a plug-in of GStreamer; None where it is not installed."""
    return next(pathlib.Path("/usr/lib").glob("*/gstreamer-1.0/libgst%s.so" % name), None)


class Rtsp:
    """A server in a process of its own, which can be killed and stopped."""

    def __init__(self, port, code, codec="H264", credentials=None):
        command = ["/usr/bin/python3", str(ROOT / "Tests/Support/cameras/rtsp_server.py"), str(port), codec, str(code)]
        self.process = subprocess.Popen(
            command + ([credentials] if credentials else []), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout.readline() == "ready\n", "no RTSP server"

    def show(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.wait()


class Desktop:
    """A PipeWire of its own with its session manager, as a desktop has them, and a camera that can be unplugged."""

    programs = ("pipewire", "wireplumber", "dbus-run-session", "gst-launch-1.0")
    name = "desk-camera"

    def __init__(self, folder):
        folder.mkdir(0o700)
        self.folder = folder
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(folder), HOME=str(folder), XDG_CONFIG_HOME=str(folder), XDG_STATE_HOME=str(folder))
        self.camera = None
        self.begin()

    @classmethod
    def lacks(cls):
        """Says so where its programs are not there."""
        is_there = all(map(shutil.which, cls.programs)) and plugin("pipewire")
        if not is_there:
            print("        PipeWire is not there", flush=True)
        return not is_there

    def begin(self):
        # One that was killed leaves its sockets.
        for left in self.folder.glob("pipewire-0*"):
            left.unlink()
        # One group, which is ended as a whole.
        self.process = self.start("dbus-run-session", "--", "sh", "-c",
                                  "pipewire & until [ -S $XDG_RUNTIME_DIR/pipewire-0 ]; do sleep 0.05; done; exec wireplumber")
        wait(lambda: (self.folder / "pipewire-0").exists() and b"WirePlumber" in self.ask("pw-cli", "ls", "Client"), "no PipeWire")

    def start(self, *command):
        return subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True)

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, check=False).stdout

    def plug(self, picture):
        self.camera = self.start(
            *("gst-launch-1.0 -q filesrc location=%s ! jpegdec ! imagefreeze is-live=true ! videoconvert ! video/x-raw,format=YUY2,framerate=15/1 "
              "! identity drop-allocation=true ! pipewiresink mode=provide stream-properties=props,media.class=Video/Source,node.name=%s"
              % (picture, self.name)).split())
        wait(lambda: self.name.encode() in self.ask("pw-cli", "ls", "Node"), "no camera in PipeWire")

    def unplug(self):
        self.camera.kill()
        self.camera.wait()

    def kill(self):
        """Kills the daemon and all that belongs to it."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.unplug()

    def end(self):
        if self.camera and self.camera.poll() is None:
            self.unplug()
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


class Service:
    """The service with one address, and the events that it sends."""

    def __init__(self, waymark, folder, address, credentials=None, environment=None, prefix=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.path = self.folder / "s"
        lines = ["source: { path: '%s'%s }" % (address, ", credentials: %s" % credentials if credentials else "")]
        # A code that comes back after a moment is a new one.
        lines.append("scan: { newAfter: 0.2 }")
        (self.folder / "waymark.yaml").write_text("\n".join(lines) + "\n")
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(
            [*prefix, waymark, "serve", "--config", self.folder / "waymark.yaml", "--socket", self.path, "--log-level", "debug"],
            stdout=self.log, stderr=self.log, env=environment)
        wait(lambda: self.path.exists() or self.process.poll() is not None, "no service")
        self.socket = socket.socket(socket.AF_UNIX)
        wait(self.connects, "the service does not listen")
        self.lines = self.socket.makefile("rb")
        self.said, self.events, self.answers, self.asked = b"", queue.Queue(), queue.Queue(), 0
        threading.Thread(target=self.read, daemon=True).start()
        self.ask("subscribe", events=["camera.*", "scan.*", "statistics"])
        self.ask("scan.begin", mode="barcode")

    def connects(self):
        try:
            self.socket.connect(str(self.path))
        except OSError:
            return False
        return True

    def read(self):
        for line in self.lines:
            self.said += line
            message = json.loads(line)
            (self.events if "event" in message else self.answers).put((time.monotonic(), message))

    def ask(self, method, **params):
        self.asked += 1
        self.socket.sendall(json.dumps({"id": self.asked, "method": method, "params": params}).encode() + b"\n")
        answer = self.answers.get(timeout=20)[1]
        assert "result" in answer, answer
        return answer["result"]

    def wait(self, name, seconds=30, **members):
        """The next event of this name with these members, and when it came."""
        end = time.monotonic() + seconds
        while True:
            try:
                when, event = self.events.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError("no %s %s; the last lines were\n%s" % (name, members, self.said[-2000:].decode())) from None
            if event["event"] == name and all(event.get(key) == value for key, value in members.items()):
                return when, event

    def again(self):
        """Waits until a code is read by another scan: to this one it would be the same code, which was never away."""
        self.ask("scan.cancel")
        while not self.events.empty():
            self.events.get()
        self.ask("scan.begin", mode="barcode")
        self.wait("scan.successful")

    @property
    def players(self):
        """The processes that play the address."""
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    parent = open("/proc/%s/stat" % entry).read().rpartition(")")[2].split()[1]
                    if int(parent) == self.process.pid and os.readlink("/proc/%s/exe" % entry) in ("/usr/bin/ffmpeg", "/usr/bin/gst-launch-1.0"):
                        found.append(int(entry))
                except OSError:
                    pass
        return found

    @property
    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def end(self):
        """Ends it, and gives all that it said."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(20)
        self.log.close()
        wait(lambda: not self.players, "a player is left", 5)
        assert status == 0, "the service ended with %s" % status
        return self.said + (self.folder / "log").read_bytes()


class Mjpeg:
    """An HTTP server that misbehaves on command: after how many frames, and how."""

    def __init__(self, frame):
        outer = self
        self.pause = 1 / 15
        self.frames, self.then, self.kind, self.body, self.asked = 10 ** 9, "end", "multipart/x-mixed-replace; boundary=frame", None, 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked += 1
                self.send_response(200)
                self.send_header("Content-Type", outer.kind)
                self.end_headers()
                try:
                    if outer.body is not None:
                        self.wfile.write(outer.body)
                        return
                    for _ in range(outer.frames):
                        self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(frame) + frame + b"\r\n")
                        time.sleep(outer.pause)
                    if outer.then == "hang":
                        time.sleep(60)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = "http://127.0.0.1:%d/video" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Tests:
    def __init__(self, waymark, folder):
        self.waymark, self.folder = waymark, folder
        self.code = folder / "code.pgm"
        with open(self.code, "wb") as file:
            subprocess.run(["djpeg", "-grayscale", "-pnm", ROOT / "Samples/frames/010.jpg"], stdout=file, check=True)
        self.frame = (ROOT / "Samples/frames/010.jpg").read_bytes()

    def rtsp(self):
        """H.264 by RTSP is read, and the delay is reported."""
        port = free_port()
        server = Rtsp(port, self.code)
        service = Service(self.waymark, self.folder, "rtsp://127.0.0.1:%d/stream" % port)
        service.wait("camera.status", status="streaming")
        delays = []
        for _ in range(5):
            server.show("blank")
            # Until the last frames with the code have come through, and it has been away for long enough.
            time.sleep(1.5)
            while not service.events.empty():
                service.events.get()
            began = time.monotonic()
            server.show("code")
            when, event = service.wait("scan.successful")
            assert event["source"] == "stream", event
            delays.append(when - began)
        print("        from the camera to the event: %.2f s in the median, %.2f s at most" % (sorted(delays)[2], max(delays)), flush=True)
        service.wait("statistics")
        _, statistics = service.wait("statistics")
        assert statistics["frames"]["lost"] == 0, statistics["frames"]
        service.end()
        server.end()

    def secrets(self):
        """User and password are in no argument, environment, log or event; a wrong one is reported, the right one used."""
        port = free_port()
        server = Rtsp(port, self.code, credentials="me:" + PASSWORD)
        server.show("code")
        file = self.folder / "credentials"
        file.write_text("me:wrong\n")
        file.chmod(0o640)
        service = Service(self.waymark, self.folder, "rtsp://127.0.0.1:%d/stream" % port, file)
        service.wait("camera.status", status="lost", code="streamEnded")
        file.write_text("me:%s\n" % PASSWORD)
        service.wait("scan.successful")
        (player,) = service.players
        for name in ("cmdline", "environ"):
            text = open("/proc/%d/%s" % (player, name), "rb").read()
            assert b"word" not in text and b"127.0.0.1" not in text, text
        state = open("/proc/%d/status" % player).read()
        assert "Seccomp:\t2" in state and "NoNewPrivs:\t1" in state, state
        file.chmod(0o644)
        os.kill(player, signal.SIGKILL)
        _, lost = service.wait("camera.status", status="lost")
        file.chmod(0o640)
        service.wait("camera.status", status="streaming")
        said = service.end()
        for secret in ("word", "wrong", "me:", "pass%"):
            assert secret.encode() not in said.replace(b"password", b""), secret
        server.end()

    def gone(self):
        """A server that is killed, and comes back with another coding, is reported as lost and back; nothing is leaked."""
        port = free_port()
        address = "rtsp://127.0.0.1:%d/stream" % port
        service = Service(self.waymark, self.folder, address)
        service.wait("camera.status", status="lost", code="streamEnded")
        counts = []
        for round_ in range(4):
            server = Rtsp(port, self.code, codec="JPEG" if round_ % 2 else "H264")
            service.wait("camera.status", status="streaming")
            # Until the code of before has been away for long enough.
            time.sleep(0.6)
            server.show("code")
            service.wait("scan.successful")
            counts.append(service.descriptors)
            assert len(service.players) == 1
            server.end()
            service.wait("camera.status", status="lost", code="streamEnded")
        assert counts[-1] <= counts[1], counts
        service.end()

    def minute(self):
        """A server that is back after a minute is found within the longest pause between attempts, and nothing has piled up."""
        port = free_port()
        service = Service(self.waymark, self.folder, "rtsp://127.0.0.1:%d/stream" % port)
        counts = []
        for _ in range(2):
            server = Rtsp(port, self.code)
            since = time.monotonic()
            service.wait("camera.status", status="streaming")
            took = time.monotonic() - since
            assert took < 10, took
            time.sleep(0.6)
            server.show("code")
            service.wait("scan.successful")
            counts.append(service.descriptors)
            server.end()
            service.wait("camera.status", status="lost", code="streamEnded")
            time.sleep(60)
            assert len(service.players) <= 1, service.players
        print("        found after %.1f s, descriptors %s" % (took, counts), flush=True)
        assert counts[1] <= counts[0], counts
        service.end()

    def hangs(self):
        """A server that hangs is reported as stalled and asked again."""
        server = Mjpeg(self.frame)
        server.frames, server.then = 30, "hang"
        service = Service(self.waymark, self.folder, server.address)
        service.wait("scan.successful")
        service.wait("camera.status", status="stalled", code="streamSilent")
        server.frames = 10 ** 9
        service.wait("camera.status", status="streaming")
        assert server.asked >= 2
        service.end()

    def slow(self):
        """A server that takes three seconds for a frame is reported as stalled and streaming in turn, and not asked again."""
        server = Mjpeg(self.frame)
        server.frames = 60
        service = Service(self.waymark, self.folder, server.address)
        service.wait("camera.status", status="streaming")
        server.pause = 3
        for _ in range(2):
            service.wait("camera.status", status="stalled", code="streamSilent")
            service.wait("camera.status", status="streaming")
        assert server.asked == 1, server.asked
        service.end()

    def lies(self):
        """A stream that is not Motion JPEG is refused by any media type, and read once it is Motion JPEG."""
        server = Mjpeg(self.frame)
        playlist = b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n"
        service = None
        for kind, body in (("text/html", b"<html>" + b"x" * 5000), ("video/mp4", b"\0\0\0\x18ftypmp42" + bytes(5000)),
                           ("application/vnd.apple.mpegurl", playlist), ("image/jpeg", b""),
                           ("multipart/x-mixed-replace; boundary=frame", b"--frame\r\nContent-Length: 99999999999\r\n\r\n" + bytes(1000))):
            server.kind, server.body = kind, body
            if service is None:
                service = Service(self.waymark, self.folder, server.address)
                service.wait("camera.status", status="lost")
            else:
                asked = server.asked
                wait(lambda asked=asked: server.asked > asked, "it is not asked again")
        server.kind, server.body = "multipart/x-mixed-replace; boundary=frame", None
        service.wait("scan.successful")
        service.end()

    def screen(self):
        """A screen of X11 is a camera."""
        if not shutil.which("Xvfb"):
            print("        Xvfb is not there", flush=True)
            return
        server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            number = server.stdout.readline().decode().strip()
            service = Service(self.waymark, self.folder, "screen::" + number)
            _, event = service.wait("camera.status", status="streaming")
            assert (event["width"], event["height"]) == (640, 480), event
            service.end()
        finally:
            server.kill()
            server.wait()

    def pipewire(self):
        """A camera of PipeWire, the usual one or one by its name, is read, and again after it was unplugged and after PipeWire was killed."""
        if Desktop.lacks():
            return
        desktop = Desktop(self.folder / "desktop")
        picture = ROOT / "Samples/frames/010.jpg"
        try:
            desktop.plug(picture)
            service = Service(self.waymark, self.folder, "pipewire:", environment=desktop.environment)
            _, event = service.wait("scan.successful")
            assert event["source"] == "stream", event
            (player,) = service.players
            state = open("/proc/%d/status" % player).read()
            assert "Seccomp:\t2" in state and "NoNewPrivs:\t1" in state, state
            for name in ("cmdline", "environ"):
                assert str(desktop.folder).encode() not in open("/proc/%d/%s" % (player, name), "rb").read(), name
            desktop.unplug()
            service.wait("camera.status", status="stalled", code="streamSilent")
            desktop.plug(picture)
            service.wait("camera.status", status="streaming")
            service.again()
            # The daemon with its session is killed, and its camera with it.
            desktop.kill()
            _, lost = service.wait("camera.status", status="lost")
            assert lost["code"] in ("streamEnded", "cannotOpen"), lost
            wait(lambda: not service.players, "a player is left")
            desktop.begin()
            desktop.plug(picture)
            service.wait("camera.status", status="streaming")
            service.again()
            service.end()
            service = Service(self.waymark, self.folder, "pipewire:%s?rate=15" % desktop.name, environment=desktop.environment)
            service.wait("scan.successful")
            service.end()
            service = Service(self.waymark, self.folder, "pipewire:another", environment=desktop.environment)
            _, stalled = service.wait("camera.status", status="stalled", code="streamSilent")
            assert "pw-cli" in stalled["hint"], stalled
            service.end()
        finally:
            desktop.end()

    def alone(self):
        """Without PipeWire, a camera or the plug-ins, the service says which it is and what to do."""
        if not plugin("libcamera") or Desktop.lacks():
            print("        GStreamer's plug-ins are not there", flush=True)
            return
        nowhere = dict(os.environ, XDG_RUNTIME_DIR=str(self.folder / "nowhere"))
        service = Service(self.waymark, self.folder, "pipewire:", environment=nowhere)
        _, event = service.wait("camera.status", status="lost", code="cannotOpen")
        assert str(self.folder / "nowhere/pipewire-0") in event["message"], event
        service.end()
        service = Service(self.waymark, self.folder, "libcamera:absent")
        _, event = service.wait("camera.status", status="lost", code="streamEnded")
        assert "cam --list" in event["hint"], event
        service.end()
        if os.geteuid():
            return
        folder = plugin("libcamera").parent
        hidden = ("unshare", "--mount", "--propagation", "private", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', folder)
        service = Service(self.waymark, self.folder, "libcamera:", prefix=hidden)
        _, event = service.wait("camera.status", status="lost", code="cameraProgramMissing")
        assert event["hint"].startswith("apt install ") and "gstreamer1.0-libcamera" in event["hint"], event
        service.end()

    def confined(self):
        """The program that plays an address can do what its kind needs, and nothing else."""
        if os.geteuid() or not plugin("libcamera") or Desktop.lacks():
            print("        root or GStreamer's plug-ins are not there", flush=True)
            return
        probe = self.folder / "probe"
        subprocess.run(["cc", "-O1", "-o", probe, ROOT / "Tests/Support/cameras/probe.c"], check=True)
        desktop = Desktop(self.folder / "session")
        try:
            for address, program, allowed in (
                    ("rtsp://camera/", "/usr/bin/ffmpeg", {"unix", "inet", "inet6"}), ("screen:", "/usr/bin/ffmpeg", {"unix"}),
                    ("pipewire:", "/usr/bin/gst-launch-1.0", {"shared"}), ("libcamera:", "/usr/bin/gst-launch-1.0", {"netlink", "shared"})):
                ours, its = socket.socketpair()
                with ours, its, subprocess.Popen(
                        ["unshare", "--mount", "--propagation", "private", "sh", "-c", 'mount --bind "$0" "$1" && exec "$2" stream', probe, program,
                         self.waymark.with_name("waymark-cameras")], stdin=its, env=desktop.environment):
                    its.close()
                    ours.settimeout(20)
                    ours.sendall(address.encode() + b"\n")
                    said = ours.makefile().read().split()
                assert said[-1:] == ["end"] and set(said[:-1]) == allowed, (address, said)
        finally:
            desktop.end()

    def activated(self):
        """Where systemd listens for it, the process is systemd's, and none of the service's own."""
        path = "/run/waymark-cameras.sock"
        if not shutil.which("systemd-socket-activate") or os.geteuid() or os.path.exists(path):
            print("        systemd-socket-activate is not there", flush=True)
            return
        port = free_port()
        server = Rtsp(port, self.code)
        server.show("code")
        activator = subprocess.Popen(
            ["systemd-socket-activate", "--accept", "--inetd", "-l", path, self.waymark.with_name("waymark-cameras"), "stream"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait(lambda: os.path.exists(path), "nobody listens")
            service = Service(self.waymark, self.folder, "rtsp://127.0.0.1:%d/stream" % port)
            service.wait("scan.successful")
            assert not service.players, "the service plays it itself"
            players = subprocess.run(["pgrep", "-P", str(activator.pid), "ffmpeg"], capture_output=True, text=True).stdout.split()
            assert len(players) == 1, players
            service.end()
            wait(lambda: not os.path.exists("/proc/" + players[0]) or "Z" in open("/proc/%s/stat" % players[0]).read(), "the player stays")
        finally:
            activator.kill()
            activator.wait()
            os.unlink(path)
            server.end()

    def missing(self):
        """Without the program the service says what to install."""
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(self.waymark, alone / "waymark")
        service = Service(alone / "waymark", self.folder, "rtsp://127.0.0.1:9/stream")
        _, event = service.wait("camera.status", status="lost", code="cameraProgramMissing")
        assert event["hint"] == "apt install waymark-cameras", event
        service.end()


def main():
    global passed, failed
    waymark, wanted = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="cameras-") as folder:
        tests = Tests(waymark, pathlib.Path(folder))
        for name in ("rtsp", "secrets", "gone", "minute", "hangs", "slow", "lies", "screen", "pipewire", "alone", "confined", "activated", "missing"):
            # A test that takes minutes is run only when it is named.
            if name not in wanted if wanted else name in LONG:
                continue
            began = time.monotonic()
            try:
                getattr(tests, name)()
                passed += 1
                print("ok      %s, %.1f s" % (getattr(tests, name).__doc__, time.monotonic() - began), flush=True)
            except (AssertionError, OSError, queue.Empty) as error:
                failed += 1
                print("FAILED  %s\n%r" % (getattr(tests, name).__doc__, error), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    # A failed test may have left programs behind.
    os._exit(1 if failed else 0)


main()
