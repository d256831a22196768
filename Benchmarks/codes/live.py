#!/usr/bin/env python3
"""What reading codes from a running camera costs, and after how many frames a code is reported.

  Benchmarks/codes/live.py FOLDER [--only cost|look|delay] [--waymark WAYMARK] [--against WAYMARK] [--seconds N] [--phases N] [--write]

FOLDER holds photographs without a code. Frames of 640×480 are made of them: a camera that stands, with its noise, and one that a hand
holds. With --against another build does the same in the same run.

 cost   processor time of the armed service by process, decoding included, playing a room and the sample frames 30 times a second
 look   one look after the other in one process: mean, median and 99th percentile, beside libzbar's look at the same frames
 delay  rendered codes that come nearer, sharper or upright before the same rooms: the frame in which each is read first, begun at
        several frames of the scanner's turns

Needs zint, libzbar0, numpy and opencv-python-headless (PyPI), and a built .build/release/waymark.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np

from compare import ZBar

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import written

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..'))
sys.path.insert(0, os.path.join(TOP, 'Samples'))
from waymark_client import Connection

WIDTH, HEIGHT, RATE = 640, 480, 30
EVERYTHING = ['qr', 'ean13', 'ean8', 'upcA', 'upcE', 'code128', 'code39', 'code93', 'codabar', 'itf', 'dataBar', 'dataBarExpanded',
              'dataBarLimited', 'dataMatrix', 'aztec', 'pdf417', 'microPDF417', 'microQR', 'rMQR', 'maxiCode']
# zint's number, the content, how large the symbol is at most in the frame, in pixels.
SYMBOLS = {'QR': (58, 'https://example.com/live/4711', 150), 'Micro QR': (97, '47110815', 110), 'Data Matrix': (71, 'LIVE-4711-0815', 120),
           'Aztec': (92, 'live 4711 0815', 130), 'PDF417': (55, 'live 4711 0815', 330), 'EAN-13': (13, '400638133393', 260),
           'Code 128': (20, 'LIVE4711', 320), 'MicroPDF417': (84, 'LIVE4711', 220), 'MaxiCode': (57, 'live 4711 0815', 220)}


class Camera:
    """Frames as a camera sees a photograph: a view that wanders over it, a little blur, noise."""

    def __init__(self, photograph, held, seed):
        self.noise, self.held = np.random.default_rng(seed), held
        scale = 1.35 * max(WIDTH / photograph.shape[1], HEIGHT / photograph.shape[0])
        self.scene = cv2.resize(photograph, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        self.room = (self.scene.shape[1] - WIDTH - 8, self.scene.shape[0] - HEIGHT - 8)

    def frame(self, number, label=None):
        t = number / RATE
        # Hand-held: sums of slow waves, up to about four pixels a frame.
        wander = [0.5 + 0.32 * np.sin(1.1 * t + a) + 0.15 * np.sin(2.9 * t + 2 * a) for a in (0.4, 1.7)] if self.held else [0.5, 0.5]
        map = np.float32([[1, 0, -4 - wander[0] * self.room[0]], [0, 1, -4 - wander[1] * self.room[1]]])
        picture = cv2.warpAffine(self.scene, map, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
        if label is not None:
            paper, alpha = label
            picture = (picture * (1 - alpha) + paper * alpha).astype(np.float32)
        picture = picture + self.noise.normal(0, 2.5, picture.shape)
        return np.clip(picture, 0, 255).astype(np.uint8)


def photographs(folder, number):
    paths = sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names
                   if name.lower().rsplit('.', 1)[-1] in ('jpg', 'jpeg', 'png'))
    random.Random(7).shuffle(paths)
    found = (cv2.imread(path, cv2.IMREAD_GRAYSCALE) for path in paths)
    return [picture for picture in found if picture is not None and min(picture.shape) >= 300][:number]


def rooms(pictures, held, folder, count):
    """`count` frames of each room, one room after the other, as a camera's JPEGs."""
    os.makedirs(folder)
    for room, picture in enumerate(pictures):
        camera = Camera(picture, held, room)
        for number in range(count):
            cv2.imwrite(f'{folder}/{room:02}-{number:03}.jpg', camera.frame(number), [cv2.IMWRITE_JPEG_QUALITY, 85])
    return folder


# MARK: cost

def family(pid):
    """The service and its workers, in the order in which these were started."""
    found = [pid]
    for task in os.listdir(f'/proc/{pid}/task'):
        found += sorted(map(int, open(f'/proc/{pid}/task/{task}/children').read().split()))
    return found


def processor_time(pid):
    """Seconds, of nanoseconds that the scheduler counts for each thread."""
    return sum(int(open(f'/proc/{pid}/task/{task}/schedstat').read().split()[0]) for task in os.listdir(f'/proc/{pid}/task')) / 1e9


def serve(waymark, frames, symbologies, seconds):
    """Processor time a frame of the service and of each worker, in milliseconds, and the lane's own times."""
    with tempfile.TemporaryDirectory(prefix='wm-', dir='/tmp') as folder:
        path, file = f'{folder}/s.sock', f'{folder}/waymark.yaml'
        json.dump({'source': {'path': frames, 'rate': RATE}, 'scenes': {'folders': [folder]}}, open(file, 'w'))
        process = subprocess.Popen([waymark, 'serve', '--config', file, '--socket', path], stderr=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while True:
            try:
                link = Connection(path, timeout=60)
                break
            except OSError:
                if time.monotonic() > until or process.poll() is not None:
                    sys.exit('the service did not start')
                time.sleep(0.02)
        link.request('scan.begin', mode='barcode', symbologies=symbologies)
        time.sleep(2)

        def look():
            figures = link.request('status')['statistics']
            return figures, {pid: processor_time(pid) for pid in family(process.pid)}

        before, used = look()
        time.sleep(seconds)
        after, spent = look()
        process.terminate()
        process.wait()
    count = after['frames']['captured'] - before['frames']['captured']
    lane = next(lane for lane in after['lanes'] if lane['name'] == 'barcode')
    parts = [1000 * (spent[pid] - used.get(pid, 0)) / count for pid in spent]
    return {'parts': parts, 'share': sum(parts) * RATE / 10, 'p50': 1000 * lane['p50'], 'p99': 1000 * lane['p99'], 'skipped': lane['skipped']}


def cost(options, pictures, folder):
    kinds = [('a room, camera standing', rooms(pictures, False, f'{folder}/standing', 30), EVERYTHING),
             ('a room, camera held', rooms(pictures, True, f'{folder}/held', 30), EVERYTHING),
             ('the sample frames', f'{TOP}/Samples/frames', EVERYTHING),
             ('a room, camera held, QR alone', f'{folder}/held', ['qr']),
             ('the sample frames, QR alone', f'{TOP}/Samples/frames', ['qr'])]
    rows = ['| frames of 640×480, 30 a second | symbologies | of a core | service; workers, a frame | lane, median; p99 |', '|---|---|---|---|---|']
    for name, frames, symbologies in kinds:
        for build in options.builds:
            told = serve(build, frames, symbologies, options.seconds)
            if build == options.waymark:
                rows.append(f'| {name.removesuffix(", QR alone")} | {"QR" if symbologies == ["qr"] else "all"} | {told["share"]:.1f} % | '
                            f'{told["parts"][0]:.2f}; {sum(told["parts"][1:]):.2f} ms | {told["p50"]:.1f}; {told["p99"]:.1f} ms |')
            parts = ' + '.join(f'{part:.2f}' for part in told['parts'])
            print(f'cost   {name}: {told["share"]:.1f} % of a core; a frame {sum(told["parts"]):.2f} ms (service and workers {parts}), the lane '
                  f'waits {told["p50"]:.2f} ms, p99 {told["p99"]:.2f} ms, {told["skipped"]} skipped  [{build}]', flush=True)
    if options.write:
        written.write('benchmarks.md', 'live', rows)


# MARK: look and delay

def scan(waymark, paths, *arguments):
    command = ['taskset', '-c', '0', waymark, 'scan', '--json', '--jobs', '1', '--effort', 'live', *arguments, *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def look(options, pictures, folder):
    os.sched_setaffinity(0, {0})
    zbar = ZBar()
    for kind, held, count in (('standing', False, 60), ('held', True, 60)):
        paths = []
        for room, picture in enumerate(pictures):
            camera = Camera(picture, held, room)
            for number in range(count):
                paths.append(f'{folder}/{kind}-{room:02}-{number:03}.pgm')
                cv2.imwrite(paths[-1], camera.frame(number))
        best = {}
        for _ in range(3):
            for build in options.builds:
                times = [1000 * report['elapsed'] for report in scan(build, paths)]
                best[build] = list(map(min, times, best.get(build, times)))
            frames = [cv2.imread(path, cv2.IMREAD_GRAYSCALE) for path in paths]
            times = [1000 * zbar.read(frame)[1] for frame in frames]
            best['libzbar'] = list(map(min, times, best.get('libzbar', times)))
        for name, times in best.items():
            times.sort()
            print(f'look   a room, camera {kind}: mean {statistics.mean(times):.2f} ms, median {times[len(times) // 2]:.2f}, p99 '
                  f'{times[int(0.99 * len(times))]:.2f}, most {times[-1]:.2f}; {statistics.mean(times) / statistics.mean(best["libzbar"]):.2f} of '
                  f'libzbar  [{name}]', flush=True)


def symbol(number, content):
    with tempfile.NamedTemporaryFile(suffix='.png') as file:
        subprocess.run(['zint', '-b', str(number), '-d', content, '-o', file.name, '--scale=4', '--whitesp=4', '--vwhitesp=4', '--notext'],
                       check=True, capture_output=True)
        return cv2.imread(file.name, cv2.IMREAD_GRAYSCALE)


def approach(how, part, picture, size, angle):
    """The label before the camera: `part` of the way, 0 to 1, by which it has become as easy to read as it ever is."""
    height, width = picture.shape
    factor = size / max(width, height)
    tilt, sigma = 0.0, 0.6
    if how == 'nearer': factor *= 0.25 + 0.75 * part
    if how == 'sharper': sigma = 4.5 * (1 - part) + 0.5
    if how == 'upright': tilt = 1.25 * (1 - part)
    cosine, sine = np.cos(angle), np.sin(angle)
    corners = []
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        x, y = x * width / 2 * factor, y * height / 2 * factor
        depth = 1 + 0.9 * np.sin(tilt) * y / max(1.0, height * factor)
        x, y = x / depth, y * np.cos(tilt) / depth
        corners.append((WIDTH / 2 + cosine * x - sine * y, HEIGHT / 2 + sine * x + cosine * y))
    map = cv2.getPerspectiveTransform(np.float32([(0, 0), (width, 0), (width, height), (0, height)]), np.float32(corners))
    # Drawn at three times the size, so that small modules are means of areas.
    fine = np.diag([3, 3, 1]) @ map
    shrink = dict(dsize=(WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    paper = cv2.resize(cv2.warpPerspective(picture, fine, (3 * WIDTH, 3 * HEIGHT), borderValue=255), **shrink)
    alpha = cv2.resize(cv2.warpPerspective(np.full_like(picture, 255), fine, (3 * WIDTH, 3 * HEIGHT)), **shrink) / 255.0
    paper = 35 + paper * (190 / 255)
    return cv2.GaussianBlur(paper, (0, 0), sigma), cv2.GaussianBlur(alpha, (0, 0), sigma)


def delay(options, pictures, folder):
    count, lead = 50, 60
    standing = [Camera(picture, False, 100 + room) for room, picture in enumerate(pictures)]
    empty = []
    for number in range(lead):
        empty.append(f'{folder}/empty-{number:03}.pgm')
        cv2.imwrite(empty[-1], standing[0].frame(number))
    table = {}
    for kind, (number, content, size) in SYMBOLS.items():
        picture = symbol(number, content)
        for how in ('nearer', 'sharper', 'upright', 'still there'):
            for trial in range(2):
                angle = [0.12, 0.7][trial]
                camera = Camera(pictures[trial % len(pictures)], trial == 1, trial)
                paths = []
                for frame in range(count):
                    part = 0.55 if how == 'still there' else frame / (count - 1)
                    label = approach('nearer' if how == 'still there' else how, part, picture, size, angle)
                    paths.append(f'{folder}/{kind.replace(" ", "")}-{frame:03}.pgm')
                    cv2.imwrite(paths[-1], camera.frame(frame, label))
                for build in options.builds:
                    for phase in range(options.phases):
                        first = phase * lead // options.phases
                        reports = scan(build, empty[:first] + paths)[first:]
                        read = next((i for i, report in enumerate(reports) if report['symbols']), count)
                        table.setdefault((kind, how), {}).setdefault(build, []).append(read)
    total = {build: [] for build in options.builds}
    for (kind, how), row in table.items():
        for build in options.builds: total[build] += row[build]
        told = '; '.join(f'mean {statistics.mean(row[b]):.1f}, most {max(row[b])}' for b in options.builds)
        print(f'delay  {kind}, {how}: frame {told}')
    for build in options.builds:
        print(f'delay  all {len(total[build])} sequences: mean {statistics.mean(total[build]):.2f} frames, not read {total[build].count(count)}  [{build}]')
    if len(options.builds) == 2:
        ours, theirs = (total[build] for build in options.builds)
        print(f'delay  earlier {sum(a < b for a, b in zip(ours, theirs))}, later {sum(a > b for a, b in zip(ours, theirs))}, alike '
              f'{sum(a == b for a, b in zip(ours, theirs))}')


def main():
    parts = {'cost': cost, 'look': look, 'delay': delay}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', help='photographs without a code')
    parser.add_argument('--only', choices=parts)
    parser.add_argument('--against', help='another build')
    parser.add_argument('--seconds', type=float, default=15)
    parser.add_argument('--phases', type=int, default=5)
    parser.add_argument('--rooms', type=int, default=8)
    parser.add_argument('--write', action='store_true', help='put the table of cost into docs/benchmarks.md')
    parser.add_argument('--waymark', default=os.path.join(TOP, '.build', 'release', 'waymark'))
    options = parser.parse_args()
    options.builds = [options.waymark] + [options.against] * (options.against is not None)
    pictures = photographs(options.folder, options.rooms)
    if not pictures:
        sys.exit(f'{options.folder} holds no pictures')
    for name, part in parts.items():
        if options.only in (None, name):
            with tempfile.TemporaryDirectory(prefix='wm-live-') as folder:
                part(options, pictures, folder)


if __name__ == '__main__':
    main()
