"""What both clients share: where the socket is, and lines as they come and go."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

from .codec import decode, encode
from .errors import ConnectionLost, RequestFailed
from .messages import Hello

LINE_LIMIT = 32 * 1024 * 1024
"""The longest line that is read, in bytes."""
BACKOFF = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds between attempts to reach a service that is gone; the last one repeats."""


def socket_path(path: str | os.PathLike[str] | None = None) -> str:
    """Where the service listens: as given, else $WAYMARK_SOCKET, else the system's service, else the user's own."""
    if path is not None:
        return os.fspath(path)
    if named := os.environ.get("WAYMARK_SOCKET"):
        return named
    system = Path("/run/waymark/waymark.sock")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if not system.exists() and runtime:
        return str(Path(runtime) / "waymark" / "waymark.sock")
    return str(system)


def request_line(number: int, method: str, params: dict[str, Any] | None) -> bytes:
    """A request as a line. Omits parameters with the value None."""
    given = {name: encode(value) for name, value in (params or {}).items() if value is not None}
    message: dict[str, Any] = {"id": number, "method": method}
    if given:
        message["params"] = given
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def parsed(line: bytes) -> dict[str, Any]:
    """The object that a line holds."""
    try:
        value = json.loads(line)
    except ValueError as error:
        raise ConnectionLost(f"The service sent a line that is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise ConnectionLost("The service sent a line that is no object.")
    return value


def greeting(message: dict[str, Any]) -> Hello:
    """The service's greeting, its first line.

    :raises ConnectionLost: when the service closes the connection instead, because it stops or refuses this user.
    """
    if message.get("event") == "hello":
        return cast(Hello, decode(Hello, message))
    reason = str(message.get("reason", "no hello"))
    hint = " The configuration names who may connect under roles." if reason == "notPermitted" else ""
    raise ConnectionLost(f"The service closed the connection: {reason}.{hint}")


def unreachable(path: str, error: OSError) -> ConnectionLost:
    """The error of a socket that cannot be opened."""
    hint = (
        "Join the group that owns the socket, and log in again."
        if isinstance(error, PermissionError)
        else "Is the service running?"
    )
    return ConnectionLost(f"{path}: {error.strerror or error}. {hint}")


def result(message: dict[str, Any]) -> Any:
    """The result of a reply.

    :raises RequestFailed: when the reply is an error.
    """
    if isinstance(error := message.get("error"), dict):
        raise RequestFailed(error)
    return message.get("result")
