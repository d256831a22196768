"""The service under a supervisor, as systemd would run it, and a camera of software before it."""
import errno
import os
import resource
import signal
import struct
import subprocess
import threading
import time


class Service:
    """Starts the service, and again whenever it ends."""

    def __init__(self, command, environment, log, output, group):
        self.command, self.environment, self.log, self.output = command, environment, log, output
        self.group = group
        self.process = None
        self.reads_log = threading.Event()   # cleared: the service's log is not read
        self.reads_log.set()
        self.lives = []          # one entry a run: started, ended, status, wanted
        self.wanted_end = None   # why the end that comes is one of ours
        self.stopping = False
        self.lock = threading.RLock()
        self.thread = threading.Thread(target=self.supervise, daemon=True)
        self.thread.start()

    def supervise(self):
        while not self.stopping:
            with self.lock:
                self.wanted_end = None
                source, target = os.pipe()
                self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.DEVNULL,
                                                stdout=subprocess.DEVNULL, stderr=target,
                                                preexec_fn=self.group.enter)
                os.close(target)
                threading.Thread(target=self.copy_log, args=(source,), daemon=True).start()
                self.lives.append({'started': time.monotonic(), 'pid': self.process.pid})
            status = self.process.wait()
            with self.lock:
                life = self.lives[-1]
                life.update(ended=time.monotonic(), status=status, wanted=self.wanted_end)
                if self.wanted_end is None and not self.stopping:
                    self.log.violation('ended', f'the service ended by itself with {status}')
            if not self.stopping:
                time.sleep(0.2)

    def copy_log(self, source):
        """Copies what one run of the service says, while it is read at all."""
        with os.fdopen(source, 'rb', buffering=0) as file:
            while self.reads_log.wait() and (part := file.read(65536)):
                self.output.write(part)
                self.output.flush()

    @property
    def pid(self):
        return self.process.pid if self.process else None

    def end(self, number, why):
        """Sends a signal that ends it; the supervisor starts it again."""
        with self.lock:
            self.wanted_end = why
            self.process.send_signal(number)

    def stop(self):
        """Ends it for good; how long that took."""
        since = time.monotonic()
        self.stopping = True
        self.end(signal.SIGTERM, 'stop')
        self.thread.join(10)
        return time.monotonic() - since

    def family(self):
        """The processes of the service: itself and its workers."""
        found, pids = [self.pid], [self.pid]
        while pids:
            pid = pids.pop()
            try:
                for task in os.listdir(f'/proc/{pid}/task'):
                    children = open(f'/proc/{pid}/task/{task}/children').read().split()
                    found += map(int, children)
                    pids += map(int, children)
            except OSError:
                pass
        return found

    def use(self):
        """Memory in MB, descriptors and threads of all its processes together; None while it is not there."""
        memory = descriptors = threads = 0
        try:
            family = self.family()
            for pid in family:
                memory += int(open(f'/proc/{pid}/statm').read().split()[1]) * 4096 / 1e6
                descriptors += len(os.listdir(f'/proc/{pid}/fd'))
                threads += len(os.listdir(f'/proc/{pid}/task'))
        except (OSError, IndexError):
            return None
        return {'memory': round(memory, 1), 'descriptors': descriptors, 'threads': threads, 'processes': len(family)}

    def private_memory(self):
        """Bytes that cannot be read again from a file."""
        return sum(int(line.split()[1]) * 1024 for pid in self.family() for line in open(f'/proc/{pid}/status')
                   if line.startswith('RssAnon'))

    def limit_descriptors(self, number):
        hard = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (number or min(hard, 4096), hard))


class Clock:
    """The wall clock that the service sees (clock.c)."""

    def __init__(self, folder):
        self.path = os.path.join(folder, 'clock')
        self.set(0)

    def set(self, seconds):
        # In place and at once: the service has it mapped.
        with open(self.path, 'r+b' if os.path.exists(self.path) else 'wb') as file:
            file.write(struct.pack('<q', int(seconds * 1e9)))


class Camera:
    """The camera in user space of Tests/Support/fusecam."""

    def __init__(self, program, folder, rate, pictures, raw, name=None):
        self.folder, self.pictures, self.name = folder, pictures, name
        os.makedirs(folder, exist_ok=True)
        self.process = subprocess.Popen([program, '-r', str(rate), '-y', raw, '-b', f'fuse-{name or 0}', folder, *pictures],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()
        if self.process.stdout.readline().strip() != 'ready':
            raise SystemExit('the camera in user space does not start: needs root, /dev/fuse and libfuse3-dev')

    def tell(self, command):
        with self.lock:
            self.process.stdin.write(command + '\n')
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        if answer == 'unknown command' or not answer:
            raise RuntimeError(f'the camera does not understand {command}')
        return answer

    @property
    def given(self):
        """The frames that it filled, and those for which it had no buffer."""
        words = self.tell('stats').split()
        return {'given': int(words[1]), 'without a buffer': int(words[3])}

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class MemoryGroup:
    """A memory cgroup of the service's own, v1 or v2; `reason` says why it is missing."""

    def __init__(self):
        self.reason = None
        v1 = os.path.isdir('/sys/fs/cgroup/memory')
        self.folder = '/sys/fs/cgroup/memory/waymark-soak-%d' % os.getpid() if v1 else '/sys/fs/cgroup/waymark-soak-%d' % os.getpid()
        self.limit_file = 'memory.limit_in_bytes' if v1 else 'memory.max'
        self.unlimited = '-1' if v1 else 'max'
        try:
            os.makedirs(self.folder, exist_ok=True)
            self.limit(None)
        except OSError as error:
            self.reason = str(error)

    def limit(self, size):
        with open(f'{self.folder}/{self.limit_file}', 'w') as file:
            file.write(self.unlimited if size is None else str(int(size)))

    def squeeze(self, size):
        """Sets the least limit from `size` on that the kernel grants, and returns it: v1 refuses one below what it cannot take back at once,
        to which the workers of the moment belong."""
        for more in range(64):
            try:
                self.limit(size + (more << 22))
                return size + (more << 22)
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise
        raise OSError(errno.EBUSY, f'no limit up to {64 << 22} bytes more than {size} is granted')

    def enter(self):
        """To be called by the process that is about to become the service: all that it takes is counted."""
        if not self.reason:
            with open(f'{self.folder}/cgroup.procs', 'w') as file:
                file.write('0')

    def used(self):
        name = 'memory.usage_in_bytes' if 'limit_in' in self.limit_file else 'memory.current'
        return int(open(f'{self.folder}/{name}').read())

    def remove(self):
        try:
            os.rmdir(self.folder)
        except OSError:
            pass
