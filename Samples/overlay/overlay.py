#!/usr/bin/env python3
"""Draws the live overlay of an AR session over the camera's picture: guide, indicator, markers, connector, card.

It knows nothing but the socket: events on one connection, pictures on two others. The result goes into a video file or a
window.

    overlay.py -o session.mp4 --demo            drives a session itself and records it
    overlay.py --window                         shows what others do

Needs pillow, numpy and opencv-python (opencv-python-headless is enough without --window).
"""
import argparse
import io
import sys
import threading
import time
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from painter import Painter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from waymark_client import Connection, RequestFailed


class Pictures:
    """Guide and card pictures, fetched once over a media connection."""

    def __init__(self, path):
        self._path, self._known = path, {}

    def get(self, resource, width):
        key = (resource, width)
        if key not in self._known:
            self._known[key] = None
            connection = Connection(self._path)
            try:
                connection.send("media.resource", id=resource, width=width)
                _, body = connection.picture()
                self._known[key] = Image.open(io.BytesIO(body)).convert("RGB")
            except (RequestFailed, OSError) as problem:
                print("no picture %s: %s" % (resource, problem), file=sys.stderr)
            finally:
                connection.close()
        return self._known[key]


class State:
    """What the events have told so far. Written by the thread that reads them."""

    def __init__(self, path):
        self.lock = threading.Condition()
        self.connection = Connection(path)
        snapshot = self.connection.request(
            "subscribe", events=["session.*", "anchor.*", "anchors.*", "annotation.*", "card.*", "marker.*", "scene.*"])
        self.session = snapshot.get("session") or {"phase": "inactive"}
        # Phases by the frame they were born of: the picture that is drawn may be an older one.
        self.phases = [(0, time.monotonic(), self.session)]
        self.scene = snapshot.get("scene")
        self.selected = snapshot.get("annotation")
        self.open = (snapshot.get("card") or {}).get("id")
        self.updates, self.newest, self.closed = {}, 0, False
        self.pressed = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for event in self.connection.events():
                with self.lock:
                    self._take(event)
                    self.lock.notify_all()
        except (OSError, ValueError):
            pass
        with self.lock:
            self.closed = True
            self.lock.notify_all()

    def _take(self, event):
        name = event.get("event")
        if name == "session.phase":
            begin = time.monotonic() if event["phase"] != self.session["phase"] else self.phases[-1][1]
            self.session = event
            self.phases = self.phases[-20:] + [(event.get("frame", {}).get("sequence", 0), begin, event)]
        elif name == "scene.loaded":
            self.scene = event["scene"]
        elif name == "anchors.updated":
            sequence = event["frame"]["sequence"]
            self.updates[sequence] = event["anchors"]
            self.newest = max(self.newest, sequence)
            for old in [s for s in self.updates if s < self.newest - 90]:
                del self.updates[old]
        elif name == "annotation.selected":
            self.selected = event
        elif name == "annotation.cleared":
            self.selected = None
        elif name == "card.opened":
            self.open = event["id"]
        elif name == "card.closed":
            self.open = None
        elif name == "card.action":
            self.pressed = (event, time.monotonic())

    def anchors_of(self, sequence, patience=0.15):
        """What is known of a frame. The picture may be here before the engine is done with it."""
        end = time.monotonic() + patience
        with self.lock:
            while self.newest < sequence and time.monotonic() < end and not self.closed:
                self.lock.wait(end - time.monotonic())
            return self.updates.get(sequence, [])

    def session_of(self, sequence):
        """The phase of a frame, and since when it shows. A person's commands hold at once."""
        with self.lock:
            for born, begin, session in reversed(self.phases):
                if born <= sequence:
                    return session, begin
            return self.phases[0][2], self.phases[0][1]


class Newest:
    """Reads the preview on a thread of its own and keeps only the newest picture."""

    def __init__(self, path, rate):
        self._lock, self._picture, self._end = threading.Condition(), None, False
        self._connection = Connection(path)
        self._connection.send("media.preview", rate=rate)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while True:
                picture = self._connection.picture()
                with self._lock:
                    self._picture = picture
                    self._lock.notify()
        except (OSError, ValueError, RequestFailed):
            pass
        with self._lock:
            self._end = True
            self._lock.notify()

    def get(self):
        with self._lock:
            while self._picture is None and not self._end:
                self._lock.wait()
            picture, self._picture = self._picture, None
            return picture


def demo(path, state, scene):
    """Uses the session as a person would: begin, scan, look at one card after the other."""
    remote = Connection(path, timeout=60)

    def wait(seconds):
        time.sleep(seconds)

    def ask(method, **params):
        try:
            return remote.request(method, **params)
        except RequestFailed as problem:
            print("%s: %s" % (method, problem), file=sys.stderr)

    ask("session.start", **({"scene": scene} if scene else {}))
    wait(1.5)
    ask("session.scan")
    turn = 0
    while not state.closed:
        wait(0.9)
        with state.lock:
            phase = state.session["phase"]
        if phase != "annotating":
            continue
        turn += 1
        if turn % 3 == 1:
            ask("annotation.next")
        elif turn % 3 == 2 and state.selected:
            ask("card.open", id=state.selected["id"])
        elif state.selected and state.selected["card"].get("actionText"):
            ask("card.action", id=state.selected["id"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--socket", help="where the service listens")
    parser.add_argument("-o", "--output", type=Path, help="the video file to write (.mp4)")
    parser.add_argument("--window", action="store_true", help="show a window instead")
    parser.add_argument("--seconds", type=float, default=15, help="how long to record")
    parser.add_argument("--rate", type=float, default=20, help="frames a second of the video")
    parser.add_argument("--scale", type=float, default=1.5, help="enlargement of the camera's picture")
    parser.add_argument("--demo", action="store_true", help="drive a session as a person would")
    parser.add_argument("--scene", help="the scene for --demo")
    parser.add_argument("--stills", type=Path, help="also write every 10th frame as a PNG into this folder")
    options = parser.parse_args()
    if not options.output and not options.window:
        parser.error("give --output FILE or --window")
    state = State(options.socket)
    painter = Painter(state, Pictures(options.socket), options.scale)
    preview = Newest(options.socket, options.rate)
    if options.demo:
        threading.Thread(target=demo, args=(options.socket, state, options.scene), daemon=True).start()
    if options.stills:
        options.stills.mkdir(parents=True, exist_ok=True)
    writer, count, begin = None, 0, time.monotonic()
    while time.monotonic() - begin < options.seconds or options.window:
        newest = preview.get()
        if newest is None:
            break
        header, body = newest
        image = painter.paint(Image.open(io.BytesIO(body)), header["frame"]["sequence"], time.monotonic())
        pixels = cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR)
        if options.window:
            cv2.imshow("Waymark", pixels)
            if cv2.waitKey(1) in (27, ord("q")):
                break
        if options.output:
            if writer is None:
                writer = cv2.VideoWriter(str(options.output), cv2.VideoWriter_fourcc(*"mp4v"), options.rate,
                                         (pixels.shape[1], pixels.shape[0]))
            writer.write(pixels)
        if options.stills and count % 10 == 0:
            image.save(options.stills / ("%04d.png" % count))
        count += 1
    if writer:
        writer.release()
        print("%d frames written to %s" % (count, options.output))


if __name__ == "__main__":
    main()
