#!/usr/bin/env python3
"""Count the instructions of each way of a frame on arm64, beside amd64's, so that a kernel without vector instructions shows.

  instructions.py [--here .build/release] [--there .build/arm64/package] [--root .build/arm64/sysroot]

Both run under qemu-user with a plugin that counts (count.c, compiled here). amd64 is told to be a Nehalem, whose vectors are as wide as
those of arm64 and which is the least that the packages want. Of each way a few frames and more are looked at: the difference is what a
frame takes, without the start of the program. Prints millions of instructions a frame for each, and their ratio.
Needs: apt install gcc qemu-user (7 to 8: later ones have other plugins); Scripts/test and Scripts/package --arch arm64 done before
"""
import argparse
import glob
import os
import pathlib
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--here', default='.build/release')
    parser.add_argument('--there', default='.build/arm64/package')
    parser.add_argument('--root', default='.build/arm64/sysroot')
    a = parser.parse_args()
    os.chdir(TOP)
    frames = sorted(glob.glob('Samples/frames/*.jpg'))
    walk = sorted(glob.glob('Samples/sequences/pump-room/*.jpg'))[40:]
    pages = [f'Samples/papers/letter-{n}.jpg' for n in (1, 2)]
    with tempfile.TemporaryDirectory() as work:
        plugin, counted, library = f'{work}/count.so', f'{work}/counted', f'{work}/library'
        subprocess.run(['gcc', '-shared', '-fPIC', '-O2', str(TOP / 'Benchmarks/arm64/count.c'), '-o', plugin], check=True)
        anchors = [f'Samples/scenes/pump-room/{name}.jpg' for name in ('cabinet', 'manifold', 'pump-7')]
        subprocess.run([f'{a.here}/waymark', 'anchors', 'build', *anchors, '-o', library], check=True, stdout=subprocess.DEVNULL)
        one = ['--jobs', '1']
        # What is done, with which frames, how many of them at first and then.
        ways = [('codes of every kind, one look', ['scan', '--effort', 'live', *one], frames, 2, 10),
                ('QR codes, one look', ['scan', '--effort', 'live', '--formats', 'qr', *one], frames, 2, 10),
                ('codes of every kind, a still', ['scan', *one], frames, 1, 3),
                ('anchors searched', ['anchors', 'match', library], walk, 1, 4),
                ('anchors followed', ['anchors', 'track', library], walk, 4, 12),
                ('codes followed', ['anchors', 'codes'], frames, 4, 12),
                ('a page found', ['documents', 'find', *one], pages, 1, 2)]

        def count(emulator, program, arguments):
            done = subprocess.run([*emulator, '-plugin', f'{plugin},count={counted}', program, *arguments], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE)
            if not os.path.exists(counted):
                raise SystemExit(f'{program} {arguments[0]} was not counted: {done.stderr.decode()}')
            number = int(pathlib.Path(counted).read_text())
            os.remove(counted)
            return number

        sides = [(['qemu-x86_64', '-cpu', 'Nehalem'], f'{a.here}/waymark'), (['qemu-aarch64', '-L', a.root], f'{a.there}/waymark')]
        print(f'{"":32} {"amd64":>10} {"arm64":>10}  ratio   (millions of instructions a frame)')
        for name, arguments, pictures, few, many in ways:
            each = [(count(*side, arguments + pictures[:many]) - count(*side, arguments + pictures[:few])) / (many - few) / 1e6 for side in sides]
            print(f'{name:32} {each[0]:10.1f} {each[1]:10.1f} {each[1] / each[0]:6.2f}', flush=True)


main()
