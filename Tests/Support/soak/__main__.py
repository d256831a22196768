"""The command behind Scripts/soak."""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile

import report
from clients import Link, Record
from soak import ROOT, Soak


def main():
    parser = argparse.ArgumentParser(prog='Scripts/soak')
    parser.add_argument('minutes', nargs='?', type=float, default=40)
    parser.add_argument('--frames', type=int)
    parser.add_argument('--cameras', type=int, choices=(1, 2), default=1)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--output', default=os.path.join(ROOT, '.build', 'soak'))
    parser.add_argument('--waymark', default=os.path.join(ROOT, '.build', 'release', 'waymark-station'))
    parser.add_argument('--record')
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    if not os.access(options.waymark, os.X_OK):
        sys.exit(f'{options.waymark} is not there: build it first (Scripts/run does).')
    # SIGTERM raises SystemExit, so that everything is cleaned up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Short, because a socket's path is.
    folder = tempfile.mkdtemp(prefix='wm-soak-', dir='/tmp')
    soak = None
    if options.record:
        Link.record = Record(options.record)
    try:
        soak = Soak(options, folder)
        soak.run()
        result = report.report(soak)
        with open(f'{options.output}/report.json', 'w') as file:
            json.dump(result, file, indent=1)
        with open(f'{options.output}/report.txt', 'w') as file:
            file.write(report.text(result))
        print(report.text(result), end='')
    finally:
        if Link.record:
            Link.record.file.flush()
        if soak:
            soak.service.stopping = True
            if soak.service.process and soak.service.process.poll() is None:
                soak.service.process.kill()
            for camera in soak.cameras:
                if camera.process.poll() is None:
                    camera.end()
        subprocess.run(['cp', f'{folder}/service.log', options.output], check=False)
        subprocess.run(['umount', '-l', f'{folder}/state'], check=False)
        subprocess.run(['rm', '-rf', '--one-file-system', folder], check=False)
    sys.exit(1 if result['violations'] else 0)


main()
