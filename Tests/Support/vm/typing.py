#!/usr/bin/env python3
"""Reads back what `waymark type` types: from the kernel's event device, by libxkbcommon's keymaps and X11's Compose tables,
as a program under X11 or Wayland does. Nothing in here knows how Waymark finds its keys.

    typing.py WAYMARK CODES        codes a layout; prints a line `pass …`, `FAIL …` or `note …` for each check

Needs /dev/uinput, libxkbcommon0 and libx11-data.
"""
import ctypes
import glob
import os
import random
import select
import struct
import subprocess
import sys
import time

EVENT = struct.Struct('llHHi')
# Enter goes up: the last event of a code.
ENTER = struct.pack('HHi', 1, 28, 0)
ASCII = ''.join(map(chr, range(0x21, 0x7F)))
LAYOUTS = {'us': ASCII, 'de': ASCII + 'äöüÄÖÜß€µ§°²éèâ', 'gb': ASCII + '£€¬', 'fr': ASCII + 'àéèùçâêîôûëï€£µ§°²'}

xkb = ctypes.CDLL('libxkbcommon.so.0')
for name, result, *arguments in (
        ('xkb_context_new', 'p', 'i'), ('xkb_keymap_new_from_names', 'p', 'p', 'p', 'i'), ('xkb_state_new', 'p', 'p'),
        ('xkb_state_key_get_one_sym', 'u', 'p', 'u'), ('xkb_state_update_key', 'u', 'p', 'u', 'i'),
        ('xkb_keysym_to_utf32', 'u', 'u'), ('xkb_compose_table_new_from_locale', 'p', 'p', 's', 'i'),
        ('xkb_compose_state_new', 'p', 'p', 'i'), ('xkb_compose_state_feed', 'i', 'p', 'u'),
        ('xkb_compose_state_get_status', 'i', 'p'), ('xkb_compose_state_get_utf8', 'i', 'p', 's', 'l'),
        ('xkb_compose_state_reset', 'i', 'p')):
    kinds = {'p': ctypes.c_void_p, 'i': ctypes.c_int, 'u': ctypes.c_uint32, 's': ctypes.c_char_p, 'l': ctypes.c_size_t}
    function = getattr(xkb, name)
    function.restype, function.argtypes = kinds[result], [kinds[kind] for kind in arguments]


class Names(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ('rules', 'model', 'layout', 'variant', 'options')]


class Reader:
    """A program with a keyboard layout."""

    def __init__(self, layout):
        context = xkb.xkb_context_new(0)
        names = Names(b'evdev', b'pc105', layout.encode(), b'', b'')
        self.state = xkb.xkb_state_new(xkb.xkb_keymap_new_from_names(context, ctypes.addressof(names), 0))
        table = xkb.xkb_compose_table_new_from_locale(context, b'en_US.UTF-8', 0)
        self.compose = xkb.xkb_compose_state_new(table, 0)
        self.text, self.down = '', set()

    def key(self, code, value):
        if value == 1:
            self.down.add(code)
            self.press(xkb.xkb_state_key_get_one_sym(self.state, code + 8))
        elif value == 0:
            self.down.discard(code)
        xkb.xkb_state_update_key(self.state, code + 8, 1 if value else 0)

    def press(self, symbol):
        xkb.xkb_compose_state_feed(self.compose, symbol)
        status = xkb.xkb_compose_state_get_status(self.compose)
        if status == 1:
            return
        if status == 2:
            buffer = ctypes.create_string_buffer(64)
            xkb.xkb_compose_state_get_utf8(self.compose, buffer, 64)
            self.text += buffer.value.decode()
        elif symbol == 0xFF0D:
            self.text += '\n'
        else:
            character = xkb.xkb_keysym_to_utf32(symbol)
            self.text += chr(character) if character else ''
        xkb.xkb_compose_state_reset(self.compose)


def keyboard():
    """The event device of the scanner, as soon as it is there."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for name in glob.glob('/sys/class/input/event*/device/name'):
            if open(name).read().strip() == 'Waymark Scanner':
                node = '/dev/input/' + name.split('/')[4]
                if os.path.exists(node):
                    return os.open(node, os.O_RDONLY | os.O_NONBLOCK)
        time.sleep(0.05)
    raise SystemExit('no keyboard appeared')


def trial(waymark, layout, codes, alphabet):
    process = subprocess.Popen(
        [waymark, 'type', '--layout', layout, '-'], stdin=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)))
    node = keyboard()
    os.set_blocking(process.stdin.fileno(), False)
    wanted = [''.join(random.choices(alphabet, k=random.randint(6, 20))) for _ in range(codes)]
    text = '\n'.join(wanted) + '\n'
    rest, chunks, ends = text.encode(), [], 0
    idle = time.monotonic() + 90
    # Only fetched here and understood afterwards: as in a desktop, whose thread for input does nothing else.
    while ends < codes and time.monotonic() < idle:
        if rest:
            try:
                rest = rest[os.write(process.stdin.fileno(), rest[:4096]):]
            except BlockingIOError:
                pass
        if not select.select([node], [], [], 0.5)[0]:
            continue
        idle = time.monotonic() + 90
        try:
            chunks.append(os.read(node, EVENT.size * 64))
        except OSError:
            break
        ends += chunks[-1].count(ENTER)
    reader, stamps, lost = Reader(layout), [], 0
    for seconds, micros, kind, code, value in EVENT.iter_unpack(b''.join(chunks)):
        if kind == 1:
            stamps.append(seconds + micros / 1e6)
            reader.key(code, value)
        elif kind == 0 and code == 3:
            lost += 1
    got = reader.text.split('\n')[:-1]
    changed = sum(a != b for a, b in zip(got, wanted)) + abs(len(got) - len(wanted))
    process.stdin.close()
    process.wait(timeout=60)
    verdict = 'pass' if changed == 0 and not reader.down and lost == 0 else 'FAIL'
    print(f'{verdict} typing: {layout}: {len(wanted)} codes, {changed} changed, {lost} overruns, keys left down: {len(reader.down)}')
    if changed:
        print('     first:', next(((a, b) for a, b in zip(got, wanted) if a != b), (len(got), len(wanted))))
    # The first code waits for the keyboard to be noticed; the stamps begin with its first key.
    print(f'note typing: {layout}: {(stamps[-1] - stamps[0]) / max(1, len(text)) * 1000:.2f} ms a character', flush=True)


def main():
    random.seed(20)
    try:
        # Emulation is slow, and a machine under test busy: what is read too late is lost, here as anywhere.
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))
    except (OSError, AttributeError):
        pass
    for layout, alphabet in LAYOUTS.items():
        trial(sys.argv[1], layout, int(sys.argv[2]), alphabet)


main()
