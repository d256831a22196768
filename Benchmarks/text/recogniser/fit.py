#!/usr/bin/env python3
"""Fit the recogniser of lines to renders.

  fit.py STOCK KEEP [--minutes M] [--resume] [--model FILE] [--workers N] [--reuse N] [--columns N] [--rate R] [--bf16]

STOCK is what `stock` gathered. KEEP/checkpoint.pt holds weights, their running average and the optimiser's state, written every minute. The rate
of learning follows one cycle over --minutes of fitting; --resume goes on from the checkpoint, at the minute where it stopped, or from the start of a
new cycle of --minutes with --again. --model begins with the weights of a file that `export.py` wrote; blocks that it lacks begin as nothing added.
Uses CUDA when there is one, else the processor. Needs: pip install torch numpy opencv-python-headless pillow
"""
import argparse
import math
import multiprocessing
import os
import queue as queues
import random
import time

import numpy as np
import torch
from torch.nn import functional

import export
import network
import render

CLASS = {c: n for n, c in enumerate(network.ALPHABET, 1)}


def produce(stock, seed, queue, columns):
    """Renders without end, for a process of its own: batches of lines of one width, with about `columns` columns each."""
    import cv2
    cv2.setNumThreads(1)
    renderer, parent, held = render.Renderer(stock, seed), os.getppid(), {}
    while os.getppid() == parent:  # a parent that was killed leaves no makers behind
        picture, text = renderer.sample()
        width, target = picture.shape[1], [CLASS[c] for c in text]
        if len(target) + sum(a == b for a, b in zip(target, target[1:])) > width // 2 - 1:
            continue
        lines = held.setdefault(width, [])
        lines.append((picture, target))
        if len(lines) < max(8, min(1024, columns // width)):
            continue
        held[width] = []
        batch = np.stack([p for p, _ in lines]), np.array([c for _, t in lines for c in t], np.int64), np.array([len(t) for _, t in lines], np.int64)
        while os.getppid() == parent:
            try:
                queue.put(batch, timeout=5)
                break
            except queues.Full:
                pass
    os._exit(0)  # discards batches that are still in the queue


def altered(x):
    """Gives lines that are used again another look: moved, sheared, narrowed and waved a little, inverted, brighter or darker, unsharp, of fewer
    pixels, in uneven light, noisy. Batch x 1 x height x width."""
    n, _, height, width = x.shape
    device = x.device
    some = lambda share: torch.rand(n, 1, 1, 1, device=device) < share
    gauss = lambda *s: torch.randn(n, *s, device=device)
    theta = torch.zeros(n, 2, 3, device=device)
    theta[:, 0, 0], theta[:, 1, 1] = torch.exp((0.1 * gauss()).abs()), torch.exp(0.06 * gauss())
    theta[:, 0, 1] = 0.12 * gauss() * height / width
    theta[:, 1, 2] = 0.05 * gauss()
    grid = functional.affine_grid(theta, x.shape, align_corners=False)
    across = torch.linspace(0, 1, width, device=device)[None, None]
    waves = torch.sin(2 * math.pi * (across * (0.3 + 1.5 * torch.rand(n, 1, 1, device=device)) + torch.rand(n, 1, 1, device=device)))
    grid = grid + torch.stack([torch.zeros_like(waves), 0.05 * gauss(1, 1) * waves], 3) * some(0.4)
    x = torch.where(some(0.75), functional.grid_sample(x, grid, padding_mode='border', align_corners=False), x)
    x = torch.where(some(0.35), 255 - x, x)
    x = torch.where(some(0.5), 255 * (x.clamp(1, 255) / 255) ** torch.exp(0.35 * gauss(1, 1, 1)), x)
    share = (0.3 * torch.rand(n, 1, 1, 1, device=device)) * some(0.3)  # of both neighbours, twice: unsharp
    for _ in range(2):
        padded = functional.pad(x, (1, 1, 1, 1), mode='replicate')
        x = (1 - 2 * share) * x + share * (padded[:, :, 1:-1, :-2] + padded[:, :, 1:-1, 2:])
        padded = functional.pad(x, (1, 1, 1, 1), mode='replicate')
        x = (1 - 2 * share) * x + share * (padded[:, :, :-2, 1:-1] + padded[:, :, 2:, 1:-1])
    few = random.uniform(0.4, 0.9)
    coarse = functional.interpolate(functional.interpolate(x, scale_factor=few, mode='area'), (height, width), mode='bilinear', align_corners=False)
    x = torch.where(some(0.15), coarse, x)
    x = torch.where(some(0.3), x * (1 + 0.25 * gauss(1, 1, 1) * torch.linspace(-1, 1, width, device=device)), x)
    x = torch.where(some(0.3), x + torch.randn_like(x) * (2 + 16 * torch.rand(n, 1, 1, 1, device=device)), x).clamp(0, 255)
    ranked = x.flatten(1).sort(1).values  # as `render.stretch`
    last = ranked.shape[1] - 1
    low, high = ranked[:, int(0.01 * last)], ranked[:, int(0.99 * last)]
    middle, half = (low + high) / 2, ((high - low) / 2).clamp(min=12)
    return (10 + 235 * (x - (middle - half)[:, None, None, None]) / (2 * half)[:, None, None, None]).round().clamp(0, 255)


class Batches:
    """Takes rendered batches and hands each out `reuse` times at most: new ones as they come, else one of those that wait, with another look."""

    def __init__(self, queue, reuse, device):
        self.queue, self.reuse, self.device = queue, reuse, device
        self.waiting, self.rng, self.made = [], random.Random(), 0

    def take(self):
        if len(self.waiting) > 600:
            self.waiting.pop(self.rng.randrange(len(self.waiting)))
        try:
            pictures, targets, lengths = self.queue.get(not self.waiting)
        except queues.Empty:
            at = self.rng.randrange(len(self.waiting))
            pictures, targets, lengths, uses = self.waiting[at]
            if uses + 1 < self.reuse:
                self.waiting[at] = pictures, targets, lengths, uses + 1
            else:
                self.waiting[at] = self.waiting[-1]
                self.waiting.pop()
            return altered(pictures.float()), targets, lengths
        self.made += len(lengths)
        pictures, targets = (torch.from_numpy(v).to(self.device, non_blocking=True) for v in (pictures[:, None], targets))
        lengths = torch.from_numpy(lengths)
        if self.reuse > 1:
            self.waiting.append((pictures, targets, lengths, 1))
        return pictures.float(), targets, lengths


class Average:
    """The running average of a network's weights and statistics."""

    def __init__(self, state, kept=None):
        self.values = kept or {k: v.clone() for k, v in state.items()}
        self.keys = [k for k, v in state.items() if v.dtype.is_floating_point]

    def add(self, state, share):
        torch._foreach_lerp_([self.values[k] for k in self.keys], [state[k] for k in self.keys], share)


def begin(net, path, pictures):
    """Gives the network the weights of a file that `export.py` wrote, its norms such that they change nothing on these pictures. Blocks that the
    file lacks add nothing at first; else convolutions must be alike, in their order."""
    known, taken, channels = export.written(path), {}, [1]
    for number, layer in enumerate(network.LAYERS, 1):
        channels.append(channels[layer['source']] if layer['kind'] == 'add' else layer['outputs'])
        shape = layer['kind'] == 'conv' and (channels[layer['source']], layer['outputs'], layer['kernel'], layer['stride'])
        if known and shape == known[0][0]:
            taken[str(number)] = known.pop(0)[1:]
    if known:
        raise SystemExit(f'{path} has a convolution that this network lacks: {known[0][0]}')
    net.eval()
    with torch.no_grad():
        for number, layer in enumerate(network.LAYERS, 1):
            key = str(number)
            if layer['kind'] == 'add' and str(layer['source']) not in taken:
                net.norms[str(layer['source'])].weight.zero_()
            if key in taken:
                weights, bias = (torch.from_numpy(np.ascontiguousarray(v)) for v in taken[key])
                net.convolutions[key].weight.copy_(weights)
                (net.norms[key] if key in net.norms else net.convolutions[key]).bias.copy_(bias)
        pairs = [(net.convolutions[key], net.norms[key]) for key in taken if key in net.norms]
        export.models.neutral(pairs, lambda: [net(picture) for picture in pictures])
    net.train()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('stock')
    parser.add_argument('keep')
    parser.add_argument('--minutes', type=float, default=60)
    parser.add_argument('--resume', action='store_true')
    parser.add_argument('--again', action='store_true')
    parser.add_argument('--model')
    parser.add_argument('--workers', type=int, default=1)
    parser.add_argument('--reuse', type=int, default=3)
    parser.add_argument('--columns', type=int, default=4096)
    parser.add_argument('--rate', type=float, default=2e-3)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--bf16', action='store_true')
    a = parser.parse_args()
    os.makedirs(a.keep, exist_ok=True)
    queue = multiprocessing.Queue(24)
    for _ in range(a.workers):
        multiprocessing.Process(target=produce, args=(a.stock, random.randrange(1 << 30), queue, a.columns), daemon=True).start()
    torch.set_num_threads(a.threads)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    net = network.Network().to(device).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, betas=(0.9, 0.98), weight_decay=0.02, fused=device == 'cuda')
    kept, spent, step, path = None, 0.0, 0, a.keep + '/checkpoint.pt'
    if a.resume:
        kept = torch.load(path, map_location=device, weights_only=True)
        net.load_state_dict(kept['net'])
        if 'optimiser' in kept:
            optimiser.load_state_dict(kept['optimiser'])
        step, spent = kept['step'], 0.0 if a.again else kept['spent']
    batches = Batches(queue, a.reuse, device)
    if a.model:
        begin(net, a.model, [batches.take()[0] for _ in range(24)])
    average = Average(net.state_dict(), kept and kept['average'])
    last = saved = shown = None
    steps = seen = 0
    losses, right = [], [0, 0]
    while spent < a.minutes:
        pictures, targets, lengths = batches.take()
        last = last or time.time()  # what the first batch waits for is not fitting
        saved, shown = saved or last, shown or last
        part = spent / a.minutes
        rate = a.rate * (min(1, part / 0.04 + 0.02) if part < 0.04 else 0.5 + 0.5 * math.cos(math.pi * (part - 0.04) / 0.96)) + 1e-6
        for group in optimiser.param_groups:
            group['lr'] = rate
        with torch.autocast(device, torch.bfloat16, enabled=a.bf16):
            logits = net(pictures.contiguous(memory_format=torch.channels_last))
        logs = logits.float().log_softmax(2).transpose(0, 1)
        loss = functional.ctc_loss(logs, targets, torch.full((len(lengths),), logs.shape[0]), lengths, reduction='none', zero_infinity=True)
        loss = (loss / lengths.to(device)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        step, steps, seen = step + 1, steps + 1, seen + len(lengths)
        average.add(net.state_dict(), 1 - min(0.9995, (steps + 1) / (steps + 10)))
        losses.append(loss.detach())
        if step % 50 == 0:
            best, letters, at = logs.argmax(2).T.tolist(), targets.tolist(), 0
            for classes, length in zip(best, lengths.tolist()):
                right[0] += network.decode(classes) == ''.join(network.ALPHABET[c - 1] for c in letters[at:at + length])
                at += length
            right[1] += len(best)
        now = time.time()
        spent, last = spent + (now - last) / 60, now
        if step % 100 == 0:
            print(f'{spent:6.1f} min  step {step}  rate {rate:.5f}  loss {torch.stack(losses).mean():.3f}  right {100 * right[0] / max(1, right[1]):.1f} %'
                  f'  {seen / (now - shown):.0f} lines/s  rendered {batches.made}', flush=True)
            shown, seen, losses, right = now, 0, [], [0, 0]
        if now - saved > 60 or spent >= a.minutes:
            torch.save(dict(net=net.state_dict(), average=average.values, optimiser=optimiser.state_dict(), spent=spent, step=step), path + '.new')
            os.replace(path + '.new', path)
            saved = now


if __name__ == '__main__':
    main()
