"""From JSON values to the dataclasses of the protocol, and back."""

from __future__ import annotations

import functools
import types
import typing
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Union, cast

from . import messages
from .messages import EVENTS, FrameReference

if TYPE_CHECKING:
    from .events import Event


@functools.cache
def _members(kind: Any) -> tuple[tuple[str, str, Any], ...]:
    """The fields of a dataclass: attribute, name on the wire, type."""
    hints = typing.get_type_hints(kind, vars(messages))
    return tuple((one.name, one.metadata.get("wire", one.name), hints[one.name]) for one in fields(kind))


def decode(kind: Any, value: Any) -> Any:
    """A JSON value as a type of the protocol. Members that the type does not have are left out.

    :raises ValueError: when a member that must be there is missing, or a value is of another kind.
    """
    if kind is Any or value is None:
        return value
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        kinds = [one for one in typing.get_args(kind) if one is not type(None)]
        if len(kinds) > 1 and isinstance(value, str) and str in kinds:
            return value
        return decode(next(one for one in kinds if one is not str or len(kinds) == 1), value)
    if origin is list:
        if not isinstance(value, list):
            raise ValueError(f"an array is expected, not {type(value).__name__}")
        return [decode(typing.get_args(kind)[0], element) for element in value]
    if origin is dict:
        if not isinstance(value, dict):
            raise ValueError(f"an object is expected, not {type(value).__name__}")
        return {name: decode(typing.get_args(kind)[1], element) for name, element in value.items()}
    if origin is Literal:
        # Words that a newer service brings are kept as they are.
        return value
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise ValueError(f"an object is expected, not {type(value).__name__}")
        found: dict[str, Any] = {}
        for attribute, wire, hint in _members(cast(Any, kind)):
            if wire in value:
                found[attribute] = decode(hint, value[wire])
        try:
            return cast(Any, kind)(**found)
        except TypeError as error:
            raise ValueError(f"{getattr(kind, '__name__', kind)}: {error}") from None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{kind.__name__} is expected, not {type(value).__name__}")
    return value


def encode(value: Any) -> Any:
    """A value as JSON values. Omits members with the value None."""
    if is_dataclass(value) and not isinstance(value, type):
        found: dict[str, Any] = {}
        for attribute, wire, _ in _members(type(value)):
            member = getattr(value, attribute)
            if member is not None:
                found[wire] = encode(member)
        return found
    if isinstance(value, (list, tuple)):
        return [encode(element) for element in value]
    if isinstance(value, dict):
        return {name: encode(element) for name, element in value.items()}
    return value


Name = TypeVar("Name", bound=str)
Body = TypeVar("Body")


@dataclass(frozen=True, slots=True)
class EventOf(Generic[Name, Body]):
    """An event of the service. `waymark.Event` is the union of all of them."""

    name: Name
    """Its name: `scan.successful`. It determines the type of the body."""
    body: Body
    """What it carries; None for an event that this version of the client does not know."""
    values: dict[str, Any]
    """The whole line as JSON values."""
    seq: int | None = None
    """The service's counter; gaps are normal."""
    time: str | None = None
    """RFC 3339, UTC, milliseconds."""
    frame: FrameReference | None = None
    """The frame it was seen in."""
    camera: str | None = None
    """The name of the camera that it is of, where the service has several."""


def event(values: dict[str, Any]) -> Event:
    """The event that a line holds."""
    name = str(values["event"])
    kind = EVENTS.get(name)
    frame = values.get("frame")
    found = EventOf(
        name=name,
        body=decode(kind, values) if kind is not None else None,
        values=values,
        seq=values.get("seq"),
        time=values.get("time"),
        frame=cast(FrameReference, decode(FrameReference, frame)) if isinstance(frame, dict) else None,
        camera=values.get("camera"),
    )
    return cast("Event", found)
