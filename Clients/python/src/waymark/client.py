"""A client that waits: for scripts, and for programs with threads of their own."""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Literal, Self, cast

from .codec import EventOf, decode, event
from .errors import ConnectionLost
from .events import Event
from .link import BACKOFF, LINE_LIMIT, greeting, parsed, request_line, result, socket_path, unreachable
from .messages import EventPosition, GalleryScanResult, Hello, MediaHeader, Snapshot
from .methods import Methods, Result
from .picture import Picture


class Client(Methods):
    """A connection to the service. It is used by one thread at a time.

    >>> with Client() as waymark:
    ...     waymark.scan_begin(mode="barcode")
    ...     for event in waymark.events("scan.*"):
    ...         print(event.name)
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, timeout: float | None = 10.0) -> None:
        """Connects.

        :param path: Where the service listens; found as the commands do when it is None.
        :param timeout: Seconds to wait for the answer to a request; None waits for ever.
        :raises ConnectionLost: when the service cannot be reached.
        """
        self.path = socket_path(path)
        self.timeout = timeout
        self._number = 0
        self._waiting: deque[dict[str, Any]] = deque()
        self._patterns: list[str] = []
        self._position: EventPosition | None = None
        self._connect()

    def _connect(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(self.timeout)
            self._socket.connect(self.path)
            self._stream = self._socket.makefile("rb")
        except OSError as error:
            self._socket.close()
            raise unreachable(self.path, error) from None
        try:
            self.hello: Hello = greeting(self._read())
        except ConnectionLost:
            self.close()
            raise

    def close(self) -> None:
        """Ends the connection, and with it the scans and sessions that this client holds."""
        self._stream.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> dict[str, Any]:
        try:
            line = self._stream.readline(LINE_LIMIT)
        except TimeoutError:
            raise ConnectionLost(f"{self.path}: no answer for {self.timeout} seconds.") from None
        except OSError as error:
            raise ConnectionLost(f"{self.path}: {error.strerror or error}.") from None
        if not line.endswith(b"\n"):
            raise ConnectionLost(f"{self.path}: the service closed the connection.")
        return parsed(line)

    def _send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(self.timeout)
            self._socket.sendall(data)
        except OSError as error:
            raise ConnectionLost(f"{self.path}: {error.strerror or error}.") from None

    def _answer(self, number: int) -> dict[str, Any]:
        while True:
            message = self._read()
            if "event" in message:
                self._waiting.append(message)
            elif message.get("id") == number:
                return message

    def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Sends a request and returns its result as plain JSON values.

        :raises RequestFailed: when the service refuses it or fails.
        :raises ConnectionLost: when the connection ends.
        """
        self._number += 1
        self._send(request_line(self._number, method, params))
        return result(self._answer(self._number))

    def _call(self, method: str, params: dict[str, Any], result: type[Result]) -> Result:
        return cast(Result, decode(result, self.call(method, params)))

    def subscribe(self, *events: str, after: EventPosition | None = None) -> Snapshot:
        """Asks for events, and returns the state that they start from.

        :param events: Names or patterns such as `scan.*`; without any, everything but `statistics`.
        :param after: The last event that this client has: the later ones that the service keeps come first.
        """
        snapshot = self._call("subscribe", {"events": list(events) or None, "after": after}, Snapshot)
        for pattern in events or ("*",):
            if pattern not in self._patterns:
                self._patterns.append(pattern)
        if self._position is None or self._position.instance != snapshot.instance:
            self._position = EventPosition(instance=snapshot.instance, seq=snapshot.seq)
        return snapshot

    def scan_picture(
        self, picture: bytes, *, mode: str = "onboarding", context: Any = None, camera: str | None = None
    ) -> GalleryScanResult:
        """Judges the codes in a picture file of at most 16 MiB."""
        self._number += 1
        params = {"size": len(picture), "mode": mode, "context": context, "camera": camera}
        line = request_line(self._number, "scan.picture", params)
        self._send(line + picture)
        return cast(GalleryScanResult, decode(GalleryScanResult, result(self._answer(self._number))))

    def events(self, *patterns: str, timeout: float | None = None, reconnect: bool = True) -> Iterator[Event]:
        """Events as they come, for ever.

        Where the connection ends, it is made anew, and the events that the service kept meanwhile come first. What a client held (a
        scan, a session) is gone then: an event `hello` says that it was.

        :param patterns: Names or patterns such as `scan.*`; without any, those of the last subscription.
        :param timeout: Seconds without an event after which the iteration ends; None waits for ever.
        :param reconnect: False raises `ConnectionLost` instead.
        """
        if patterns or not self._patterns:
            self.subscribe(*patterns)
        while True:
            try:
                message = self._waiting.popleft() if self._waiting else self._next(timeout)
            except ConnectionLost:
                if not reconnect:
                    raise
                yield self._reconnect()
                continue
            if message is None:
                return
            if "event" in message:
                if self._position is not None and isinstance(message.get("seq"), int):
                    self._position.seq = message["seq"]
                yield event(message)

    def _next(self, timeout: float | None) -> dict[str, Any] | None:
        self._socket.settimeout(timeout)
        try:
            line = self._stream.readline(LINE_LIMIT)
        except TimeoutError:
            # A stream that timed out cannot be read again.
            self._stream = self._socket.makefile("rb")
            return None
        except OSError as error:
            raise ConnectionLost(f"{self.path}: {error.strerror or error}.") from None
        if not line.endswith(b"\n"):
            raise ConnectionLost(f"{self.path}: the service closed the connection.")
        return parsed(line)

    def _reconnect(self) -> Event:
        self.close()
        attempt = 0
        while True:
            try:
                self._connect()
                patterns = self._patterns
                self._call("subscribe", {"events": patterns, "after": self._position}, Snapshot)
                if self._position is not None and self._position.instance != self.hello.instance:
                    self._position = EventPosition(instance=self.hello.instance, seq=0)
                hello: EventOf[Literal["hello"], Hello] = EventOf(name="hello", body=self.hello, values={"event": "hello"})
                return hello
            except ConnectionLost:
                time.sleep(BACKOFF[min(attempt, len(BACKOFF) - 1)])
                attempt += 1

    # Pictures come over connections of their own.

    def preview(self, *, width: int | None = None, rate: float | None = None) -> Iterator[Picture]:
        """The camera's pictures as they come, over a connection of their own."""
        yield from self._pictures("media.preview", {"width": width, "rate": rate})

    def snapshot(self, *, width: int | None = None) -> Picture:
        """A picture of the next frame."""
        return self._picture("media.snapshot", {"width": width})

    def resource(self, id: str, *, width: int | None = None) -> Picture:
        """A picture of the scene: a guide, a card, an icon."""
        return self._picture("media.resource", {"id": id, "width": width})

    def gallery_picture(self, id: str, *, width: int | None = None) -> Picture:
        """A picture of the gallery."""
        return self._picture("media.gallery", {"id": id, "width": width})

    def document_page(self, page: str, *, width: int | None = None, original: bool | None = None) -> Picture:
        """A page as it will be saved, or with `original` the picture that it was captured in."""
        return self._picture("media.document", {"page": page, "width": width, "original": original})

    def signature(self, id: str, *, format: str = "png") -> Picture:
        """A signature that is kept, as `svg`, `png` or `json`."""
        return self._picture("signature.get", {"id": id, "format": format})

    def _picture(self, method: str, params: dict[str, Any]) -> Picture:
        for picture in self._pictures(method, params):
            return picture
        raise ConnectionLost(f"{self.path}: the service closed the connection.")

    def _pictures(self, method: str, params: dict[str, Any]) -> Iterator[Picture]:
        with Client(self.path, timeout=self.timeout) as other:
            other._send(request_line(1, method, params))
            while True:
                message = other._read()
                result(message)
                if "size" not in message:
                    continue
                header = cast(MediaHeader, decode(MediaHeader, message))
                data = other._stream.read(header.size)
                if len(data) < header.size:
                    raise ConnectionLost(f"{self.path}: the service closed the connection within a picture.")
                yield Picture(header=header, data=data)
