"""Writes a fitted model as a file NAME.model: a head of text lines that describe it, an empty line, then the numbers.

The program takes nothing in whose format, length or checksum is another (Sources/Foundation/WaymarkImage/Networks/ModelFile.swift).
"""
import os, struct

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../Sources')
FOLDER = os.path.join(SOURCES, 'Station/CPageModels')
FORMAT = 1
TABLE = []
for index in range(256):
    value = index
    for _ in range(8): value = 0x82F63B78 ^ value >> 1 if value & 1 else value >> 1
    TABLE.append(value)


def crc32c(data):
    """The checksum of RFC 3720, appendix B.4."""
    value = 0xFFFFFFFF
    for byte in data: value = TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def write(name, script, data, folder=FOLDER):
    """Writes NAME.model; `script` is the path, from the root of the project, of what made it."""
    head = f'waymark model {FORMAT}\nname {name}\nscript {script}\nbytes {len(data)}\ncrc32c {crc32c(data):08x}\n\n'
    path = os.path.join(folder, name + '.model')
    with open(path, 'wb') as file: file.write(head.encode() + data)
    return path


def read(path):
    """What `write` wrote, without its head."""
    with open(path, 'rb') as file: data = file.read()
    return data[data.index(b'\n\n') + 2:]


def neutral(pairs, look):
    """Makes the norm behind each convolution of PyTorch add its offset and change nothing else: `look` has the network see some pictures, from
    which the statistics come; the scale follows."""
    seen, hooks = {}, []
    for conv, norm in pairs:
        norm.weight.fill_(1); norm.running_mean.zero_(); norm.running_var.fill_(1 - norm.eps); seen[norm] = []
        hooks.append(conv.register_forward_hook(lambda _, __, out, norm=norm: seen[norm].append((out.mean((0, 2, 3)), out.square().mean((0, 2, 3))))))
    look()
    for hook in hooks: hook.remove()
    for norm, values in seen.items():
        mean, square = (sum(value[k] for value in values) / len(values) for k in range(2)); variance = (square - mean * mean).clamp(min=1e-6)
        norm.running_mean.copy_(mean); norm.running_var.copy_(variance); norm.bias.add_(mean); norm.weight.copy_((variance + norm.eps).sqrt())


def scorer(means, deviations, hidden, output, offset):
    """A small network as PageScorer reads it: two counts, then numbers of 32 bits, all little-endian."""
    numbers = [*means, *deviations, *(value for row in hidden for value in row), *output, offset]
    return struct.pack(f'<2I{len(numbers)}f', len(means), len(hidden), *numbers)
