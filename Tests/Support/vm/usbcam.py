#!/usr/bin/env python3
"""A USB camera for the real `uvcvideo` driver, without hardware: one end of a socket pair is given to the kernel's virtual
host controller (`vhci_hcd`), on the other end this program is the camera and speaks USB/IP.

  usbcam.py FRAME.jpg...      (root; modules vhci_hcd and uvcvideo loaded)
  usbcam.py FRAME.pgm...      plain pictures in place of Motion JPEG

UVC 1.0, bulk endpoint, Motion JPEG or YUY2, 640x480 at 15 and 30 frames a second, a serial number, brightness.
Commands on standard input: plug, unplug, freeze, go, corrupt, whole, quit. Each is answered by a line "ok".
Formats: USB Device Class Definition for Video Devices 1.1; Documentation/usb/usbip_protocol.rst of the kernel.
"""
import socket, struct, sys, threading, time

WIDTH, HEIGHT = 640, 480
FRAME_SIZE = WIDTH * HEIGHT * 2
PACKET = 16384                        # what the host asks for at once
INTERVALS = (666666, 333333)          # in 100 ns: 15 and 30 frames a second
IS_PLAIN = sys.argv[-1].endswith('.pgm')
ATTACH = '/sys/devices/platform/vhci_hcd.0/attach'


def text(string):
    data = string.encode('utf-16le')
    return bytes([2 + len(data), 3]) + data


STRINGS = {0: bytes([4, 3, 9, 4]), 1: text('Waymark'), 2: text('Test camera'), 3: text('WM0042')}

DEVICE = struct.pack('<BBHBBBBHHHBBBB', 18, 1, 0x0200, 0xEF, 2, 1, 64, 0x1D6B, 0x0102, 0x0100, 1, 2, 3, 1)
QUALIFIER = struct.pack('<BBHBBBBBB', 10, 6, 0x0200, 0xEF, 2, 1, 64, 1, 0)


def configuration():
    camera = struct.pack('<BBBBHBBHHHB', 18, 0x24, 2, 1, 0x0201, 0, 0, 0, 0, 0, 3) + bytes(3)
    processing = struct.pack('<BBBBBHB', 11, 0x24, 5, 2, 1, 0, 2) + bytes([1, 0, 0])     # brightness
    output = struct.pack('<BBBBHBBB', 9, 0x24, 3, 3, 0x0101, 0, 2, 0)
    units = camera + processing + output
    control = struct.pack('<BBBHHIBB', 13, 0x24, 1, 0x0100, 13 + len(units), 48000000, 1, 1) + units

    frame = struct.pack('<BBBBBHHIIIIB', 26 + 4 * len(INTERVALS), 0x24, 5 if IS_PLAIN else 7, 1, 0, WIDTH, HEIGHT, FRAME_SIZE * 8 * 15,
                        FRAME_SIZE * 8 * 30, FRAME_SIZE, INTERVALS[0], len(INTERVALS))
    frame += b''.join(struct.pack('<I', interval) for interval in INTERVALS)
    colours = bytes([6, 0x24, 0x0D, 1, 1, 4])
    if IS_PLAIN:
        yuy2 = b'YUY2' + bytes.fromhex('00001000800000aa00389b71')
        form = bytes([27, 0x24, 4, 1, 1]) + yuy2 + bytes([16, 1, 0, 0, 0, 0]) + frame + colours
    else:
        form = bytes([11, 0x24, 6, 1, 1, 1, 1, 0, 0, 0, 0]) + frame + colours
    streaming = struct.pack('<BBBBHBBBBBBB', 14, 0x24, 1, 1, 14 + len(form), 0x81, 0, 3, 0, 0, 0, 1) + bytes(1) + form

    body = bytes([8, 0x0B, 0, 2, 0x0E, 3, 0, 2])
    body += bytes([9, 4, 0, 0, 0, 0x0E, 1, 0, 0]) + control
    body += bytes([9, 4, 1, 0, 1, 0x0E, 2, 0, 0]) + streaming + struct.pack('<BBBBHB', 7, 5, 0x81, 2, 512, 0)
    return struct.pack('<BBHBBBBB', 9, 2, 9 + len(body), 2, 1, 0, 0x80, 250) + body


CONFIGURATION = configuration()


class Camera:
    def __init__(self, frames):
        self.frames = frames
        self.socket = None
        self.frozen = self.corrupt = False
        self.brightness = 128
        self.number = 0
        self.lock = threading.Lock()
        self.waiting = []             # (sequence number, length) of reads that wait for data
        self.setting = self.probe()

    @staticmethod
    def probe(interval=INTERVALS[0]):
        interval = interval if interval in INTERVALS else INTERVALS[0]
        return struct.pack('<HBBIHHHHHII', 1, 1, 1, interval, 0, 0, 0, 0, 32, FRAME_SIZE, PACKET)

    def plug(self):
        mine, kernels = socket.socketpair()
        self.socket, self.waiting, self.setting = mine, [], self.probe()
        with open(ATTACH, 'w') as attach:
            attach.write(f'0 {kernels.fileno()} {0x10002} 3')      # port, descriptor, device id, high speed
        kernels.close()
        threading.Thread(target=self.receive, args=(mine,), daemon=True).start()
        threading.Thread(target=self.send_frames, args=(mine,), daemon=True).start()

    def unplug(self):
        gone, self.socket = self.socket, None
        gone.shutdown(socket.SHUT_RDWR)
        gone.close()

    # -- USB/IP

    @staticmethod
    def read(link, count):
        data = b''
        while len(data) < count:
            more = link.recv(count - len(data))
            if not more:
                raise OSError('closed')
            data += more
        return data

    @staticmethod
    def reply(link, sequence, status, data=b'', length=None):
        length = len(data) if length is None else length
        link.sendall(struct.pack('>IIIIIiiiII8x', 3, sequence, 0, 0, 0, status, length, 0, 0xFFFFFFFF, 0) + data)

    def receive(self, link):
        try:
            while True:
                header = self.read(link, 48)
                command, sequence, _, direction, endpoint = struct.unpack('>5I', header[:20])
                if command == 2:                                   # take a request back
                    target = struct.unpack('>I', header[20:24])[0]
                    with self.lock:
                        found = any(waiting == target for waiting, _ in self.waiting)
                        self.waiting = [entry for entry in self.waiting if entry[0] != target]
                        link.sendall(struct.pack('>IIIIIi24x', 4, sequence, 0, 0, 0, -104 if found else 0))
                    continue
                length = struct.unpack('>i', header[24:28])[0]
                data = self.read(link, length) if direction == 0 and length > 0 else b''
                with self.lock:
                    if endpoint == 0:
                        self.control(link, sequence, header[40:48], data)
                    else:
                        self.waiting.append((sequence, length))
        except OSError:
            pass

    # -- Requests of the driver

    def control(self, link, sequence, setup, data):
        kind, request, value, index, length = struct.unpack('<BBHHH', setup)
        answer = self.answer(kind, request, value, index, length, data)
        if answer is None:
            self.reply(link, sequence, -32)                        # stall
        elif kind & 0x80:
            self.reply(link, sequence, 0, answer[:length])
        else:
            self.reply(link, sequence, 0, b'', len(data))

    def answer(self, kind, request, value, index, length, data):
        if kind == 0x80 and request == 6:                          # GET_DESCRIPTOR
            if value >> 8 == 3:
                return STRINGS.get(value & 255)
            return {1: DEVICE, 2: CONFIGURATION, 6: QUALIFIER}.get(value >> 8)
        if kind & 0x60 == 0:                                       # other standard requests
            return bytes(length if kind & 0x80 else 0)
        if index == 1 and value in (0x100, 0x200):                 # probe and commit of the stream
            if kind == 0x21:
                self.setting = self.probe(struct.unpack('<I', data[4:8])[0])
                return b''
            return {0x85: struct.pack('<H', 26), 0x86: b'\x03'}.get(request, self.setting)
        if index == 0x200 and value == 0x200:                      # brightness
            if kind == 0x21:
                self.brightness = struct.unpack('<h', data)[0]
                return b''
            numbers = {0x81: self.brightness, 0x82: 0, 0x83: 255, 0x84: 1, 0x87: 128}
            if request in numbers:
                return struct.pack('<h', numbers[request])
            return {0x85: struct.pack('<H', 2), 0x86: b'\x03'}.get(request)
        if kind == 0xA1 and index == 0 and value == 0x200:         # last error
            return b'\x06'
        return None

    # -- Frames

    def send_frames(self, link):
        due, toggle = time.monotonic(), 0
        try:
            while self.socket is link:
                with self.lock:
                    wanted = bool(self.waiting)
                if not wanted or self.frozen:
                    time.sleep(0.004)
                    due = time.monotonic()
                    continue
                frame = self.frames[self.number % len(self.frames)]
                self.number += 1
                if self.corrupt:
                    frame = frame[:len(frame) // 3]
                toggle ^= 1
                self.send_frame(link, frame, toggle)
                due += struct.unpack('<I', self.setting[4:8])[0] * 1e-7
                time.sleep(max(0, due - time.monotonic()))
        except OSError:
            pass

    def send_frame(self, link, frame, toggle):
        sent = 0
        while sent < len(frame) and self.socket is link:
            with self.lock:
                if self.waiting:
                    sequence, length = self.waiting.pop(0)
                    part = frame[sent:sent + min(length, PACKET) - 2]
                    sent += len(part)
                    end = 2 if sent >= len(frame) else 0           # end of frame
                    self.reply(link, sequence, 0, bytes([2, 0x80 | toggle | end]) + part)
                    continue
            time.sleep(0.002)


def frame(path):
    """The bytes of a frame: those of a JPEG as they are, those of a gray picture (P5, of this size) as YUY2."""
    with open(path, 'rb') as file:
        data = file.read()
    if not IS_PLAIN:
        return data
    luma = data[-WIDTH * HEIGHT:]
    return bytes(value for gray in luma for value in (gray, 128))


def main():
    camera = Camera([frame(path) for path in sys.argv[1:]])
    camera.plug()
    print('ok', flush=True)
    for line in sys.stdin:
        word = line.strip()
        if word == 'quit':
            break
        if word in ('plug', 'unplug'):
            getattr(camera, word)()
        elif word in ('freeze', 'go'):
            camera.frozen = word == 'freeze'
        elif word in ('corrupt', 'whole'):
            camera.corrupt = word == 'corrupt'
        print('ok', flush=True)


main()
