"""The errors of the client."""

from __future__ import annotations

from typing import Any


class WaymarkError(Exception):
    """Any error of this package."""


class ConnectionLost(WaymarkError):
    """The service cannot be reached, or closed the connection."""


class RequestFailed(WaymarkError):
    """The service refused a request, or failed."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.code: str = str(error.get("code", "internalError"))
        """A stable word, one of `messages.ErrorCode` or of a newer service."""
        self.message: str = str(error.get("message", ""))
        """What happened, to what."""
        self.hint: str = str(error.get("hint", ""))
        """What to do."""
        self.holder: dict[str, Any] | None = error.get("holder")
        """With the code `busy`: the client that holds what was asked for."""
        super().__init__(f"{self.message} {self.hint}".strip())
