#!/usr/bin/env python3
"""Measure the fitted recogniser on renders held out (faces and seeds that fitting never sees), and on folders of pictures of single lines.

  evaluate.py CHECKPOINT STOCK [--count N] [--calibrate] [--write FOLDER]     a table by kind of line, and how its confidence fits
  evaluate.py CHECKPOINT --pictures PICTURE…                                 reads pictures of one line each: NDJSON as `waymark text --json` writes it

--calibrate writes the temperature that fits best into the checkpoint; --write leaves the renders as PICTURES, which `export.py --lines` takes the ranges of
activations from. The eight bits of the file are measured with --rounded. Needs: pip install torch numpy opencv-python-headless pillow
"""
import argparse
import json
import os
import time

import cv2
import numpy as np
import torch
from torch.nn import functional

import export
import network
import render


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[:], i
        for j, y in enumerate(b, 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
    return row[-1]


def line(picture, widen=1.0):
    """Gives the network's view of a picture of one line, so much wider than it is."""
    scale = network.HEIGHT / picture.shape[0]
    width = min(1600, max(8, round(picture.shape[1] * scale * widen)))
    view = cv2.resize(picture, (width, network.HEIGHT), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    short = max(0, 32 - width)
    return render.stretch(np.pad(view, ((0, 0), (short // 2, short - short // 2)), mode='edge'))


def read(net, picture):
    """Reads a line as it is, half as wide again, and that one inverted, and gives the logits and the text of the likeliest reading."""
    wide, best = line(picture, 1.5), None
    for view in (line(picture), wide, 255 - wide):
        with torch.no_grad():
            logits = net(torch.from_numpy(view)[None, None].float())[0]
        text = network.decode(logits.argmax(1).tolist())
        sure = logs_of_text(logits, text, 1.0) if text else -20.0
        if best is None or sure > best[0]:
            best = sure, logits, text
    return best[1:]


def logs_of_text(logits, text, temperature):
    """Gives the logarithm of the probability that the columns spell the text."""
    target = torch.tensor([network.ALPHABET.index(c) + 1 for c in text])
    logs = (logits / temperature).log_softmax(1)[:, None]
    return -float(functional.ctc_loss(logs, target[None], torch.tensor([logs.shape[0]]), torch.tensor([len(text)]), reduction='sum'))


def measure(net, stock, count, write):
    """Reads renders of every kind, prints the table and gives (logits, text) of all."""
    renderer, found = render.Renderer(stock, 77, held_out=True), []
    for kind in render.KINDS:
        right = plain = wrong = total = 0
        for number in range(count):
            picture, text = renderer.sample(kind)
            logits, got = read(net, picture)
            right += got == text
            plain += got.lower().replace(' ', '') == text.lower().replace(' ', '')
            wrong += distance(got, text)
            total += len(text)
            found.append((logits, text, got))
            if write and number < 12:
                cv2.imwrite(f'{write}/{kind}-{number:02}.png', picture)
        print(f'{kind:8} exact {100 * right / count:5.1f} %  without case and spaces {100 * plain / count:5.1f} %'
              f'  characters wrong {100 * wrong / total:5.2f} %', flush=True)
    return found


def calibrate(found):
    """Gives the temperature under which the texts are likeliest, and prints how often what it is sure of is right."""
    some = found[::2]
    losses = {t: -sum(max(-60.0, logs_of_text(logits, text, t)) for logits, text, _ in some) / len(some)
              for t in (0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.7, 2.0, 2.4)}
    best = min(losses, key=losses.get)
    print('temperature', best, {t: round(v, 3) for t, v in losses.items()})
    for t in (1.0, best):
        sure = [(np.exp(logs_of_text(logits, got, t)), got == text) for logits, text, got in found[1::2] if got]
        for low, high in ((0.99, 1.01), (0.95, 0.99), (0.8, 0.95), (0.5, 0.8), (0, 0.5)):
            these = [ok for p, ok in sure if low <= p < high]
            print(f'  temperature {t}: said {low:.2f} to {min(high, 1):.2f}: {len(these)} lines, right {100 * np.mean(these) if these else 0:.2f} %')
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('checkpoint')
    parser.add_argument('stock', nargs='?')
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--calibrate', action='store_true')
    parser.add_argument('--rounded', action='store_true')
    parser.add_argument('--write')
    parser.add_argument('--pictures', nargs='*')
    a = parser.parse_args()
    torch.set_num_threads(1)
    net, _ = export.load(a.checkpoint)
    if a.rounded:
        export.round_weights(net)
    for path in a.pictures or []:
        picture, began = cv2.imread(path, cv2.IMREAD_GRAYSCALE), time.process_time()
        _, text = read(net, picture)
        print(json.dumps(dict(input=path, elapsed=time.process_time() - began, lines=[dict(text=text)])), flush=True)
    if a.stock:
        if a.write:
            os.makedirs(a.write, exist_ok=True)
        found = measure(net, a.stock, a.count, a.write)
        if a.calibrate:
            kept = torch.load(a.checkpoint, map_location='cpu', weights_only=True)
            kept['temperature'] = calibrate(found)
            torch.save(kept, a.checkpoint)


if __name__ == '__main__':
    main()
