"""An RTSP server with GStreamer, for tests: rtsp_server.py PORT H264|JPEG CODE.pgm [USER:PASSWORD]

It serves rtsp://127.0.0.1:PORT/stream, 15 frames a second, gray until a line `code` on standard input puts the picture into it, and `blank` takes
it out again. Prints `ready` once it listens.
"""
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer

RATE = 15


def picture(path):
    """Width, height and bytes of a binary PGM file."""
    with open(path, "rb") as file:
        kind, size, depth, pixels = file.readline(), file.readline().split(), file.readline(), file.read()
    assert kind == b"P5\n" and depth == b"255\n", path
    return int(size[0]), int(size[1]), pixels


class Camera(GstRtspServer.RTSPMediaFactory):
    def __init__(self, codec, code):
        super().__init__()
        self.width, self.height, self.code = code
        self.blank = bytes([128]) * (self.width * self.height)
        self.shown = self.blank
        encoder = {"H264": "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph264pay name=pay0 pt=96",
                   "JPEG": "jpegenc ! rtpjpegpay name=pay0 pt=26"}[codec]
        self.set_launch(
            "( appsrc name=source is-live=true format=time do-timestamp=true caps=video/x-raw,format=GRAY8,width=%d,height=%d,framerate=%d/1 "
            "! videoconvert ! video/x-raw,format=I420 ! %s )" % (self.width, self.height, RATE, encoder))
        self.set_shared(True)

    def feed(self, media):
        source = media.get_element().get_child_by_name("source")

        def push():
            return source.emit("push-buffer", Gst.Buffer.new_wrapped(self.shown)) == Gst.FlowReturn.OK

        GLib.timeout_add(1000 // RATE, push)


def main():
    port, codec, path, *credentials = sys.argv[1:]
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(port)
    camera = Camera(codec, picture(path))
    camera.connect("media-configure", lambda _, media: camera.feed(media))
    if credentials:
        auth, token = GstRtspServer.RTSPAuth(), GstRtspServer.RTSPToken()
        token.set_string("media.factory.role", "user")
        user, _, password = credentials[0].partition(":")
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(user, password), token)
        server.set_auth(auth)
        permissions = GstRtspServer.RTSPPermissions()
        permissions.add_permission_for_role("user", "media.factory.access", True)
        permissions.add_permission_for_role("user", "media.factory.construct", True)
        camera.set_permissions(permissions)
    server.get_mount_points().add_factory("/stream", camera)
    if not server.attach(None):
        sys.exit("no port")

    def listen():
        for line in sys.stdin:
            camera.shown = camera.code if line.strip() == "code" else camera.blank

    threading.Thread(target=listen, daemon=True).start()
    print("ready", flush=True)
    GLib.MainLoop().run()


main()
