"""Clients of the service: some stay and remember everything, some come and go, some behave badly."""
import json
import random
import socket
import threading
import time

VERDICTS = ('scan.successful', 'scan.invalid', 'scan.unsuccessful', 'scan.confirmed', 'scan.cancelled', 'anchor.found',
            'anchor.lost', 'camera.status', 'scene.loaded', 'scene.failed')


class Refused(Exception):
    def __init__(self, error):
        super().__init__(f'{error.get("code")}: {error.get("message")}')
        self.code, self.message, self.hint = error.get('code'), error.get('message'), error.get('hint')


class Record:
    """What went over the sockets, a line each, for Scripts/check-protocol: all requests and replies, and the events of one witness."""

    def __init__(self, path):
        self.file, self.lock, self.links = open(path, 'w', encoding='utf-8'), threading.Lock(), 0

    def link(self):
        """A number for a connection, so that no two requests of the record have the same id."""
        with self.lock:
            self.links += 1
            return self.links

    def note(self, link, message):
        if 'id' in message:
            message = message | {'id': f'{link}-{message["id"]}'}
        with self.lock:
            self.file.write(json.dumps(message) + '\n')


class Link:
    """A connection: requests with answers, and the events that come meanwhile."""

    record = None

    def __init__(self, path, timeout=20):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.records_events = False
        self.place = Link.record.link() if Link.record else 0
        try:
            self.socket.connect(path)
            self.file = self.socket.makefile('rb')
            self.hello = self.line()
            if self.hello.get('event') != 'hello':
                raise ConnectionError(str(self.hello))
        except BaseException:
            self.socket.close()
            raise
        self.number = 0
        self.events = []

    def line(self):
        line = self.file.readline()
        if not line.endswith(b'\n'):
            raise ConnectionError('the connection ended')
        message = json.loads(line)
        if Link.record and ('id' in message or self.records_events or message.get('event') == 'hello'):
            Link.record.note(self.place, message)
        return message

    def request(self, method, body=b'', **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if Link.record:
            Link.record.note(self.place, message)
        self.socket.sendall(json.dumps(message).encode() + b'\n' + body)
        while True:
            message = self.line()
            if 'event' in message:
                self.events.append(message)
            elif message.get('id') == self.number:
                if 'error' in message:
                    raise Refused(message['error'])
                return message['result']

    def wait(self, wanted, seconds):
        """The next event that `wanted` takes; None after so many seconds."""
        until = time.monotonic() + seconds
        while True:
            while self.events:
                event = self.events.pop(0)
                if wanted(event):
                    return event
            left = until - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                self.events.append(self.line())
            except TimeoutError:
                return None
            finally:
                self.socket.settimeout(20)

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Witness(threading.Thread):
    """Stays connected, reads at once, and remembers every verdict with its number."""

    def __init__(self, path, name, log, codes):
        super().__init__(daemon=True, name=name)
        self.path, self.log, self.codes = path, log, codes
        self.stays = []      # one entry a connection: instance, from, to, verdicts {seq: event}, end
        self.stopping = False
        self.is_recorded = False
        self.link = None

    def run(self):
        while not self.stopping:
            try:
                self.link = Link(self.path, timeout=60)
                self.link.records_events = self.is_recorded
            except (OSError, ValueError):
                time.sleep(0.05)
                continue
            stay = None
            try:
                since = self.link.request('subscribe', events=['*'])['seq']
                stay = {'instance': self.link.hello['instance'], 'from': since, 'to': since, 'verdicts': {}, 'end': 'open'}
                self.stays.append(stay)
                # What came before the answer is in the snapshot already.
                events = self.link.events
                events.clear()
                while True:
                    self.take(events.pop(0) if events else self.link.line(), stay)
            except TimeoutError:
                # An armed scan reports its progress once a second: a minute of silence is a fault.
                self.log.violation('silence', f'{self.name} heard nothing for a minute')
                if stay:
                    stay['end'] = 'silence'
            except (OSError, ValueError) as error:
                if stay and stay['end'] == 'open':
                    stay['end'] = str(error)
            try:
                self.link.close()
            except OSError:
                pass

    def take(self, event, stay):
        name = event.get('event')
        if name == 'connection.closed':
            stay['end'] = event.get('reason')
            if event.get('reason') != 'stopping':
                self.log.violation('closed', f'{self.name}, who reads, was let go: {event.get("reason")}')
            return
        if name == 'stream.dropped':
            self.log.violation('dropped', f'{self.name}, who reads, lost {event.get("count")} events')
        seq = event.get('seq')
        if seq is None:
            return
        # Progress coalesces, but never out of order.
        if seq <= stay['to']:
            self.log.violation('order', f'{self.name}: {name} {seq} after {stay["to"]}')
        stay['to'] = seq
        if name in VERDICTS:
            stay['verdicts'][seq] = name
        if name == 'scan.successful':
            self.log.count('read')
            if not self.codes.is_known(event.get('text'), event.get('camera')):
                self.log.violation('wrong', f'a code was read that was never shown there: {event.get("text")!r}, {event.get("camera")}')
        elif name in ('scan.invalid', 'scan.confirmed', 'anchor.found', 'anchor.lost'):
            self.log.count(name)


def compare(witnesses, log):
    """Checks that every verdict reached every witness connected at the time. Returns the number of comparisons."""
    told = {}
    for witness in witnesses:
        for stay in witness.stays:
            told.setdefault(stay['instance'], {}).update(stay['verdicts'])
    compared = 0
    for witness in witnesses:
        for stay in witness.stays:
            for seq, name in told[stay['instance']].items():
                if stay['from'] < seq <= stay['to']:
                    compared += 1
                    if seq not in stay['verdicts']:
                        log.violation('lost', f'{witness.name} never got {name} {seq} of {stay["instance"]}')
    return compared


class Counter(threading.Thread):
    """Asks once a second for the frames of each camera, over all runs of the service: what one that is killed had since the last time is missing."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.runs, self.stopping = path, {}, False

    def run(self):
        while not self.stopping:
            try:
                with Link(self.path) as link:
                    while not self.stopping:
                        figures = link.request('status')['statistics']
                        self.runs[link.hello['instance']] = {
                            camera.get('name'): camera['frames'] for camera in figures.get('cameras', [figures])}
                        time.sleep(1)
            except (OSError, ValueError, Refused):
                time.sleep(0.2)

    def total(self, name):
        """The figures of a camera in all runs together."""
        runs = [run[name] for run in self.runs.values() if name in run]
        return {key: sum(run[key] for run in runs) for key in ('captured', 'bad', 'lost')}


class Crowd(threading.Thread):
    """Clients that come, ask for something, and go, in good ways and bad."""

    def __init__(self, path, log, seed):
        super().__init__(daemon=True)
        self.path, self.log, self.dice = path, log, random.Random(seed)
        self.stopping = False

    def run(self):
        kinds = [self.watch, self.ask, self.preview, self.leave, self.half_line, self.garbage, self.many, self.deaf]
        while not self.stopping:
            kind = self.dice.choice(kinds)
            try:
                kind()
                self.log.count('client ' + kind.__name__)
            except (OSError, ValueError):
                self.log.count('client cut off')
            except Refused as error:
                self.log.count('client refused ' + error.code)
            time.sleep(self.dice.uniform(0.02, 0.5))

    def watch(self):
        with Link(self.path) as link:
            last = link.request('subscribe', events=['*', 'statistics'])['seq']
            link.events.clear()
            until = time.monotonic() + self.dice.uniform(0.1, 5)
            while time.monotonic() < until:
                event = link.wait(lambda e: True, 1)
                if event and 'seq' in event:
                    if event['seq'] <= last:
                        self.log.violation('order', f'{event["event"]} {event["seq"]} after {last}')
                    last = event['seq']

    def ask(self):
        with Link(self.path) as link:
            for _ in range(self.dice.randint(1, 20)):
                link.request(self.dice.choice(['ping', 'status', 'camera.list', 'scene.list']))

    def preview(self):
        with Link(self.path) as link:
            link.socket.sendall(b'{"id":1,"method":"media.preview","params":{}}\n')
            for _ in range(self.dice.randint(0, 20)):
                header = link.line()
                if 'error' in header:
                    return
                # Some leave in the middle of a picture.
                if len(link.file.read(header['size'])) < header['size']:
                    return

    def leave(self):
        """Gone before the greeting."""
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(self.path)

    def half_line(self):
        with Link(self.path) as link:
            link.socket.sendall(b'{"id":1,"method":"sta')

    def garbage(self):
        with Link(self.path) as link:
            link.socket.sendall(bytes(self.dice.getrandbits(8) for _ in range(3000)) + b'\n')
            link.socket.settimeout(2)
            link.file.read1(100)

    def many(self):
        links = []
        try:
            for _ in range(50):
                links.append(Link(self.path))
        finally:
            for link in links:
                link.close()

    def deaf(self):
        """Wants everything and reads nothing for a while."""
        with Link(self.path) as link:
            link.request('subscribe', events=['*'])
            time.sleep(self.dice.uniform(1, 8))
