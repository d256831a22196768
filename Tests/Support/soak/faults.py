"""What is done to the service while it runs. Every fault ends by making good again; then the service must be well."""
import contextlib
import os
import random
import signal
import subprocess
import threading
import time

import codes as making
from clients import Link, Refused

DAY = 86_400


def runs(process):
    """Whether a process is there and is not only waiting to be reaped."""
    try:
        return open(f'/proc/{process}/stat').read().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def processors():
    """The time that all processors of the machine have had, and how much of it they were idle."""
    with open('/proc/stat') as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return sum(fields), fields[3] + fields[4]


def signalled(process, number):
    """Sends a signal. Returns whether a process received it."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return False
    return True


class Faults:
    """Needs `soak`, which holds service, camera, clock, codes, folders."""

    def __init__(self, soak, seed):
        self.soak, self.dice = soak, random.Random(seed)
        # How often each comes up, relative to the others.
        self.kinds = {
            self.unplug: 4, self.freeze: 2, self.bad_frames: 3, self.refused_queue: 2, self.stream_fails: 3, self.busy: 2,
            self.lies: 2,
            self.disk_full: 3, self.clock_ahead: 3, self.clock_back: 3, self.descriptors_out: 3, self.memory_short: 3,
            self.out_of_memory: 1, self.killed: 4, self.killed_confirming: 5, self.told_to_stop: 1, self.reload: 2,
            self.scene_changed: 3, self.scene_broken: 2, self.worker_ended: 3, self.worker_hangs: 3, self.poison: 2, self.misleading: 4,
            self.worker_out_of_memory: 2, self.greedy: 3, self.endless_bodies: 3, self.log_unread: 2,
        }

    def once(self, gently):
        """One fault; `gently`: none that ends the service, so that one run of it gets old."""
        deadly = (self.out_of_memory, self.memory_short, self.killed, self.killed_confirming, self.told_to_stop)
        kinds = {kind: often for kind, often in self.kinds.items() if not gently or kind not in deadly}
        kind = self.dice.choices(list(kinds), list(kinds.values()))[0]
        name = kind.__name__
        before = time.monotonic()
        try:
            done = kind()
        except (OSError, ValueError, Refused, TimeoutError) as error:
            done = None
            self.soak.log.violation('fault', f'{name}: {type(error).__name__}: {error}')
        if done == 'skipped':
            self.soak.log.skip(name)
            return
        healthy = self.soak.until_well(40)
        entry = {'fault': name, 'at': round(before - self.soak.began, 1), 'took': round(time.monotonic() - before, 2),
                 'well after': None if healthy is None else round(healthy, 2)}
        if isinstance(done, dict):
            entry.update(done)
        if healthy is None:
            self.soak.log.violation('unwell', f'{name}: no fresh code was read within 40 s of its end')
        self.soak.log.fault(entry)

    def pause(self, least, most):
        time.sleep(self.dice.uniform(least, most))

    # ---- The camera.

    @contextlib.contextmanager
    def one_camera(self):
        """The camera to which something happens. Where there is another, all of its frames arrive meanwhile."""
        soak = self.soak
        camera = soak.one_camera(self.dice)
        others = [other for other in soak.cameras if other is not camera]
        # Asked in this order, and the other way round afterwards, so that frames on their way are never missing.
        before = [(soak.frames_of(other.name), other.given) for other in others]
        total, idle = processors()
        yield camera
        now_total, now_idle = processors()
        # A camera whose buffers come back late leaves frames out. On a full machine everything comes late.
        is_full = now_idle - idle < 0.1 * (now_total - total)
        for other, (frames, given) in zip(others, before):
            gave = other.given['given'] - given['given']
            now = soak.frames_of(other.name)
            came, bad, lost = (now[key] - frames[key] for key in ('captured', 'bad', 'lost'))
            soak.log.count('frames of the other camera', came)
            soak.log.count('frames of the other camera left out by a full machine' if is_full else 'frames of the other camera lost', bad + lost)
            # As many as have buffers may have been filled before and taken since, or still lie there.
            if bad or (lost and not is_full) or came < gave - 8:
                soak.log.violation('other camera', f'{camera.name} failed, and of {gave} frames of {other.name} {came} came, {bad} bad, {lost} lost')

    def unplug(self):
        with self.one_camera() as camera, self.soak.operator() as link:
            link.request('subscribe', events=['camera.status'])
            link.request('scan.begin', mode='barcode', **({'camera': camera.name} if camera.name else {}))
            camera.tell('unplug')
            told = time.monotonic()
            lost = link.wait(lambda e: e.get('status') == 'lost' and e.get('camera') == camera.name, 10)
            after = time.monotonic() - told
            self.pause(0.2, 4)
            camera.tell('plug')
            told = time.monotonic()
            back = link.wait(lambda e: e.get('status') == 'streaming' and e.get('camera') == camera.name, 15)
            if not lost or not back:
                self.soak.log.violation('unplug', f'lost told: {bool(lost)}, streaming again: {bool(back)}')
            return {'lost told after': round(after, 3), 'streaming after': round(time.monotonic() - told, 3)}

    def freeze(self):
        with self.one_camera() as camera:
            camera.tell('freeze')
            self.pause(1, 6)
            camera.tell('go')

    def bad_frames(self):
        with self.one_camera() as camera:
            for _ in range(self.dice.randint(1, 20)):
                camera.tell(self.dice.choice(['error', 'truncate 5']))
                self.pause(0.02, 0.2)

    def refused_queue(self):
        with self.one_camera() as camera:
            for _ in range(5):
                camera.tell('refuse-queue')
                self.pause(0.02, 0.3)

    def stream_fails(self):
        with self.one_camera() as camera:
            camera.tell('fatal')
            self.pause(0, 2)

    def busy(self):
        with self.one_camera() as camera:
            camera.tell('busy')
            camera.tell('fatal')
            self.pause(1, 4)
            camera.tell('free')

    def lies(self):
        """It gives another format than it was asked for and says so only in what it answers."""
        with self.one_camera() as camera, self.soak.operator() as link:
            link.request('subscribe', events=['camera.status'])
            told = {}
            for word, format_ in (('lie', 'YUYV'), ('honest', 'MJPG')):
                camera.tell(word)
                camera.tell('fatal')
                told[format_] = bool(link.wait(
                    lambda e, format_=format_: e.get('status') == 'streaming' and e.get('format') == format_ and e.get('camera') == camera.name, 15))
            if not all(told.values()):
                self.soak.log.violation('lies', f'streaming told, by format: {told}')

    # ---- The machine.

    def disk_full(self):
        """A confirmation cannot be written: the client gets an error, nothing is confirmed, and a later attempt succeeds."""
        token, names = self.soak.codes.token(), []
        picture = making.picture(token)
        probe = os.path.join(self.soak.state, 'replay', 'probe')
        try:
            # Blocks and names: until a file of one byte can no longer be made.
            while True:
                names.append(os.path.join(self.soak.state, f'filler-{len(names)}'))
                try:
                    with open(names[-1], 'wb', buffering=0) as file:
                        while file.write(bytes(1 << 16)):
                            pass
                except OSError:
                    pass
                try:
                    with open(probe, 'wb', buffering=0) as file:
                        file.write(b'x')
                    os.unlink(probe)
                except OSError:
                    break
            if os.path.exists(probe):
                os.unlink(probe)
            # A record that is empty would do no harm, but here there is not even a name left for it.
            while os.statvfs(self.soak.state).f_favail:
                names.append(os.path.join(self.soak.state, f'filler-{len(names)}'))
                open(names[-1], 'w').close()
            outcome = self.soak.confirm(picture)
            if outcome != 'internalError':
                self.soak.log.violation('disk', f'a confirmation on a full disk gave {outcome}')
        finally:
            for name in names:
                if os.path.exists(name):
                    os.unlink(name)
        again = self.soak.confirm(picture)
        if again != 'confirmed':
            self.soak.log.violation('disk', f'with room again it gave {again}')
        self.soak.used(token, picture)
        return {'full': outcome, 'room again': again}

    def clock(self, seconds):
        fresh = self.soak.codes.token()
        picture = making.picture(fresh)
        self.soak.clock.set(seconds)
        try:
            time.sleep(0.3)
            there = self.soak.verdict(picture)
            wanted = 'expired' if seconds > DAY + 120 else 'notYetValid' if seconds < -120 else 'successful'
            if there != wanted:
                self.soak.log.violation('clock', f'{seconds:+} s: a fresh token was {there}, not {wanted}')
            self.soak.check_used(3, ('replayed', 'expired', 'notYetValid'))
            self.pause(1, 6)
        finally:
            self.soak.clock.set(0)
        self.soak.check_used(5)
        back = self.soak.confirm(picture)
        if back != 'confirmed':
            self.soak.log.violation('clock', f'after {seconds:+} s and back a fresh token was {back}')
        self.soak.used(fresh, picture)
        return {'jump': seconds, 'meanwhile': there, 'afterwards': back}

    def clock_ahead(self):
        return self.clock(self.dice.choice([600, 3700, 2 * DAY, 400 * DAY, 20 * 365 * DAY]))

    def clock_back(self):
        return self.clock(-self.dice.choice([600, 3700, 2 * DAY, 400 * DAY, 50 * 365 * DAY]))

    def descriptors_out(self):
        """No descriptor is left: connected clients are served, new ones wait or are refused, and the service does not spin."""
        service, links = self.soak.service, []
        held = max(int(name) for name in os.listdir(f'/proc/{service.pid}/fd'))
        service.limit_descriptors(held + 2)
        try:
            for _ in range(20):
                try:
                    links.append(Link(self.soak.path, timeout=0.3))
                except (OSError, ValueError):
                    pass
            before = time.monotonic(), self.soak.processor_time()
            self.pause(1, 4)
            spent = (self.soak.processor_time() - before[1]) / (time.monotonic() - before[0])
        finally:
            try:
                service.limit_descriptors(None)
            except OSError:
                pass
        got_in = len(links)
        for link in links:
            link.close()
        self.soak.one_camera(self.dice).tell('fatal')
        return {'of 20 got in': got_in, 'cores': round(spent, 2)}

    def memory_short(self):
        """Little more than what it cannot give back: code and cached pages have to be read again and again."""
        group, service = self.soak.group, self.soak.service
        if group.reason:
            return 'skipped'
        pid = service.pid
        try:
            with service.lock:
                service.wanted_end = 'memory'
            limit = group.squeeze(service.private_memory() + (10 << 20))
            self.pause(3, 8)
            used = group.used()
        finally:
            group.limit(None)
        with service.lock:
            if service.pid == pid:
                service.wanted_end = None
        self.soak.until_restarted()
        return {'limit MB': round(limit / 1e6, 1), 'used MB': round(used / 1e6, 1), 'left running': service.pid == pid}

    def out_of_memory(self):
        """A large picture needs more than there is: the kernel ends the service, or it lives on."""
        group, service = self.soak.group, self.soak.service
        if group.reason:
            return 'skipped'
        pid = service.pid
        side = 4000
        picture = b'P5\n%d %d\n255\n' % (side, side) + bytes(side * side)
        with service.lock:
            service.wanted_end = 'memory'
        answer = None
        try:
            group.limit(service.private_memory() + (10 << 20))
            with self.soak.operator() as link:
                link.socket.settimeout(10)
                answer = link.request('scan.picture', picture, size=len(picture), mode='barcode')['outcome']
        except (OSError, ValueError, Refused) as error:
            answer = type(error).__name__
        finally:
            group.limit(None)
        time.sleep(0.3)
        survived = service.pid == pid
        if survived:
            with service.lock:
                service.wanted_end = None
        self.soak.until_restarted()
        return {'answer': answer, 'survived': survived}

    # ---- The process.

    def killed(self):
        self.pause(0, 2)
        workers = self.soak.service.family()[1:]
        self.soak.service.end(signal.SIGKILL, 'kill')
        killed, left = time.monotonic(), workers
        while left and time.monotonic() - killed < 5:
            left = [pid for pid in left if runs(pid)]
        if left:
            self.soak.log.violation('orphan', f'workers outlived a service that was killed: {left}')
        gone = time.monotonic() - killed
        self.soak.until_restarted()
        return {'workers': len(workers), 'gone after': round(gone, 3)}

    def killed_confirming(self):
        """Killed around a confirmation: afterwards it counts or not; if it was answered, it counts."""
        token = self.soak.codes.token()
        picture = making.picture(token)
        pid = self.soak.service.pid
        try:
            first = self.soak.confirm(picture, killed_after=self.dice.uniform(0, 0.003))
        except (OSError, ValueError):
            first = 'cut off'
        self.soak.until_restarted(pid)
        second = self.soak.confirm(picture)
        allowed = {'confirmed': ('replayed',), 'cut off': ('confirmed', 'replayed')}.get(first, ('confirmed', 'replayed'))
        if second not in allowed:
            self.soak.log.violation('replay', f'killed while confirming: first {first}, then {second}')
        self.soak.used(token, picture)
        return {'first': first, 'then': second}

    def told_to_stop(self):
        pid, since = self.soak.service.pid, time.monotonic()
        process = self.soak.service.process
        self.soak.service.end(signal.SIGTERM, 'stop')
        process.wait(10)
        took = time.monotonic() - since
        if process.returncode != 0:
            self.soak.log.violation('stop', f'told to stop, it ended with {process.returncode}')
        self.soak.until_restarted(pid)
        return {'stopped after': round(took, 3)}

    def reload(self):
        self.soak.service.process.send_signal(signal.SIGHUP)
        self.pause(0.1, 1)
        self.soak.check_used(3)

    # ---- The workers.

    def worker_ended(self):
        """Crashes, as an overflow in a library would make them, again and again."""
        pid, ended = self.soak.service.pid, 0
        for _ in range(self.dice.randint(1, 8)):
            for worker in self.soak.service.family()[1:]:
                number = self.dice.choice([signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGKILL])
                ended += signalled(worker, number)
            self.pause(0.05, 1)
        self.still(pid)
        return {'workers': ended}

    def worker_hangs(self):
        """All of them stand still; those whom the service has given up by then are gone when they would go on."""
        pid, workers = self.soak.service.pid, self.soak.service.family()[1:]
        for worker in workers:
            signalled(worker, signal.SIGSTOP)
        self.pause(0.5, 8)
        left = sum(signalled(worker, signal.SIGCONT) for worker in workers)
        self.still(pid)
        return {'workers': len(workers), 'given up': len(workers) - left}

    def poison(self):
        """Pictures whose decoders hang, from several clients at once."""
        service, outcomes = self.soak.service, []
        pid, before = service.pid, set(service.family())
        picture = making.large(2048)

        def show():
            try:
                with self.soak.operator() as link:
                    link.socket.settimeout(40)
                    outcomes.append(link.request('scan.picture', picture, size=len(picture), mode='barcode')['outcome'])
            except (OSError, ValueError, Refused) as error:
                outcomes.append(type(error).__name__)
        threads = [threading.Thread(target=show) for _ in range(self.dice.randint(1, 4))]
        for thread in threads:
            thread.start()
        # Each picture has a worker of its own, which stands still until it is given up.
        while any(thread.is_alive() for thread in threads):
            for worker in set(service.family()) - before:
                signalled(worker, signal.SIGSTOP)
            time.sleep(0.005)
        for thread in threads:
            thread.join()
        if 'successful' in outcomes:
            self.soak.log.violation('wrong', 'a code was read in a picture that holds none')
        self.still(pid)
        return {'outcomes': ' '.join(sorted(outcomes))}

    def misleading(self):
        """Signed codes with an address of a host that is not on the list, in any place, form and disguise."""
        pid, maker, reasons = self.soak.service.pid, making.payloads(), []
        until = time.monotonic() + self.dice.uniform(2, 8)
        while time.monotonic() < until:
            _, text = maker.made('built-in', False, self.dice, True)
            # `sign` takes objects: other payloads are shown without a signature, and those that do not fit a code are left out.
            try:
                text = self.soak.codes.signed(text) if text.startswith('{') else text
                picture = making.picture(text)
            except subprocess.CalledProcessError:
                continue
            found = self.soak.verdict(picture)
            reasons.append(found)
            if found == 'successful':
                self.soak.log.violation('misled', f'a payload that leads to a refused host was accepted: {text}')
        self.still(pid)
        return {'judged': len(reasons), 'reasons': ' '.join(sorted(set(reasons)))}

    def greedy(self):
        """Many that ask and watch and never read, then go."""
        pid, crowd = self.soak.service.pid, []
        asking = b'{"id":1,"method":"subscribe"}\n' + b'{"id":1,"method":"status"}\n' * 2000
        try:
            for _ in range(self.dice.randint(20, 120)):
                link = self.soak.operator()
                crowd.append(link)
                link.socket.setblocking(False)
                try:
                    link.socket.send(asking)
                except BlockingIOError:
                    pass
            self.pause(1, 8)
            memory = self.soak.service.use()
        finally:
            for link in crowd:
                link.socket.close()
        self.still(pid)
        return {'connections': len(crowd), 'memory': memory and memory['memory']}

    def endless_bodies(self):
        """Pictures that are announced and do not come, or come but for their last byte."""
        pid, crowd = self.soak.service.pid, []
        try:
            for _ in range(self.dice.randint(4, 24)):
                link = self.soak.operator()
                crowd.append(link)
                size = self.dice.choice([2000, 1 << 20, 16 << 20])
                link.socket.setblocking(False)
                try:
                    link.socket.send(b'{"id":1,"method":"scan.picture","params":{"size":%d}}\n' % size + b'x' * min(size - 1, 100_000))
                except BlockingIOError:
                    pass
            self.pause(1, 6)
            memory = self.soak.service.use()
        finally:
            for link in crowd:
                link.socket.close()
        self.still(pid)
        return {'connections': len(crowd), 'memory': memory and memory['memory']}

    def log_unread(self):
        """Standard error is not read, while clients make the service log much."""
        service = self.soak.service
        pid = service.pid
        service.reads_log.clear()
        try:
            until = time.monotonic() + self.dice.uniform(2, 8)
            while time.monotonic() < until:
                with self.soak.operator() as link:
                    link.socket.sendall(b'x' * 70_000)
                self.ping()
        finally:
            service.reads_log.set()
        self.still(pid)

    def ping(self):
        with self.soak.operator() as link:
            link.request('ping')

    def worker_out_of_memory(self):
        """Decoding a large picture needs more than there is: the kernel ends a worker, not the service."""
        group, service = self.soak.group, self.soak.service
        if group.reason:
            return 'skipped'
        pid, picture = service.pid, making.large(8000)
        try:
            group.limit(service.private_memory() + (60 << 20))
            with self.soak.operator() as link:
                link.socket.settimeout(40)
                outcome = link.request('scan.picture', picture, size=len(picture), mode='barcode')['outcome']
        except (OSError, ValueError, Refused) as error:
            outcome = error.code if isinstance(error, Refused) else type(error).__name__
        finally:
            group.limit(None)
        self.still(pid)
        return {'outcome': outcome}

    def still(self, pid):
        if self.soak.service.pid != pid:
            self.soak.log.violation('ended', 'the service ended with its workers')

    # ---- The scene.

    def scene_changed(self):
        path = os.path.join(self.soak.scene, 'scene.yaml')
        with self.soak.operator() as link:
            link.request('subscribe', events=['scene.*'])
            text = open(path).read()
            with open(path, 'w') as file:
                file.write(text.split('# soak')[0] + f'# soak {time.time()}\n')
            event = link.wait(lambda e: e['event'] in ('scene.loaded', 'scene.failed'), 30)
            if not event or event['event'] != 'scene.loaded':
                self.soak.log.violation('scene', f'a changed scene gave {event}')

    def scene_broken(self):
        path = os.path.join(self.soak.scene, 'scene.yaml')
        text = open(path).read()
        with self.soak.operator() as link:
            link.request('subscribe', events=['scene.*'])
            try:
                with open(path, 'w') as file:
                    file.write('anchors: [{')
                event = link.wait(lambda e: e['event'] in ('scene.loaded', 'scene.failed'), 30)
            finally:
                with open(path, 'w') as file:
                    file.write(text)
            if not event or event['event'] != 'scene.failed':
                self.soak.log.violation('scene', f'a broken scene gave {event}')
            event = link.wait(lambda e: e['event'] in ('scene.loaded', 'scene.failed'), 30)
            if not event or event['event'] != 'scene.loaded':
                self.soak.log.violation('scene', f'a mended scene gave {event}')
