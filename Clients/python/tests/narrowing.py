"""Checked by mypy, never run: the name of an event determines the type of its body."""

from __future__ import annotations

from typing import assert_type

from waymark import Client, Event, messages


def shown(event: Event) -> str:
    if event.name == "scan.successful":
        assert_type(event.body, messages.ScanSuccessful)
        return event.body.symbology
    if event.name == "scan.ended":
        return event.body.reason
    if event.name == "scan.finished":  # type: ignore[comparison-overlap]
        return "no event has this name"
    return event.name


def main() -> None:
    with Client() as client:
        client.scan_begin(mode="barcode")
        client.scan_begin(mode="qr")  # type: ignore[arg-type]
        for event in client.events("count.*"):
            if event.name == "count.changed":
                assert_type(event.body, messages.CountState)
                print(event.body.totals)  # type: ignore[attr-defined]
