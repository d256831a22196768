"""A client for asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Literal, Self, cast

from .codec import EventOf, decode, event
from .errors import ConnectionLost
from .events import Event
from .link import BACKOFF, LINE_LIMIT, greeting, parsed, request_line, result, socket_path, unreachable
from .messages import EventPosition, GalleryScanResult, Hello, MediaHeader, Snapshot
from .methods import AsyncMethods, Result
from .picture import Picture


class AsyncClient(AsyncMethods):
    """A connection to the service for asyncio. Any number of tasks may use it.

    >>> async with AsyncClient() as waymark:
    ...     await waymark.scan_begin(mode="barcode")
    ...     async for event in waymark.events("scan.*"):
    ...         print(event.name)
    """

    hello: Hello

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, timeout: float | None = 10.0, backlog: int = 10_000
    ) -> None:
        """A client that is not connected yet.

        :param path: Where the service listens; found as the commands do when it is None.
        :param timeout: Seconds to wait for the answer to a request; None waits for ever.
        :param backlog: The most events that wait to be read by `events`; reading pauses beyond, and the service counts what it drops.
        """
        self.path = socket_path(path)
        self.timeout = timeout
        self._backlog = backlog
        self._number = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(backlog)
        self._patterns: list[str] = []
        self._position: EventPosition | None = None
        self._reading: asyncio.Task[None] | None = None

    async def connect(self) -> Self:
        """Connects.

        :raises ConnectionLost: when the service cannot be reached.
        """
        try:
            self._reader, self._writer = await asyncio.open_unix_connection(self.path, limit=LINE_LIMIT)
        except OSError as error:
            raise unreachable(self.path, error) from None
        try:
            self.hello = greeting(await self._line(self._reader))
        except ConnectionLost:
            self._writer.close()
            raise
        self._events = asyncio.Queue(self._backlog)
        self._reading = asyncio.create_task(self._read(self._reader, self._events))
        return self

    async def close(self) -> None:
        """Ends the connection, and with it the scans and sessions that this client holds."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            self._reading = None
            self._writer.close()
            try:
                await self._writer.wait_closed()
            except OSError:
                pass

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def _line(self, reader: asyncio.StreamReader) -> dict[str, Any]:
        try:
            line = await reader.readline()
        except (OSError, ValueError) as error:
            raise ConnectionLost(f"{self.path}: {error}.") from None
        if not line.endswith(b"\n"):
            raise ConnectionLost(f"{self.path}: the service closed the connection.")
        return parsed(line)

    async def _read(self, reader: asyncio.StreamReader, events: asyncio.Queue[dict[str, Any] | None]) -> None:
        lost = ConnectionLost(f"{self.path}: the service closed the connection.")
        try:
            while True:
                message = await self._line(reader)
                if "event" in message:
                    await events.put(message)
                elif (waiting := self._answers.pop(cast(int, message.get("id")), None)) and not waiting.done():
                    waiting.set_result(message)
        except ConnectionLost as error:
            lost = error
        finally:
            for waiting in self._answers.values():
                if not waiting.done():
                    waiting.set_exception(lost)
            self._answers.clear()
            # The events that were read come first.
            if not events.full():
                events.put_nowait(None)
            else:
                self._ended = asyncio.ensure_future(events.put(None))

    async def _request(self, method: str, params: dict[str, Any] | None, body: bytes = b"") -> dict[str, Any]:
        if self._reading is None or self._reading.done():
            raise ConnectionLost(f"{self.path}: there is no connection.")
        self._number += 1
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[self._number] = waiting
        number = self._number
        try:
            self._writer.write(request_line(number, method, params) + body)
            await self._writer.drain()
            return await asyncio.wait_for(waiting, self.timeout)
        except TimeoutError:
            raise ConnectionLost(f"{self.path}: no answer for {self.timeout} seconds.") from None
        except OSError as error:
            raise ConnectionLost(f"{self.path}: {error.strerror or error}.") from None
        finally:
            self._answers.pop(number, None)

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Sends a request and returns its result as plain JSON values.

        :raises RequestFailed: when the service refuses it or fails.
        :raises ConnectionLost: when the connection ends.
        """
        return result(await self._request(method, params))

    async def _call(self, method: str, params: dict[str, Any], result: type[Result]) -> Result:
        return cast(Result, decode(result, await self.call(method, params)))

    async def subscribe(self, *events: str, after: EventPosition | None = None) -> Snapshot:
        """Asks for events, and returns the state that they start from.

        :param events: Names or patterns such as `scan.*`; without any, everything but `statistics`.
        :param after: The last event that this client has: the later ones that the service keeps come first.
        """
        snapshot = await self._call("subscribe", {"events": list(events) or None, "after": after}, Snapshot)
        for pattern in events or ("*",):
            if pattern not in self._patterns:
                self._patterns.append(pattern)
        if self._position is None or self._position.instance != snapshot.instance:
            self._position = EventPosition(instance=snapshot.instance, seq=snapshot.seq)
        return snapshot

    async def scan_picture(
        self, picture: bytes, *, mode: str = "onboarding", context: Any = None, camera: str | None = None
    ) -> GalleryScanResult:
        """Judges the codes in a picture file of at most 16 MiB."""
        params = {"size": len(picture), "mode": mode, "context": context, "camera": camera}
        message = await self._request("scan.picture", params, picture)
        return cast(GalleryScanResult, decode(GalleryScanResult, result(message)))

    async def events(self, *patterns: str, reconnect: bool = True) -> AsyncIterator[Event]:
        """Events as they come, for ever. One task reads them.

        Where the connection ends, it is made anew, and the events that the service kept meanwhile come first. What a client held (a
        scan, a session) is gone then: an event `hello` says that it was.

        :param patterns: Names or patterns such as `scan.*`; without any, those of the last subscription.
        :param reconnect: False raises `ConnectionLost` instead.
        """
        if patterns or not self._patterns:
            await self.subscribe(*patterns)
        while True:
            message = await self._events.get()
            if message is None:
                if not reconnect:
                    raise ConnectionLost(f"{self.path}: the service closed the connection.")
                yield await self._reconnect()
                continue
            if self._position is not None and isinstance(message.get("seq"), int):
                self._position.seq = message["seq"]
            yield event(message)

    async def _reconnect(self) -> Event:
        await self.close()
        attempt = 0
        while True:
            try:
                await self.connect()
                await self._call("subscribe", {"events": self._patterns, "after": self._position}, Snapshot)
                if self._position is not None and self._position.instance != self.hello.instance:
                    self._position = EventPosition(instance=self.hello.instance, seq=0)
                hello: EventOf[Literal["hello"], Hello] = EventOf(name="hello", body=self.hello, values={"event": "hello"})
                return hello
            except ConnectionLost:
                await self.close()
                await asyncio.sleep(BACKOFF[min(attempt, len(BACKOFF) - 1)])
                attempt += 1

    # Pictures come over connections of their own.

    async def preview(self, *, width: int | None = None, rate: float | None = None) -> AsyncIterator[Picture]:
        """The camera's pictures as they come, over a connection of their own."""
        async for picture in self._pictures("media.preview", {"width": width, "rate": rate}):
            yield picture

    async def snapshot(self, *, width: int | None = None) -> Picture:
        """A picture of the next frame."""
        return await self._picture("media.snapshot", {"width": width})

    async def resource(self, id: str, *, width: int | None = None) -> Picture:
        """A picture of the scene: a guide, a card, an icon."""
        return await self._picture("media.resource", {"id": id, "width": width})

    async def gallery_picture(self, id: str, *, width: int | None = None) -> Picture:
        """A picture of the gallery."""
        return await self._picture("media.gallery", {"id": id, "width": width})

    async def document_page(self, page: str, *, width: int | None = None, original: bool | None = None) -> Picture:
        """A page as it will be saved, or with `original` the picture that it was captured in."""
        return await self._picture("media.document", {"page": page, "width": width, "original": original})

    async def signature(self, id: str, *, format: str = "png") -> Picture:
        """A signature that is kept, as `svg`, `png` or `json`."""
        return await self._picture("signature.get", {"id": id, "format": format})

    async def _picture(self, method: str, params: dict[str, Any]) -> Picture:
        pictures = self._pictures(method, params)
        try:
            return await anext(pictures)
        except StopAsyncIteration:
            raise ConnectionLost(f"{self.path}: the service closed the connection.") from None
        finally:
            await pictures.aclose()

    async def _pictures(self, method: str, params: dict[str, Any]) -> Any:
        try:
            reader, writer = await asyncio.open_unix_connection(self.path, limit=LINE_LIMIT)
        except OSError as error:
            raise ConnectionLost(f"{self.path}: {error.strerror or error}. Is the service running?") from None
        try:
            await self._line(reader)
            writer.write(request_line(1, method, params))
            while True:
                message = await asyncio.wait_for(self._line(reader), self.timeout)
                result(message)
                if "size" not in message:
                    continue
                header = cast(MediaHeader, decode(MediaHeader, message))
                try:
                    data = await reader.readexactly(header.size)
                except asyncio.IncompleteReadError:
                    raise ConnectionLost(
                        f"{self.path}: the service closed the connection within a picture."
                    ) from None
                yield Picture(header=header, data=data)
        except TimeoutError:
            raise ConnectionLost(f"{self.path}: no picture for {self.timeout} seconds.") from None
        finally:
            writer.close()
