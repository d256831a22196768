"""Writes what was fitted as a file of Sources/CModels: a head of text lines that tells what it is, an empty line, then the numbers.

The program takes nothing in whose format, length or checksum is another (Sources/WaymarkNetworks/ModelFile.swift).
"""
import os, struct

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../Sources/CModels')
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


def scorer(means, deviations, hidden, output, offset):
    """A small network as PageScorer reads it: two counts, then numbers of 32 bits, all little-endian."""
    numbers = [*means, *deviations, *(value for row in hidden for value in row), *output, offset]
    return struct.pack(f'<2I{len(numbers)}f', len(means), len(hidden), *numbers)
