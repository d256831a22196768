"""One long run: a camera, a service under a supervisor, clients, faults, and what must hold all along."""
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import codes as making
from clients import Counter, Crowd, Link, Refused, Witness, compare
from faults import Faults
from service import Camera, Clock, MemoryGroup, Service

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, '..', '..', '..'))
# The code on one of the posters of the sample walk (Scripts/make-sample-scene).
POSTER = ('{"appID":"com.example.pumps","host":"pumps.example.com","protocol":"https",'
          '"auth":[{"type":"basic","config":{}}]}')
# Where codes lie among the camera's pictures; between them posters pass by.
SHOWN = ((0, 1, 2), (33, 34, 35))


class Log:
    """What happened, from all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.began = time.monotonic()
        self.violations, self.faults, self.counts, self.skipped = [], [], {}, {}

    def violation(self, kind, text):
        with self.lock:
            self.violations.append({'at': round(time.monotonic() - self.began, 1), 'kind': kind, 'text': text})
        print(f'{time.monotonic() - self.began:8.1f}  VIOLATION {kind}: {text}', file=sys.stderr, flush=True)

    def fault(self, entry):
        with self.lock:
            self.faults.append(entry)
        rest = ', '.join(f'{key} {value}' for key, value in entry.items() if key not in ('fault', 'at'))
        print(f'{entry["at"]:8.1f}  {entry["fault"]}: {rest}', file=sys.stderr, flush=True)

    def count(self, what, by=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + by

    def skip(self, what):
        with self.lock:
            self.skipped[what] = self.skipped.get(what, 0) + 1


def compile_c(source, target, *flags):
    subprocess.run(['cc', '-O2', '-o', target, os.path.join(ROOT, 'Tests/Support', source), *flags, '-lpthread'], check=True)
    return target


class Soak:
    def __init__(self, options, folder):
        self.options, self.folder, self.log = options, folder, Log()
        self.began = self.log.began
        self.dice = random.Random(options.seed)
        self.path = f'{folder}/s.sock'
        self.state, self.scene = f'{folder}/state', f'{folder}/scenes/pump-room'
        os.makedirs(self.state)
        # A disk of its own, small enough to be filled.
        subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=24m,nr_inodes=20000', 'waymark-soak', self.state], check=True)
        shutil.copytree(f'{ROOT}/Samples/scenes/pump-room', self.scene)
        fuse = subprocess.run(['pkg-config', '--cflags', '--libs', 'fuse3'], capture_output=True, text=True, check=True)
        program = compile_c('fusecam/fusecam.c', f'{folder}/fusecam', *fuse.stdout.split())
        names = ('front', 'desk') if options.cameras == 2 else (None,)
        self.codes = making.Codes(options.waymark, folder, names[0])
        self.clock, self.group = Clock(folder), MemoryGroup()
        preload = compile_c('soak/clock.c', f'{folder}/clock.so', '-shared', '-fPIC', '-ldl')
        for name in names:
            self.codes.known(POSTER, name)
        self.cameras = [Camera(program, f'{folder}/{name or "camera"}', 30, self.pictures(), self.raw(), name) for name in names]
        self.camera = self.cameras[0]
        self.tokens = []         # (token, picture) that count as used
        self.samples = []
        self.configure()
        environment = dict(os.environ, LD_PRELOAD=preload, CLOCK_OFFSET_FILE=self.clock.path)
        self.output = open(f'{folder}/service.log', 'wb')
        self.service = Service([options.waymark, 'serve', '--config', f'{folder}/waymark.yaml', '--socket', self.path],
                               environment, self.log, self.output, self.group)

    def pictures(self):
        blank = making.jpeg(b'P5\n640 480\n255\n' + bytes([140]) * (640 * 480), f'{self.folder}/blank.jpg')
        posters = sorted(glob.glob(f'{ROOT}/Samples/sequences/pump-room/*.jpg'))[:240:8]
        pictures = [blank] * 3 + posters[:30] + [blank] * 3 + [blank] * 4
        assert len(pictures) == 40
        return pictures

    def raw(self):
        """A picture without a code as it is without Motion JPEG, for a camera that lies about its format."""
        path = f'{self.folder}/gray.yuyv'
        with open(path, 'wb') as file:
            file.write(bytes([140, 128]) * (640 * 480))
        return path

    def configure(self):
        further = {camera.name: {'device': f'{camera.folder}/video0', 'closeAfter': 3, 'scan': {'autoBegin': 'barcode'}}
                   for camera in self.cameras[1:]}
        with open(f'{self.folder}/waymark.yaml', 'w') as file:
            json.dump({
                'camera': {'device': f'{self.camera.folder}/video0', 'closeAfter': 3,
                           **({'name': self.camera.name} if further else {})},
                **({'cameras': further} if further else {}),
                'scan': {'autoBegin': 'barcode', 'newAfter': 0.3},
                'onboarding': {'kinds': ['sapOnboarding', 'sapLink', 'androidEnterprise'], 'signatures': 'required', 'keyFiles': [self.codes.keys], 'hosts': ['*.example.com'],
                               'clockSkew': 60},
                'replay': {'folder': f'{self.state}/replay'},
                'scenes': {**({} if self.options.frames else {'folders': [f'{self.folder}/scenes']}),
                           'cache': f'{self.state}/cache',
                           **({} if self.options.frames else {'load': 'pump-room', 'start': True})},
                'clients': {'slowAfter': 1, 'stalledAfter': 5, 'maximum': 200}}, file)

    # ---- What the faults and the work use.

    def operator(self):
        """A connection, as soon as there can be one."""
        until = time.monotonic() + 20
        while True:
            try:
                return Link(self.path)
            except (OSError, ValueError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def verdict(self, picture):
        """What a picture is judged, without a confirmation."""
        with self.operator() as link:
            result = link.request('scan.picture', picture, size=len(picture), mode='onboarding')
            if result['outcome'] == 'successful':
                link.request('scan.cancel')
                return 'successful'
            return (result.get('invalid') or result.get('unsuccessful'))['reason']

    def confirm(self, picture, killed_after=None):
        """`confirmed`, or why not; `cut off` where the service is killed so many seconds after it was asked."""
        with self.operator() as link:
            result = link.request('scan.picture', picture, size=len(picture), mode='onboarding')
            if result['outcome'] != 'successful':
                return (result.get('invalid') or result.get('unsuccessful'))['reason']
            try:
                if killed_after is not None:
                    link.socket.sendall(b'{"id":"last","method":"scan.confirm"}\n')
                    time.sleep(killed_after)
                    self.service.end(signal.SIGKILL, 'kill')
                    while True:
                        message = link.line()
                        if message.get('id') == 'last':
                            return 'confirmed' if 'result' in message else message['error']['code']
                link.request('scan.confirm')
                return 'confirmed'
            except Refused as error:
                return error.code

    def used(self, token, picture):
        self.tokens.append((token, picture))
        self.log.count('confirmed')

    def check_used(self, number, allowed=('replayed',)):
        """Tokens that were used once are refused, however long ago that was."""
        for token, picture in self.dice.sample(self.tokens, min(number, len(self.tokens))):
            found = self.verdict(picture)
            self.log.count('used tokens tried again')
            if found not in allowed:
                self.log.violation('replay', f'a token that was confirmed was {found}: {token[-20:]}')

    def processor_time(self):
        total = 0
        for pid in self.service.family():
            fields = open(f'/proc/{pid}/stat').read().rsplit(') ', 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / os.sysconf('SC_CLK_TCK')

    def one_camera(self, dice=None):
        """The camera, or by chance one of several."""
        return self.camera if len(self.cameras) == 1 else (dice or self.dice).choice(self.cameras)

    def show(self, text, camera=None):
        """Holds a code before a camera, the first where none is named."""
        picture = making.jpeg(making.picture(text), f'{self.folder}/code-{self.codes.count}.jpg')
        for place in self.dice.choice(SHOWN):
            (camera or self.camera).tell(f'load {place} {picture}')
        os.unlink(picture)

    def show_fresh(self):
        """Holds a code that was never shown before a camera."""
        camera = self.one_camera()
        self.show(self.codes.plain(camera.name), camera)

    def until_well(self, seconds):
        """Waits until each camera has reported codes that were never shown before. Returns the seconds."""
        since = time.monotonic()
        well = [self.is_read(camera, since + seconds) for camera in self.cameras]
        return time.monotonic() - since if all(well) else None

    def is_read(self, camera, deadline):
        while time.monotonic() < deadline:
            text = self.codes.plain(camera.name)
            try:
                with self.operator() as link:
                    link.request('subscribe', events=['scan.successful'])
                    self.show(text, camera)
                    if link.wait(lambda e, text=text: e.get('text') == text, 4):
                        return True
            except (OSError, ValueError):
                time.sleep(0.1)
        return False

    def frames_of(self, name):
        """The frames of a camera in this run of the service."""
        with self.operator() as link:
            figures = link.request('status')['statistics']
        return next(camera['frames'] for camera in figures.get('cameras', [figures]) if camera.get('name') == name)

    def until_restarted(self, pid=None):
        """Until the service answers again; in another process than `pid`, where one is given."""
        until = time.monotonic() + 15
        while time.monotonic() < until:
            try:
                if self.service.pid != pid:
                    with Link(self.path, timeout=2) as link:
                        link.request('ping')
                        return
            except (OSError, ValueError):
                pass
            time.sleep(0.02)
        self.log.violation('restart', 'the service did not answer within 15 s of its restart')

    # ---- The ordinary day.

    def work(self):
        what = self.dice.random()
        if what < 0.4:
            self.show_fresh()
            time.sleep(self.dice.uniform(0.3, 1.5))
        elif what < 0.6:
            self.onboard_live()
        elif what < 0.8:
            token = self.codes.token(self.dice.choice(['1d', '30d']))
            picture = making.picture(token)
            outcome = self.confirm(picture)
            if outcome != 'confirmed':
                self.log.violation('confirm', f'a fresh token was {outcome}')
            self.used(token, picture)
        elif what < 0.85:
            self.leave_while_judged()
        elif what < 0.92:
            self.check_used(2)
        else:
            with self.operator() as link:
                for method in ('session.scan', 'annotation.next', 'annotation.clear'):
                    try:
                        link.request(method)
                    except Refused:
                        pass

    def leave_while_judged(self):
        """Sends a picture, whole or not, and is gone before the answer; the scanner is free for the next."""
        token = self.codes.token()
        picture = making.picture(token)
        link = self.operator()
        request = {'id': 1, 'method': 'scan.picture', 'params': {'size': len(picture), 'mode': 'onboarding'}}
        link.socket.sendall(json.dumps(request).encode() + b'\n' + picture[:self.dice.choice([len(picture), 1000])])
        time.sleep(self.dice.uniform(0, 0.03))
        link.close()
        self.log.count('left while judged')
        until = time.monotonic() + 5
        while True:
            try:
                outcome = self.confirm(picture)
                break
            except Refused as error:
                if time.monotonic() > until:
                    self.log.violation('held', f'after a client had left, another was refused: {error}')
                    return
                time.sleep(0.02)
        if outcome != 'confirmed':
            self.log.violation('confirm', f'a fresh token was {outcome}')
        self.used(token, picture)

    def onboard_live(self):
        """A signed code before the camera: accepted, confirmed, and refused from then on."""
        camera = self.one_camera()
        token = self.codes.token(camera=camera.name)
        which = {'camera': camera.name} if camera.name else {}
        with self.operator() as link:
            link.request('subscribe', events=['scan.*'])
            link.request('scan.begin', mode='onboarding', context={'soak': True}, **which)
            self.show(token, camera)
            event = link.wait(lambda e: e['event'] == 'scan.successful' and e.get('text') == token, 8)
            if not event:
                self.log.violation('live', 'a signed code before the camera was not accepted within 8 s')
                return
            link.request('scan.confirm', **which)
            # Pictures of it are looked at as if they came from the first.
            self.codes.known(token, self.camera.name)
            self.used(token, making.picture(token))
            self.log.count('confirmed live')
            link.request('scan.begin', mode='onboarding', **which)
            event = link.wait(lambda e: e['event'] in ('scan.invalid', 'scan.successful') and e.get('camera') == camera.name, 8)
            if event and (event['event'] == 'scan.successful' and event.get('text') == token):
                self.log.violation('replay', 'a token that was confirmed was accepted again before the camera')
        self.show(self.codes.plain(camera.name), camera)

    def sample(self):
        while not self.over:
            life, use = len(self.service.lives), self.service.use()
            # One that is ending has no memory any more.
            if use and use['memory'] > 1 and life == len(self.service.lives):
                use.update(at=round(time.monotonic() - self.began, 1), life=life,
                           age=round(time.monotonic() - self.service.lives[-1]['started'], 1))
                self.samples.append(use)
            time.sleep(1)

    # ---- The run.

    def run(self):
        self.over = False
        self.until_restarted()
        witnesses = [Witness(self.path, f'witness {number}', self.log, self.codes) for number in range(3)]
        witnesses[0].is_recorded = True
        for witness in witnesses:
            witness.start()
        threading.Thread(target=self.sample, daemon=True).start()
        self.counter = Counter(self.path)
        self.counter.start()
        if self.until_well(30) is None:
            self.log.violation('unwell', 'no code was read after the start')
        if self.options.frames:
            self.count_frames()
        else:
            self.suffer()
        # Quiet again: no client connects, nothing breaks; what was confirmed is asked once more.
        time.sleep(12)
        self.final = self.service.use()
        self.check_used(300)
        for witness in witnesses:
            witness.stopping = True
        self.counter.stopping = True
        took = self.service.stop()
        if took > 2:
            self.log.violation('stop', f'it took {took:.1f} s to stop')
        self.over = True
        for witness in witnesses:
            witness.join(5)
        self.compared = compare(witnesses, self.log)
        self.given = {camera.name or 'camera': {**camera.given, **self.counter.total(camera.name)} for camera in self.cameras}
        for camera in self.cameras:
            camera.end()
        self.group.remove()

    def suffer(self):
        crowd = [Crowd(self.path, self.log, self.options.seed + number) for number in range(4)]
        for client in crowd:
            client.start()
        faults = Faults(self, self.options.seed)
        end = self.began + 60 * self.options.minutes
        while time.monotonic() < end:
            until = time.monotonic() + self.dice.uniform(1, 8)
            while time.monotonic() < until:
                try:
                    self.work()
                except (OSError, ValueError, Refused, TimeoutError) as error:
                    self.log.violation('work', f'{type(error).__name__}: {error}')
            # In the last third nothing ends the service: what grows has time to.
            faults.once(gently=time.monotonic() > self.began + 40 * self.options.minutes)
        for client in crowd:
            client.stopping = True

    def count_frames(self):
        """As many frames as the camera gets rid of."""
        with self.operator() as link:
            def frames():
                return link.request('status')['statistics']['frames']
            start = frames()
            self.camera.tell(f'burst {self.options.frames + 100000}')
            told, shown = time.monotonic(), 0
            while (now := frames())['captured'] - start['captured'] < self.options.frames:
                self.show_fresh()
                shown += 1
                time.sleep(1)
                if time.monotonic() - told > 60:
                    told = time.monotonic()
                    print(f'{told - self.began:8.1f}  {now}', file=sys.stderr, flush=True)
            self.frames = {key: now[key] - start[key] for key in ('captured', 'bad', 'lost')}
            if self.frames['lost'] or self.frames['bad']:
                self.log.violation('frames', f'of {self.options.frames} frames some were lost or bad: {self.frames}')
            self.camera.tell('burst 0')
            self.camera.tell('rate 30')
            self.log.count('fresh codes shown', shown)
