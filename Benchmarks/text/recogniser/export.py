#!/usr/bin/env python3
"""Write the fitted recogniser as FOLDER/text-network.model, the file of eight-bit weights that `waymark-text` reads.

  export.py CHECKPOINT FOLDER [--lines FOLDER] [--check FOLDER]

Batch norm is folded in, weights are rounded to eight bits a channel, and the range of every layer's output is taken from --lines (held-out renders
written by `evaluate.py --write`; without them from noise, which is only good for a trial). --check leaves three lines and what the network of rounded
weights makes of them. Layout of the file: see README.md. Needs: pip install torch numpy opencv-python-headless
"""
import argparse
import glob
import json
import os
import pathlib
import struct
import sys

import cv2
import numpy as np
import torch

import network

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'documents'))
import models


def load(path):
    """Gives the network of a checkpoint, its averaged weights, folded; random ones without a path."""
    net, temperature = network.Network().eval(), 1.0
    if path != 'random':
        kept = torch.load(path, map_location='cpu', weights_only=True)
        net.load_state_dict(kept['average'])
        temperature = kept.get('temperature', 1.0)
    return net.fold(), temperature


def round_weights(net):
    """Rounds the weights in place and gives, for each convolution, the bytes and the scale of each output."""
    made = {}
    for key, conv in net.convolutions.items():
        with torch.no_grad():
            scale = conv.weight.abs().amax((1, 2, 3)).clamp(min=1e-8) / 127
            whole = torch.clamp(torch.round(conv.weight / scale[:, None, None, None]), -127, 127)
            conv.weight.copy_(whole * scale[:, None, None, None])
        made[key] = whole.to(torch.int8).numpy(), scale.numpy()
    return made


def ranges(net, pictures):
    """Gives the greatest magnitude of every layer's output over the pictures."""
    most = [0.0] * len(network.LAYERS)

    def watch(number, value):
        most[number - 1] = max(most[number - 1], float(value.abs().max()))
        return value

    with torch.no_grad():
        for picture in pictures:
            net(torch.from_numpy(picture)[None, None].float(), watch)
    return [m * 1.3 + 1e-6 for m in most]  # twelve bits are kept, so that room above costs nothing


def payload(net, weights, most, temperature):
    """Gives the bytes that the file holds after its head."""
    letters = network.ALPHABET.encode()
    out = struct.pack('<IIIffI', 1, network.HEIGHT, network.ZERO, network.SCALE, temperature, len(letters)) + letters
    out += struct.pack('<I', len(network.LAYERS))
    for number, layer in enumerate(network.LAYERS, 1):
        last = number == len(network.LAYERS)
        kind = 2 if layer['kind'] == 'add' else 0
        out += struct.pack('<BBHf', kind, layer['relu'], layer['source'], 1.0 if last else most[number - 1])
        if kind == 2:
            out += struct.pack('<H', layer['other'])
            continue
        (kh, kw), (sy, sx), (py, px) = layer['kernel'], layer['stride'], layer['pad']
        out += struct.pack('<H8B', layer['outputs'], kh, kw, sy, sx, py, py, px, px)
        whole, scale = weights[str(number)]
        bias = net.convolutions[str(number)].bias.detach().numpy()
        out += scale.astype('<f4').tobytes() + bias.astype('<f4').tobytes() + whole.transpose(0, 2, 3, 1).tobytes()
    return out


def written(path):
    """Gives what `payload` wrote: of each convolution its inputs, outputs, kernel and stride, its weights and its offsets."""
    data, at, made, channels = models.read(path), 20, [], [1]

    def take(layout):
        nonlocal at
        at += struct.calcsize(layout)
        return struct.unpack_from(layout, data, at - struct.calcsize(layout))

    letters, = take('<I')
    at += letters
    for _ in range(take('<I')[0]):
        kind, _, source, _ = take('<BBHf')
        if kind == 2:
            take('<H')
            channels.append(channels[source])
            continue
        outputs, kh, kw, sy, sx = take('<H4B')
        take('<4B')
        scale, bias = (np.array(take(f'<{outputs}f'), np.float32) for _ in range(2))
        count = outputs * kh * kw * channels[source]
        whole = np.frombuffer(data, np.int8, count, at).reshape(outputs, kh, kw, channels[source]).transpose(0, 3, 1, 2)
        at += count
        made.append(((channels[source], outputs, (kh, kw), (sy, sx)), whole * scale[:, None, None, None], bias))
        channels.append(outputs)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('checkpoint')
    parser.add_argument('folder')
    parser.add_argument('--lines')
    parser.add_argument('--check')
    a = parser.parse_args()
    net, temperature = load(a.checkpoint)
    if a.lines:
        pictures = [cv2.imread(p, cv2.IMREAD_GRAYSCALE) for p in sorted(glob.glob(a.lines + '/*.png'))]
    else:
        pictures = [np.random.default_rng(n).integers(0, 256, (32, w)).astype(np.uint8) for n, w in enumerate((97, 160, 321))]
    weights = round_weights(net)
    pictures += [255 - p for p in pictures]
    data = payload(net, weights, ranges(net, pictures), temperature)
    path = models.write('text-network', 'Benchmarks/text/recogniser/fit.py', data, a.folder)
    print(path, len(data), 'bytes', sum(w.size for w, _ in weights.values()), 'weights', network.products(320) / 1e6, 'million products for 320 x 32')
    if not a.check:
        return
    os.makedirs(a.check, exist_ok=True)
    arrays = {f'layer{k}.{n}': getattr(c, n).detach().numpy() for k, c in net.convolutions.items() for n in ('weight', 'bias')}
    np.savez(a.check + '/lines.npz', **arrays)
    json.dump(dict(height=network.HEIGHT, zero=network.ZERO, scale=network.SCALE, alphabet=network.ALPHABET, columns=network.COLUMNS, layers=network.LAYERS),
              open(a.check + '/layers.json', 'w'), ensure_ascii=False, indent=1)
    for number, picture in enumerate(pictures[:3], 1):
        with torch.no_grad():
            logits = net(torch.from_numpy(picture)[None, None].float())[0].numpy()
        cv2.imwrite(f'{a.check}/check-{number:02}.pgm', picture)
        logits.astype('<f4').tofile(f'{a.check}/check-{number:02}.f32')
        open(f'{a.check}/check-{number:02}.txt', 'w').write(network.decode(logits.argmax(1)) + '\n')


if __name__ == '__main__':
    main()
