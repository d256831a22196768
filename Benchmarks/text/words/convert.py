#!/usr/bin/env python3
"""Convert the recognition network of PP-OCRv4 to FOLDER/word-network.model, the file of eight-bit weights that `waymark-text` reads.

  convert.py WHEEL FOLDER [--temperature T] [--check FOLDER]

WHEEL is rapidocr_onnxruntime-1.4.4 (pip download --no-deps rapidocr-onnxruntime==1.4.4; Apache-2.0). Norms and scalar factors are folded into the
convolutions, weights are rounded to eight bits an output, classes that LETTERS lacks are left out, and the ranges of the activations are measured on words
rendered here. --check leaves a picture and the logits of the original network. Layout: see README.md. Needs: pip install onnx onnxruntime numpy pillow
"""
import argparse
import hashlib
import os
import pathlib
import struct
import sys
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from PIL import Image, ImageDraw, ImageFilter, ImageFont

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'documents'))
import models

NETWORK = 'rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx'
SUM = '48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b'
LETTERS = (' !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'
           '§°·×ÉËÓÜàáäèéìíòóúü')
HEIGHT, ZERO, STEP = 48, 128, 1 / 127.5
FONTS = '/usr/share/fonts/truetype'


class Graph:
    """The nodes of the network with their constants."""

    def __init__(self, model):
        self.constants, self.nodes, self.readers = {}, [], {}
        for node in model.graph.node:
            if node.op_type == 'Constant':
                self.constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
            else:
                self.nodes.append(node)
                for name in node.input:
                    self.readers.setdefault(name, []).append(node)

    def after(self, node, kind):
        """Gives the node of a kind that reads a node's output; None without one."""
        return next((n for n in self.readers.get(node.output[0], []) if n.op_type == kind), None)

    def constant(self, node):
        """Gives the constant that a node reads."""
        return next(self.constants[n] for n in node.input if n in self.constants)


def attributes(node):
    return {a.name: list(a.ints) or a.i for a in node.attribute}


def folded(graph, conv):
    """Gives weights and offsets of a convolution with the norm or the scalar factor after it, and the last of these nodes."""
    weight = graph.constants[conv.input[1]].astype(np.float64)
    offset = graph.constants[conv.input[2]].astype(np.float64) if len(conv.input) > 2 else np.zeros(len(weight))
    norm, factor = graph.after(conv, 'BatchNormalization'), graph.after(conv, 'Mul')
    if norm is not None:
        scale, shift, mean, variance = (graph.constants[n].astype(np.float64) for n in norm.input[1:])
        ratio = scale / np.sqrt(variance + (next((a.f for a in norm.attribute if a.name == 'epsilon'), 1e-5)))
        return weight * ratio[:, None, None, None], (offset - mean) * ratio + shift, norm
    if factor is not None and any(n in graph.constants for n in factor.input):
        added = graph.after(factor, 'Add')
        return weight * graph.constant(factor), offset * graph.constant(factor) + graph.constant(added), added
    return weight, offset, conv


def rounded(weight, offset, step=1.0):
    """Gives the bytes of weights [output][row][column][input], eight bits an output, after their scales and offsets, for inputs of a quantisation step."""
    scale = np.maximum(np.abs(weight.reshape(len(weight), -1)).max(1), 1e-8) / 127
    # An output of hardly any weight must still fit into a sum of 32 bits.
    scale = np.maximum(scale, np.abs(offset) / (5e8 * step))
    whole = np.clip(np.rint(weight / scale[:, None, None, None]), -127, 127).astype(np.int8)
    return scale.astype('<f4').tobytes() + offset.astype('<f4').tobytes() + whole.transpose(0, 2, 3, 1).tobytes()


def dense(weight, offset):
    """Gives the bytes of a layer over columns: inputs, outputs, columns of the kernel, then as `rounded`."""
    if weight.ndim == 2:
        weight = weight.T[:, :, None, None]
    outputs, inputs, _, columns = weight.shape
    return struct.pack('<HHB', inputs, outputs, columns) + rounded(weight, offset)


def backbone(graph, ranges):
    """Gives the bytes of the layers before the pooling, the factors of the last activation, and the names of the layers' outputs."""
    out, names, count, source, steps = b'', [], 0, {'x': 0}, {'x': STEP}
    last = next(n for n in graph.nodes if n.op_type == 'AveragePool').input[0]
    for node in graph.nodes:
        if node.op_type == 'GlobalAveragePool':
            squeeze = graph.after(node, 'Conv')
            excite = graph.after(graph.after(squeeze, 'Relu'), 'Conv')
            gated = graph.after(graph.after(excite, 'HardSigmoid'), 'Mul').output[0]
            out += struct.pack('<BBHf', 3, 0, source[node.input[0]], 1)
            out += b''.join(dense(*folded(graph, n)[:2]) for n in (squeeze, excite))
            names.append(gated)
            count += 1
            source[gated], steps[gated] = count, steps[node.input[0]]
        if node.op_type != 'Conv' or node.input[0] not in source:
            continue
        weight, offset, end = folded(graph, node)
        if not count:
            # The picture is gray, and its middle gray is half a level below ZERO.
            weight = weight.sum(1, keepdims=True)
            offset = offset + weight.sum((1, 2, 3)) * (ZERO - 127.5) * STEP
        a = attributes(node)
        activation = b''
        swish = graph.after(end, 'Mul')
        if swish is not None:
            factor = graph.after(graph.after(swish, 'Div'), 'Mul')
            shift = graph.after(factor, 'Add')
            end, scalars = shift, (float(graph.constant(factor).item()), float(graph.constant(shift).item()))
            activation = struct.pack('<ff', *scalars)
        isLast = end.output[0] == last
        out += struct.pack('<BBHf', a['group'] > 1, 2 if activation and not isLast else 0, source[node.input[0]], 1 if isLast else ranges.get(end.output[0], 1))
        out += b'' if isLast else activation
        (sy, sx), (py, px) = a['strides'], a['pads'][:2]
        out += struct.pack('<H8B', len(weight), *weight.shape[2:], sy, sx, py, py, px, px) + rounded(weight, offset, steps[node.input[0]])
        names.append(end.output[0])
        count += 1
        source[end.output[0]], steps[end.output[0]] = count, ranges.get(end.output[0], 1) / 4095
        if isLast:
            return struct.pack('<I', count) + out, activation, names


def columns(graph, classes):
    """Gives the bytes of the layers after the pooling, in the order in which they are run."""
    start = next(i for i, n in enumerate(graph.nodes) if n.op_type == 'AveragePool')
    parts = []
    for node in graph.nodes[start:]:
        if node.op_type == 'Conv':
            parts.append(dense(*folded(graph, node)[:2]))
        elif node.op_type == 'MatMul' and node.input[1] in graph.constants:
            weight, offset = graph.constants[node.input[1]], graph.constant(graph.after(node, 'Add'))
            if weight.shape[1] > 1000:
                weight, offset = weight[:, classes], offset[classes]
            parts.append(dense(weight, offset))
        elif node.op_type == 'Div' and len(node.input) == 2 and node.input[1] not in graph.constants:
            scale = graph.after(node, 'Mul')
            parts += [graph.constant(n).astype('<f4').tobytes() for n in (scale, graph.after(scale, 'Add'))]
    return b''.join(parts)


def words(count=60):
    """Gives rendered words of several typefaces, grounds and grades of blur, at the height of the network."""
    random = np.random.default_rng(5)
    fonts = sorted(str(p) for p in pathlib.Path(FONTS).rglob('*.ttf') if 'dejavu' in str(p) or 'liberation' in str(p))
    for _ in range(count):
        text = ''.join(random.choice(list(LETTERS[1:95]), int(random.integers(2, 14))))
        font = ImageFont.truetype(fonts[random.integers(len(fonts))], int(random.integers(14, 60)))
        left, top, right, bottom = font.getbbox(text)
        dark, light = sorted(random.integers(0, 256, 2).tolist())
        picture = Image.new('L', (right - left + 16, bottom - top + 12), light if random.random() < 0.6 else dark)
        ImageDraw.Draw(picture).text((8 - left, 6 - top), text, font=font, fill=dark if picture.getpixel((0, 0)) == light else light)
        picture = picture.filter(ImageFilter.GaussianBlur(float(random.random() * 1.5)))
        picture = picture.resize((max(16, round(picture.width * HEIGHT / picture.height)), HEIGHT), Image.Resampling.BILINEAR)
        noisy = np.asarray(picture, np.float32) + random.normal(0, random.random() * 12, (HEIGHT, picture.width))
        yield np.clip(noisy, 0, 255).astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('wheel')
    parser.add_argument('folder')
    parser.add_argument('--temperature', type=float, default=1)
    parser.add_argument('--check')
    a = parser.parse_args()
    data = zipfile.ZipFile(a.wheel).read(NETWORK)
    if hashlib.sha256(data).hexdigest() != SUM:
        sys.exit(f'{a.wheel} holds another network, of the sum {hashlib.sha256(data).hexdigest()}')
    model = onnx.load_from_string(data)
    graph = Graph(model)
    characters = [''] + next(p.value for p in model.metadata_props if p.key == 'character').splitlines() + [' ']
    names = backbone(graph, {})[2]
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names)
    session = onnxruntime.InferenceSession(model.SerializeToString())

    def run(picture):
        x = np.broadcast_to((picture.astype(np.float32) - 127.5) / 127.5, (1, 3, *picture.shape))
        return session.run(None, {'x': np.ascontiguousarray(x)})

    ranges = {}
    for picture in words():
        for p in (picture, 255 - picture):
            for name, value in zip(names, run(p)[1:]):
                ranges[name] = max(ranges.get(name, 0), float(np.abs(value).max()))
    layers, activation, _ = backbone(graph, {n: 1.25 * v for n, v in ranges.items()})
    classes = [0] + [characters.index(c) for c in LETTERS]
    letters = LETTERS.encode()
    out = struct.pack('<IIIffI', 1, HEIGHT, ZERO, STEP, a.temperature, len(letters)) + letters + layers + activation + columns(graph, classes)
    print(models.write('word-network', 'Benchmarks/text/words/convert.py', out, a.folder), len(out), 'bytes')
    if a.check:
        os.makedirs(a.check, exist_ok=True)
        for number, picture in enumerate(words(3), 1):
            share = run(picture)[0][0][:, classes]
            Image.fromarray(picture).save(f'{a.check}/word-{number}.pgm')
            (np.log(share + 1e-30)).astype('<f4').tofile(f'{a.check}/word-{number}.f32')


if __name__ == '__main__':
    main()
