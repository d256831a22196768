#!/bin/bash
# Guessed: Caps Lock exchanges the two cases of the letter keys and leaves the others alone, and Shift undoes it. So a program that
#   types for a user has only to send letters with the opposite Shift while Caps Lock is on.
# True: where the key's type does not use Caps Lock itself, libxkbcommon turns the text that the key gives into capitals, whatever
#   its level. On the Swiss key (ü, with Shift è) that gives Ü and È, never è; likewise É, À and Ç for é, à and ç: in Switzerland,
#   Italy and on the French and Belgian rows of digits, no combination of Shift gives those small letters while Caps Lock is on,
#   though at the same time a to z do come back small with Shift. Digits in France want Shift as ever. The German ß becomes the
#   capital ẞ (U+1E9E). The Belgian and French micro sign gives a keysym without a name (0x39c) and so no text at all.
# Seen: libxkbcommon0 1.5.0-1 with xkb-data 2.35.1-1 (Debian 12); 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -qq download libxkbcommon0=1.5.0-1 xkb-data=2.35.1-1 2>/dev/null
for package in ./*.deb; do
    echo "$(dpkg-deb -f "$package" Package) $(dpkg-deb -f "$package" Version)"
    dpkg -x "$package" deb
done
XKB_CONFIG_ROOT=$work/deb/usr/share/X11/xkb
LIBRARY=$(find "$work/deb" -name 'libxkbcommon.so.0' -print -quit)
export XKB_CONFIG_ROOT LIBRARY
python3 - <<'PY'
import ctypes as c
import os

xkb = c.CDLL(os.environ["LIBRARY"])

class Names(c.Structure):
    _fields_ = [(name, c.c_char_p) for name in ("rules", "model", "layout", "variant", "options")]

for name, result, arguments in (
    ("xkb_context_new", c.c_void_p, [c.c_int]), ("xkb_keymap_new_from_names", c.c_void_p, [c.c_void_p, c.POINTER(Names), c.c_int]),
    ("xkb_state_new", c.c_void_p, [c.c_void_p]), ("xkb_state_update_key", c.c_int, [c.c_void_p, c.c_uint32, c.c_int]),
    ("xkb_state_key_get_utf8", c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_size_t]),
    ("xkb_state_key_get_one_sym", c.c_uint32, [c.c_void_p, c.c_uint32]), ("xkb_state_unref", None, [c.c_void_p]),
):
    function = getattr(xkb, name)
    function.restype, function.argtypes = result, arguments
context = xkb.xkb_context_new(0)
A, UE, TWO, OE, MINUS, BACKSLASH, CAPS, SHIFT = (8 + code for code in (30, 26, 3, 39, 12, 43, 58, 42))  # Linux key codes

def keymap(layout):
    return xkb.xkb_keymap_new_from_names(context, c.byref(Names(b"evdev", b"pc105", layout.encode(), b"", b"")), 0)

def text(state, key):
    buffer = c.create_string_buffer(16)
    xkb.xkb_state_key_get_utf8(state, key, buffer, 16)
    return buffer.value.decode()

def press(layout, key):  # plain, Shift, Caps Lock, both: keys pressed as a person would
    told = []
    for caps in (False, True):
        for shift in (False, True):
            state = xkb.xkb_state_new(keymap(layout))
            for down in ((CAPS, 1), (CAPS, 0)) if caps else ():
                xkb.xkb_state_update_key(state, *down)
            if shift:
                xkb.xkb_state_update_key(state, SHIFT, 1)
            told.append(text(state, key) or f"nothing ({xkb.xkb_state_key_get_one_sym(state, key):#x})")
            xkb.xkb_state_unref(state)
    return told

right = True
print("layout, key: plain, Shift, Caps Lock, Caps Lock with Shift")
for layout, key, want in (
    ("us", A, "a A A a"), ("ch", A, "a A A a"), ("ch", UE, "ü è Ü È"), ("ch", OE, "ö é Ö É"), ("it", UE, "è é È É"), ("it", OE, "ò ç Ò Ç"),
    ("fr", TWO, "é 2 É 2"), ("be", TWO, "é 2 É 2"), ("de", UE, "ü Ü Ü ü"), ("de", MINUS, "ß ? ẞ ?"),
    ("be", BACKSLASH, "µ £ nothing(0x39c) £"), ("fr", BACKSLASH, "* µ * nothing(0x39c)"),
):
    told = press(layout, key)
    print(f"{layout}, {key - 8:2}: {' '.join(told)}")
    right &= [t.replace(" ", "") for t in told] == want.split()
raise SystemExit(0 if right else "not as stated")
PY
