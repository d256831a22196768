#!/usr/bin/env python3
"""Records the output of `waymark feedback`: through the kernel's sound loopback, its LED class and its force feedback.

    feedback.py WAYMARK        prints a line `pass …` or `FAIL …` for each check

Needs snd-aloop, uinput and input-leds loaded, and arecord. One input device of this program's own has the LED (a keyboard's, which the
kernel offers as /sys/class/leds/inputN::capslock) and the motor (FF_RUMBLE); what becomes of them comes back to this program.
"""
import array
import cmath
import fcntl
import glob
import math
import os
import select
import struct
import subprocess
import sys
import threading
import time

WAYMARK = sys.argv[1]
EV_SYN, EV_KEY, EV_LED, EV_FF, EV_UINPUT = 0, 1, 0x11, 0x15, 0x0101
LED_CAPSL, FF_RUMBLE = 1, 0x50
UI_DEV_CREATE, UI_DEV_SETUP = 0x5501, 0x405C5503
UI_SET_EVBIT, UI_SET_KEYBIT, UI_SET_LEDBIT, UI_SET_FFBIT = 0x40045564, 0x40045565, 0x40045569, 0x4004556B
UI_BEGIN_FF_UPLOAD, UI_END_FF_UPLOAD = 0xC06855C8, 0x406855C9
UI_BEGIN_FF_ERASE, UI_END_FF_ERASE = 0xC00C55CA, 0x400C55CB
UI_FF_UPLOAD, UI_FF_ERASE = 1, 2
EVENT = struct.Struct('llHHi')
RATE = 48000
NAME = 'Waymark test handheld'
BEATS = {'read': 1, 'accepted': 2, 'refused': 3}


class Device:
    """A keyboard with a LED and a motor."""

    def __init__(self):
        self.node = os.open('/dev/uinput', os.O_RDWR | os.O_NONBLOCK)
        for request, value in ((UI_SET_EVBIT, EV_KEY), (UI_SET_KEYBIT, 30), (UI_SET_EVBIT, EV_LED), (UI_SET_LEDBIT, LED_CAPSL),
                               (UI_SET_EVBIT, EV_FF), (UI_SET_FFBIT, FF_RUMBLE)):
            fcntl.ioctl(self.node, request, value)
        fcntl.ioctl(self.node, UI_DEV_SETUP, struct.pack('HHHH80sI', 3, 1, 1, 1, NAME.encode(), 16))
        fcntl.ioctl(self.node, UI_DEV_CREATE)
        self.lit, self.lengths, self.plays = [], {}, []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            select.select([self.node], [], [])
            for _, _, kind, code, value in EVENT.iter_unpack(os.read(self.node, EVENT.size * 32)):
                if kind == EV_LED and code == LED_CAPSL:
                    self.lit.append(value)
                elif kind == EV_FF and code < 16:
                    self.plays.append((code, value))
                elif kind == EV_UINPUT and code == UI_FF_UPLOAD:
                    # struct uinput_ff_upload: request_id, retval, then two of ff_effect, 48 bytes each.
                    request = bytearray(struct.pack('Ii', value, 0) + bytes(96))
                    fcntl.ioctl(self.node, UI_BEGIN_FF_UPLOAD, request)
                    effect = request[8:56]
                    self.lengths[struct.unpack_from('h', effect, 2)[0]] = struct.unpack_from('H', effect, 10)[0]
                    request[4:8] = bytes(4)
                    fcntl.ioctl(self.node, UI_END_FF_UPLOAD, request)
                elif kind == EV_UINPUT and code == UI_FF_ERASE:
                    request = bytearray(struct.pack('IiI', value, 0, 0))
                    fcntl.ioctl(self.node, UI_BEGIN_FF_ERASE, request)
                    fcntl.ioctl(self.node, UI_END_FF_ERASE, request)


def verdict(fine, words):
    print('pass' if fine else 'FAIL', 'feedback: ' + words, flush=True)


def wait_for(what, condition):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise SystemExit(f'waited in vain for {what}')


def tell(*options):
    return subprocess.run([WAYMARK, 'feedback', *options], capture_output=True, text=True, timeout=120)


def strength(samples, frequency):
    """How much of a frequency there is, by Goertzel's filter's sum."""
    turn = -2j * math.pi * frequency / RATE
    return abs(sum(sample * cmath.exp(turn * index) for index, sample in enumerate(samples))) / max(1, len(samples))


def notes(path):
    """The tones of a recording, in their order: for each 30 ms that is not silent the strongest of those that are ours. What is
    strongest in fewer than three of these windows, 10 ms apart, is the passage from one note to the next."""
    with open(path, 'rb') as file:
        file.seek(44)
        samples = array.array('h', file.read())[::2]
    heard = []
    for start in range(0, len(samples) - 1440, 480):
        part = samples[start:start + 1440]
        if max(map(abs, part)) < 1500:
            continue
        tone = max((311.1, 392, 1318.5, 1760), key=lambda frequency: strength(part[::4], frequency * 4))
        if heard and heard[-1][0] == tone:
            heard[-1][1] += 1
        else:
            heard.append([tone, 1])
    steady = [tone for tone, count in heard if count >= 3]
    return [tone for index, tone in enumerate(steady) if index == 0 or steady[index - 1] != tone]


device = Device()


def ours(pattern):
    """The folders of the kernel's classes that belong to this program's device."""
    return [name.split('/')[4] for name in glob.glob(pattern + '/device/name') if open(name).read().strip() == NAME]


lamp = wait_for('the LED', lambda: ours('/sys/class/leds/*::capslock'))[0]
motor = '/dev/input/' + wait_for('the motor', lambda: ours('/sys/class/input/event*'))[0]
wait_for(motor, lambda: os.path.exists(motor))

for cue, beats in BEATS.items():
    before = open(f'/sys/class/leds/{lamp}/trigger').read()
    device.lit.clear()
    result = tell('--led', f'{lamp}=all', '--try', cue)
    wait_for(f'the beats of {cue}, {device.lit}', lambda: device.lit.count(1) >= beats or result.returncode)
    time.sleep(0.2)
    verdict(result.returncode == 0 and device.lit.count(1) == beats and device.lit[-1] == 0,
            f'LED: {cue}: on {device.lit.count(1)} times, then as before {result.stderr.strip()}')
    verdict(open(f'/sys/class/leds/{lamp}/trigger').read() == before, f'LED: {cue}: its trigger drives it again')
    device.plays.clear()
    device.lengths.clear()
    result = tell('--vibrate', 'all', '--vibrator', motor, '--try', cue)
    time.sleep(0.2)
    begun = sum(value > 0 for _, value in device.plays)
    verdict(result.returncode == 0 and begun == beats, f'motor: {cue}: {begun} beats {result.stderr.strip()}')

for cue, wanted in {'read': [1760], 'accepted': [1318.5, 1760], 'refused': [392, 311.1]}.items():
    recorder = subprocess.Popen(['arecord', '-q', '-D', 'hw:Loopback,1', '-f', 'S16_LE', '-r', str(RATE), '-c', '2', '-t', 'wav', '/tmp/heard.wav'],
                                stderr=subprocess.PIPE, text=True)
    wait_for('the recording', lambda: os.path.exists('/tmp/heard.wav') and os.path.getsize('/tmp/heard.wav') >= 44 or recorder.poll() is not None)
    result = tell('--sound', 'all', '--sound-device', 'plughw:Loopback,0', '--volume', '0.8', '--try', cue)
    time.sleep(0.5)
    recorder.terminate()
    words = recorder.communicate(timeout=60)[1]
    heard = notes('/tmp/heard.wav') if os.path.exists('/tmp/heard.wav') else []
    verdict(result.returncode == 0 and heard == wanted, f'sound: {cue}: heard {heard} Hz {result.stderr.strip()} {words.strip()}')
    if os.path.exists('/tmp/heard.wav'):
        os.remove('/tmp/heard.wav')

result = tell('--sound', 'all', '--sound-device', 'hw:Loopback,7', '--try', 'read')
verdict(result.returncode != 0 and 'aplay -L' in result.stderr, 'a sound device that is not there is told')
result = tell('--vibrate', 'all', '--vibrator', '/dev/input/event999', '--try', 'read')
verdict(result.returncode != 0 and 'force feedback' in result.stderr, 'a motor that is not there is told')
