#!/usr/bin/env python3
"""Fit the recogniser of lines to renders.

  fit.py STOCK KEEP [--minutes M] [--resume] [--workers N] [--reuse N] [--columns N] [--rate R] [--bf16]

STOCK is what `stock` gathered. KEEP/checkpoint.pt holds weights, their running average and the optimiser's state, written every minute. The rate
of learning follows one cycle over --minutes of fitting; --resume goes on from the checkpoint, at the minute where it stopped, or from the start of a
new cycle of --minutes with --again. Uses CUDA when there is one, else the processor. Needs: pip install torch numpy opencv-python-headless pillow
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

import network
import render

CLASS = {c: n for n, c in enumerate(network.ALPHABET, 1)}


def produce(stock, seed, queue):
    """Renders without end, for a process of its own."""
    import cv2
    cv2.setNumThreads(1)
    renderer, parent = render.Renderer(stock, seed), os.getppid()
    while os.getppid() == parent:  # a parent that was killed leaves no makers behind
        lines = [renderer.sample() for _ in range(32)]
        while os.getppid() == parent:
            try:
                queue.put(lines, timeout=5)
                break
            except queues.Full:
                pass
    os._exit(0)  # nobody takes what is still on its way


def altered(picture, rng):
    """Gives a picture that is used again another look, cheaply."""
    x = picture.astype(np.float32)
    if rng.random() < 0.35:
        x = 255 - x
    if rng.random() < 0.5:
        x = 255 * (np.clip(x, 0, 255) / 255) ** math.exp(rng.gauss(0, 0.35))
    if rng.random() < 0.4:
        x = np.roll(x, rng.choice([-2, -1, 1, 2]), 0)
    if rng.random() < 0.3:
        x = x + np.random.standard_normal(x.shape).astype(np.float32) * rng.uniform(2, 18)
    return render.stretch(np.clip(x, 0, 255))


class Lines:
    """Holds rendered lines by width and hands out batches of one width."""

    def __init__(self, queue, reuse, columns):
        self.queue, self.reuse, self.columns = queue, reuse, columns
        self.held, self.rng, self.made = {}, random.Random(), 0

    def take(self, block):
        try:
            lines = self.queue.get(block)
        except queues.Empty:
            return False
        self.made += len(lines)
        for picture, text in lines:
            target = [CLASS[c] for c in text]
            room = picture.shape[1] // 2
            if len(target) + sum(a == b for a, b in zip(target, target[1:])) <= room - 1:
                self.held.setdefault(picture.shape[1], []).append((picture, target, 0))
        return True

    def batch(self):
        size = lambda width: max(8, min(128, self.columns // width))
        while sum(map(len, self.held.values())) < 5000 and self.take(False):  # so many wait that all widths are mixed; the makers then rest
            pass
        while True:
            full = [w for w, lines in self.held.items() if len(lines) >= size(w)]
            if full:
                break
            self.take(True)
        width = self.rng.choices(full, [len(self.held[w]) / size(w) for w in full])[0]
        lines, count = self.held[width], size(width)
        self.rng.shuffle(lines)
        taken, self.held[width] = lines[:count], lines[count:]
        self.held[width] += [(p, t, n + 1) for p, t, n in taken if n + 1 < self.reuse]
        pictures = np.stack([altered(p, self.rng) if n else p for p, _, n in taken])
        return torch.from_numpy(pictures)[:, None], [t for _, t, _ in taken]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('stock')
    parser.add_argument('keep')
    parser.add_argument('--minutes', type=float, default=60)
    parser.add_argument('--resume', action='store_true')
    parser.add_argument('--again', action='store_true')
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
        multiprocessing.Process(target=produce, args=(a.stock, random.randrange(1 << 30), queue), daemon=True).start()
    torch.set_num_threads(a.threads)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    net = network.Network().to(device).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=a.rate, betas=(0.9, 0.98), weight_decay=0.02)
    average, spent, step, path = None, 0.0, 0, a.keep + '/checkpoint.pt'
    if a.resume:
        kept = torch.load(path, map_location=device, weights_only=True)
        net.load_state_dict(kept['net'])
        optimiser.load_state_dict(kept['optimiser'])
        average, step, spent = kept['average'], kept['step'], 0.0 if a.again else kept['spent']
    if average is None:
        average = {k: v.clone() for k, v in net.state_dict().items()}
    lines, began, last = Lines(queue, a.reuse, a.columns), None, time.time()
    saved, shown, seen, loss_mean, right = last, last, 0, None, [0, 0]
    while spent < a.minutes:
        pictures, targets = lines.batch()
        part = spent / a.minutes
        rate = a.rate * (min(1, part / 0.04 + 0.02) if part < 0.04 else 0.5 + 0.5 * math.cos(math.pi * (part - 0.04) / 0.96)) + 1e-6
        for group in optimiser.param_groups:
            group['lr'] = rate
        with torch.autocast(device, torch.bfloat16, enabled=a.bf16):
            logits = net(pictures.to(device).float())
        logs = logits.float().log_softmax(2).transpose(0, 1)
        count = len(targets)
        lengths = torch.tensor([len(t) for t in targets])
        loss = functional.ctc_loss(logs, torch.tensor([c for t in targets for c in t], device=device), torch.full((count,), logs.shape[0]), lengths, reduction='none', zero_infinity=True)
        loss = (loss / lengths.to(device)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        step, seen = step + 1, seen + count
        with torch.no_grad():
            decay = min(0.998, (step + 1) / (step + 10))
            for key, value in net.state_dict().items():
                if value.dtype.is_floating_point:
                    average[key].lerp_(value, 1 - decay)
                else:
                    average[key].copy_(value)
        now = time.time()
        if began is None:
            began = now
        spent, last = spent + (now - last) / 60, now
        loss_mean = loss.item() if loss_mean is None else 0.98 * loss_mean + 0.02 * loss.item()
        if step % 4 == 0:
            best = logs.argmax(2).transpose(0, 1).tolist()
            right = [right[0] + sum(network.decode(b) == ''.join(network.ALPHABET[c - 1] for c in t) for b, t in zip(best, targets)), right[1] + count]
        if step % 100 == 0:
            print(f'{spent:6.1f} min  step {step}  rate {rate:.5f}  loss {loss_mean:.3f}  right {100 * right[0] / max(1, right[1]):.1f} %  {seen / (now - shown):.0f} lines/s'
                  f'  rendered {lines.made}  waiting {sum(map(len, lines.held.values()))}', flush=True)
            shown, seen, right = now, 0, [0, 0]
        if now - saved > 60 or spent >= a.minutes:
            torch.save(dict(net=net.state_dict(), average=average, optimiser=optimiser.state_dict(), spent=spent, step=step), path + '.new')
            os.replace(path + '.new', path)
            saved = now


if __name__ == '__main__':
    main()
