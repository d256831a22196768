"""A small client of the Waymark socket: requests, events, pictures. Standard library only."""
import json
import os
import socket


def socket_path(given=None):
    """Where the service listens: as given, $WAYMARK_SOCKET, the user's service, the system's."""
    if given or os.environ.get("WAYMARK_SOCKET"):
        return given or os.environ["WAYMARK_SOCKET"]
    user = os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/run/user/%d" % os.getuid()), "waymark/waymark.sock")
    return user if os.path.exists(user) else "/run/waymark/waymark.sock"


class RequestFailed(Exception):
    """An error reply: `code`, `message`, `hint`."""

    def __init__(self, error):
        super().__init__("%s: %s (%s)" % (error.get("code"), error.get("message"), error.get("hint")))
        self.code = error.get("code")


class Connection:
    """One connection; either for events or, once it has asked for a picture, for pictures."""

    def __init__(self, path=None, timeout=10):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._socket.connect(socket_path(path))
        self._file = self._socket.makefile("rb")
        self._last = 0
        self._events = []
        self.hello = self._line()
        if self.hello.get("event") != "hello":
            raise ConnectionError("refused: %s" % self.hello)

    def close(self):
        self._socket.close()

    def _line(self):
        line = self._file.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the service closed the connection")
        return json.loads(line)

    def send(self, method, /, **params):
        """Sends a request and returns its id, without waiting."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        self._socket.sendall(json.dumps(message).encode() + b"\n")
        return self._last

    def request(self, method, /, **params):
        """Sends a request and waits for its answer; events that come meanwhile are kept for `events`."""
        number = self.send(method, **params)
        while True:
            message = self._line()
            if message.get("id") == number and "event" not in message:
                if "error" in message:
                    raise RequestFailed(message["error"])
                return message.get("result")
            self._events.append(message)

    def events(self):
        """Every event, as it comes; also late answers, which have an `id`."""
        while True:
            yield self._events.pop(0) if self._events else self._line()

    def picture(self):
        """The next picture of a media connection: its header and its bytes."""
        header = self._line()
        if "error" in header:
            raise RequestFailed(header["error"])
        body = self._file.read(header["size"])
        if len(body) < header["size"]:
            raise ConnectionError("the service closed the connection")
        return header, body
