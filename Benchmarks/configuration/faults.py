#!/usr/bin/env python3
"""Compares the check of a configuration with a start: writes configurations with one fault each and configurations without one, checks
each, and starts the program with it. Standard library.

  Benchmarks/configuration/faults.py [--faults N] [--honest N] [--seed N] [--jobs N] [PROGRAM...]

PROGRAM is waymark, waymark-station, waymark-gateway or waymark-bridge (default: all four of .build/release). A program
has started once it listens, and still runs, within 3 seconds. Prints a line of JSON for each program: `passed` counts the files with a fault
that pass the check and do not start, `unnamed` those that pass the check and start, `refused` the honest ones that the check refuses or that
do not start, and `differs` the files that check and start refuse with different words. Ends with 1 unless passed, refused and differs are 0.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..'))
LIMIT = 3.0
STARTED = re.compile('(^|: |"message":")listening|gateway .* listens on |bridge .* wait for ', re.MULTILINE)


class Bench:
    """A folder with the files that configurations name."""

    def __init__(self, folder):
        self.folder = folder
        write = lambda name, text, mode=0o600: (open(self.path(name), 'w').write(text), os.chmod(self.path(name), mode))
        write('empty', '')
        write('text', 'neither a picture nor a key\n')
        write('secret', 'user:password-of-some-length\n')
        write('token', 'a-token-of-some-length-1\n')
        write('token2', 'a-token-of-some-length-2\n')
        write('open', 'a-token-of-some-length-3\n', 0o644)
        write('short', 'short\n')
        write('list.json', '[{"text": "4006381333931", "amount": 4}]')
        write('twice.json', '[{"text": "A", "amount": 1}, {"text": "A", "amount": 2}]')
        write('lens.yaml', 'image_width: 640\nimage_height: 480\ncamera_matrix: {rows: 3, cols: 3, data: [600, 0, 320, 0, 600, 240, 0, 0, 1]}\n')
        os.mkdir(self.path('bare'))
        os.mkdir(self.path('state'))
        for name, options in (('a', 'rsa:2048'), ('b', 'rsa:2048')):
            subprocess.run(['openssl', 'req', '-x509', '-newkey', options, '-nodes', '-keyout', self.path(name + '.key'), '-out',
                            self.path(name + '.pem'), '-days', '9', '-subj', '/CN=localhost'], check=True, capture_output=True)
            os.chmod(self.path(name + '.key'), 0o600)
            public = subprocess.run(['openssl', 'pkey', '-in', self.path(name + '.key'), '-pubout'], check=True, capture_output=True)
            open(self.path(name + '.pub'), 'wb').write(public.stdout)

    def path(self, name):
        return os.path.join(self.folder, name)


def service(bench, chance, station):
    """Sections that may be in a file, and the faults that replace one of them: pairs of a section and its text."""
    at = bench.path
    frames, scenes = TOP + '/Samples/frames', TOP + '/Samples/scenes'
    word = lambda: ''.join(chance.choice('abcdefghij') for _ in range(7))
    honest = {
        'source': ['{path: %s, rate: %d}' % (frames, chance.randint(1, 60)), '{path: %s, loop: false}' % frames,
                   '{path: "http://127.0.0.1:9/x", credentials: %s}' % at('secret')],
        'camera': ['{rotation: "%d", mirror: true}' % chance.choice([0, 90, 180]), '{calibrations: [%s]}' % at('lens.yaml'),
                   '{calibrations: ["usb=%s"], width: 1280}' % at('lens.yaml')],
        'scan': ['{barcodeSymbologies: [qr, ean13]}', '{onboardingSymbologies: [qr], rate: %d}' % chance.randint(1, 30), '{autoBegin: barcode}'],
        'trigger': ['{key: KEY_F5}', '{device: /dev/input/none, key: "28"}', '{device: /dev/input/none, key: enter, mode: onboarding}'],
        'replay': ['{folder: %s}' % at('state/' + word()), '{folder: %s}' % at('state/a/' + word())],
        'gallery': ['{folders: [%s]}' % frames],
        'scenes': ['{folders: [%s], load: pump-room, cache: %s}' % (scenes, at('state/cache')), '{folders: [%s]}' % scenes],
        'onboarding': ['{keyFiles: [%s], hosts: ["*.example.com"]}' % at('a.pub'), '{kinds: [sapOnboarding], ports: [443]}'],
        'log': ['{level: %s}' % chance.choice(['info', 'debug'])],
        'roles': ['{observers: {users: [root], pictures: true}}', '{operators: {groups: ["0"]}}'],
        'profiles': ['{day: {scan: {barcodeSymbologies: [code128]}}}', '{a: {when: {days: [mon]}, onboarding: {ports: [8443]}}}'],
        'clients': ['{maximum: %d}' % chance.randint(16, 400)],
    }
    nowhere, notes = at('none/' + word()), at('text')
    faults = [
        ('source', '{path: %s}' % nowhere), ('source', '{path: %s}' % at('bare')), ('source', '{path: "ftp://x/%s"}' % word()),
        ('source', '{path: %s, rate: 0}' % frames), ('source', '{path: "rtsp://a:b@host/"}'),
        ('source', '{path: "http://127.0.0.1:9/", credentials: %s}' % nowhere), ('source', '{path: %s, credentials: %s}' % (frames, at('open'))),
        ('camera', '{calibrations: [%s]}' % nowhere), ('camera', '{calibrations: [%s]}' % notes), ('camera', '{rotaton: "90"}'),
        ('camera', '{rotation: %d}' % chance.choice([1, 45])), ('scan', '{barcodeSymbologies: [qr, %s]}' % word()),
        ('scan', '{barcodeSymbologies: [qr, ean]}'), ('scan', '{onboardingSymbologies: [%s]}' % word()), ('scan', '{autoBegin: %s}' % word()),
        ('trigger', '{device: /dev/input/none, key: KEY_FOO}'), ('trigger', '{key: %s}' % word()), ('trigger', '{camera: %s}' % word()),
        ('replay', '{folder: %s/x}' % notes), ('replay', '{folder: /proc/%s}' % word()), ('replay', '{folder: %s}' % notes),
        ('gallery', '{folders: [%s]}' % nowhere), ('scenes', '{folders: [%s]}' % nowhere), ('scenes', '{folders: [%s], load: %s}' % (scenes, word())),
        ('scenes', '{cache: %s}' % notes), ('anchors', '{library: %s}' % nowhere), ('anchors', '{library: %s}' % at('bare')), ('anchors', '{copies: 0}'),
        ('onboarding', '{keyFiles: [%s]}' % nowhere), ('onboarding', '{keyFiles: [%s]}' % notes), ('onboarding', '{kinds: [%s]}' % word()),
        ('onboarding', '{hosts: ["a b"]}'), ('onboarding', '{signatures: required}'), ('roles', '{observers: {users: [%s]}}' % word()),
        ('socket', '{group: %s}' % word()), ('socket', '{path: %s}' % notes), ('socket', '{path: %s/a/b/s}' % at('none')),
        ('socket', '{path: %s}' % ('/tmp/' + 'x' * 120)), ('profiles', '{p: {scan: {barcodeSymbologies: [%s]}}}' % word()),
        ('profiles', '{p: {onboarding: {keyFiles: [%s]}}}' % nowhere), ('profiles', '{p: {when: {times: ["%d-9"]}}}' % chance.randint(1, 9)),
        ('cameras', '{desk: {device: d, scan: {barcodeSymbologies: [%s]}}}' % word()), ('cameras', '{desk: {source: {path: %s}}}' % nowhere),
        ('cameras', '{"a b": {device: d}}'), ('log', '{level: %s}' % word()), (word(), '{}'), ('clients', '[]'), ('isolation', 'maybe'),
    ]
    if station:
        honest |= {'documents': ['{folder: %s, keyFile: %s}' % (at('state/pages'), at('state/key'))], 'forms': ['{folder: %s}' % at('state/forms')],
                   'signatures': ['{folder: %s}' % at('state/ink')], 'count': ['{expected: %s}' % at('list.json')], 'type': ['{suffix: "{Enter}"}'],
                   'accounts': ['{modules: [passcode], folder: %s}' % at('state/users-' + word())]}
        faults += [('documents', '{folder: %s}' % notes), ('documents', '{output: %s/x}' % notes), ('documents', '{keyFile: %s}' % notes),
                   ('documents', '{keyFile: %s}' % nowhere), ('forms', '{folder: %s}' % notes), ('signatures', '{folder: /proc/%s}' % word()),
                   ('accounts', '{modules: [passcode], folder: %s/x}' % notes), ('accounts', '{modules: []}'), ('accounts', '{modules: [activation]}'),
                   ('count', '{expected: %s}' % nowhere), ('count', '{expected: %s}' % notes), ('count', '{expected: %s}' % at('twice.json')),
                   ('text', '{patterns: {a: "("}}'), ('type', '{symbologies: [%s]}' % word())]
    return honest, faults


def gateway(bench, chance, _):
    at = bench.path
    nowhere, notes = at('none/x'), at('text')
    hook = lambda more: '{h: {url: "https://localhost:9/", %s}}' % more
    honest = {
        'tokens': ['{a: {file: %s}}' % at('token'), '{a: {file: %s, role: operator}, b: {file: %s}}' % (at('token'), at('token2'))],
        'tls': ['{certificateFile: %s, keyFile: %s}' % (at('a.pem'), at('a.key'))],
        'webhooks': [hook('secretFile: %s' % at('token')), hook('secretFile: %s, caFile: %s' % (at('token2'), at('b.pem')))],
        'hosts': ['[kiosk.example]'], 'streams': [str(chance.randint(1, 99))], 'store': ['{folder: %s}' % at('state/hooks')],
    }
    faults = [
        ('tokens', '{a: {file: %s}}' % nowhere), ('tokens', '{a: {file: %s}}' % at('open')), ('tokens', '{a: {file: %s}}' % at('short')),
        ('tokens', '{a: {file: %s}, b: {file: %s}}' % (at('token'), at('token'))), ('tokens', '{a: {file: %s, role: root}}' % at('token')),
        ('tls', '{certificateFile: %s, keyFile: %s}' % (at('a.pem'), at('b.key'))), ('tls', '{certificateFile: %s, keyFile: %s}' % (notes, at('a.key'))),
        ('tls', '{certificateFile: %s, keyFile: %s}' % (at('a.pem'), nowhere)), ('tls', '{certificateFile: %s}' % at('a.pem')),
        ('webhooks', hook('secretFile: %s' % nowhere)), ('webhooks', hook('secretFile: %s' % at('empty'))),
        ('webhooks', hook('secretFile: %s, caFile: %s' % (at('token'), nowhere))), ('webhooks', hook('secretFile: %s, caFile: %s' % (at('token'), notes))),
        ('webhooks', hook('secretFile: %s, events: ["a b"]' % at('token'))), ('streams', '0'), ('listen', '[nowhere]'), ('listen', '["0.0.0.0:0"]'),
        ('listen', '[%s]' % notes), ('listen', '[%s/s]' % at('none')), ('listen', '[%s/s]' % notes), ('streems', '1'), ('origins', '[x]'),
    ]
    return honest, faults


def bridge(bench, chance, _):
    at = bench.path
    nowhere, notes = at('none/x'), at('text')
    honest = {'broker': ['{host: localhost, port: 9}', '{port: 9, username: u, passwordFile: %s}' % at('secret'), '{port: 9, tls: {caFile: %s}}' % at('a.pem')],
              'device': ['d%d' % chance.randint(1, 99)], 'commands': ['[scan.begin]'], 'metricsFile': [at('state/figures')]}
    faults = [('broker', '{passwordFile: %s, username: u}' % nowhere), ('broker', '{passwordFile: %s, username: u}' % at('open')),
              ('broker', '{passwordFile: %s}' % at('secret')), ('broker', '{tls: {caFile: %s}}' % nowhere), ('broker', '{tls: {keyFile: %s}}' % at('a.key')),
              ('broker', '{port: 0}'), ('device', 'a/b'), ('commands', '[scan.confirm]'), ('metricsFile', nowhere), ('store', '{folder: %s}' % notes),
              ('store', '{folder: %s}' % nowhere), ('prefix', '"a#"'), ('statusEvery', '1'), ('events', '{scan.*: some}')]
    return honest, faults


def written(sections):
    return ''.join('%s: %s\n' % pair for pair in sections.items())


def verdict(program, name, text, folder):
    """Returns the status and the words of the check, and those of the start; a start that is still running has the status None."""
    os.mkdir(folder)
    file, place = folder + '/c.yaml', folder + '/s'
    if name == 'waymark-gateway' and 'listen:' not in text:
        text += 'listen: [%s, "127.0.0.1:0"]\n' % place if 'tokens:' in text else 'listen: [%s]\n' % place
    if name == 'waymark-bridge' and 'store:' not in text:
        text += 'store: {folder: %s/store}\n' % folder
    open(file, 'w').write(text)
    environment = {'PATH': os.environ['PATH'], 'HOME': folder}
    is_service = not name.endswith(('gateway', 'bridge'))
    check = [program, 'config', 'check', file] if is_service else [program, '--check', '--config', file]
    start = [program, 'serve', '--config', file] if is_service else [program, '--config', file]
    if is_service and 'socket:' not in text:
        start += ['--socket', place]
    checked = subprocess.run(check, env=environment, capture_output=True, timeout=60)
    with open(folder + '/log', 'wb') as log:
        run = subprocess.Popen(start, env=environment, stdout=log, stderr=log)
    end = time.monotonic() + LIMIT
    said = lambda: open(folder + '/log', errors='replace').read()
    while run.poll() is None and time.monotonic() < end and not STARTED.search(said()):
        time.sleep(0.02)
    time.sleep(0.1)
    status = run.poll() if run.poll() is not None or STARTED.search(said()) else 'silent'
    if run.poll() is None:
        run.send_signal(signal.SIGTERM)
        try:
            run.wait(5)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
    words = (checked.stdout + checked.stderr).decode(errors='replace'), said()
    shutil.rmtree(folder)
    return checked.returncode, words[0], status, words[1]


def measured(program, options, root):
    name = os.path.basename(program)
    make = {'waymark-gateway': gateway, 'waymark-bridge': bridge}.get(name, service)
    chance = random.Random(options.seed)
    bench = Bench(tempfile.mkdtemp(dir=root))
    cases = []
    for number in range(options.faults + options.honest):
        honest, faults = make(bench, chance, name == 'waymark-station')
        sections = {key: chance.choice(values) for key, values in honest.items() if chance.random() < 0.4}
        fault = None
        if number < options.faults:
            fault = faults[number % len(faults)]
            # A fault is not hidden by a section that decides before it.
            sections.pop(fault[0], None)
            sections = {**sections, fault[0]: fault[1]} if chance.random() < 0.5 else {fault[0]: fault[1], **sections}
            if fault[0] == 'listen' and name == 'waymark-gateway' and 'tokens' not in sections:
                sections['tokens'] = honest['tokens'][0]
        if sections.get('tls') and 'tokens' not in sections:
            sections['tokens'] = honest['tokens'][0]
        cases.append((fault, written(sections)))
    found = {'program': name, 'faults': options.faults, 'honest': options.honest, 'passed': 0, 'unnamed': 0, 'refused': 0, 'differs': 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(verdict, program, name, text, '%s/%d' % (bench.folder, n)) for n, (_, text) in enumerate(cases)]
        for (fault, text), run in zip(cases, runs):
            checked, words, started, log = run.result()
            kind = None
            if fault is None:
                kind = 'refused' if checked != 0 or started is not None else None
            elif checked == 0:
                kind = 'unnamed' if started is None else 'passed'
            elif checked != started or not words or re.sub(r'^\S+Z ', '', words).splitlines()[0].split('. ')[0] not in log:
                kind = 'differs'
            if kind:
                found[kind] += 1
                if options.verbose:
                    print('%s: %s check %s, start %s\n%s%s%s' % (kind, fault, checked, started, text, words, log[-600:]), file=sys.stderr)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--faults', type=int, default=2000)
    parser.add_argument('--honest', type=int, default=500)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--verbose', action='store_true', help='prints each file that counts, with what check and start say')
    parser.add_argument('programs', nargs='*', metavar='PROGRAM')
    options = parser.parse_args()
    names = ('waymark', 'waymark-station', 'waymark-gateway', 'waymark-bridge')
    good = True
    for program in options.programs or ['%s/.build/release/%s' % (TOP, name) for name in names]:
        with tempfile.TemporaryDirectory(prefix='wm-') as root:
            found = measured(os.path.realpath(program), options, root)
        print(json.dumps(found), flush=True)
        good = good and not (found['passed'] or found['refused'] or found['differs'])
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()
