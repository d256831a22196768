#!/usr/bin/env python3
"""Makes a library of thousands of anchors from one of hundreds, to measure time, memory and opening with compare.py --library.

  grow.py LIBRARY OUT [--anchors 10000] [--shown 50] [--features 560]

The first --shown anchors, those that frames show, and all others of LIBRARY are kept with at most --features features each; each new anchor has as many features, every one taken at random from
those of the anchors that are not shown, with one in thirty of its bits turned over. So keys are as crowded and descriptors as alike as in
real libraries of that size, and a feature of a frame meets ten times as many that resemble it by chance. What it does not do is come nearer: the nearest descriptor of another picture is 1.5 bits nearer with
every doubling of a real library, and that is missing here. The pixels of new anchors are those of old ones. Takes a minute and 2 GB of disk; needs numpy.
"""
import argparse, struct
import numpy as np

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("library"); ap.add_argument("out"); ap.add_argument("--anchors", type=int, default=10000)
ap.add_argument("--shown", type=int, default=50); ap.add_argument("--features", type=int, default=560)
a = ap.parse_args()
M = (1 << 64) - 1
P1, P2 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F

def checksum(data):
    """As Checksum.swift: words in four lanes."""
    words = np.frombuffer(bytes(data) + bytes(-len(data) % 8), "<u8")
    lanes = [0x60EA27EEADC0B5D6, P2, 0, 0x61C8864680B583EB]
    with np.errstate(over="ignore"): scaled = words * np.uint64(P2)
    for k in range(4):
        v = lanes[k]
        for w in scaled[k::4].tolist():
            v = (v + w) & M
            v = (((v << 31) | (v >> 33)) * P1) & M
        lanes[k] = v
    h = len(words) * P1 & M
    for lane in lanes:
        h ^= lane
        h = ((((h << 27) | (h >> 37)) * P1) + 0x85EBCA77C2B2AE63) & M
    h ^= h >> 33
    h = h * P2 & M
    return h ^ h >> 29

align = lambda n: (n + 63) & ~63
old = open(a.library, "rb").read()
assert old[:8] == b"WAYMARKA" and struct.unpack_from("<I", old, 8)[0] == 3, "LIBRARY is none that this release makes"
fingerprint, _, count, total = struct.unpack_from("<IQII", old, 12)
offsets = struct.unpack_from("<7Q", old, 40)
record = np.frombuffer(old, "u1", 64 * count, offsets[0]).reshape(count, 64)
words = np.frombuffer(old, "<u8", 4 * total, offsets[3]).reshape(total, 4)
features = np.frombuffer(old, "u1", 8 * total, offsets[4]).reshape(total, 8)
lists = np.frombuffer(old, "<u4", total, offsets[5])
rng = np.random.default_rng(1)
field = lambda r, at: struct.unpack_from("<I", r.tobytes(), at)[0]
places = [lists[field(r, 20):field(r, 20) + min(a.features, field(r, 24))] for r in record]
pool = np.concatenate(places[a.shown:])
names = [old[offsets[1] + field(r, 0):offsets[1] + field(r, 0) + field(r, 4)] for r in record]
sources = list(range(count))
for k in range(count, a.anchors):
    sources.append(a.shown + k % (count - a.shown)); names.append(b"grown-%05d" % k)
    places.append(pool[rng.integers(0, len(pool), a.features)])
sizes = np.array([len(p) for p in places]); every = np.concatenate(places); n = len(every)
descriptors = words[every]
grown = np.arange(n) >= sizes[:count].sum()
for k in range(4):
    # Five random words together are one in 32 bits.
    flips = np.full(n, M, np.uint64)
    for _ in range(5): flips &= rng.integers(0, M, n, np.uint64, endpoint=True)
    descriptors[:, k] ^= np.where(grown, flips, np.uint64(0))
features = features[every].copy()
features[:, :2] = np.repeat(np.arange(a.anchors), sizes).astype("<u2").view("u1").reshape(n, 2)
bits = 8
while bits < 20 and n >> (bits + (3 if bits < 13 or bits >= 18 else 4)): bits += 1
key = (descriptors[:, 0] & np.uint64((1 << bits) - 1)).astype(np.int64)
order = np.argsort(key, kind="stable"); place = np.empty(n, "<u4"); place[order] = np.arange(n)
starts = np.concatenate([[0], np.cumsum(np.bincount(key, minlength=1 << bits))]).astype("<u4")
# Old pixels lie where they lay, behind an index of another size; new anchors have copies, as no two anchors of a library may share any.
blob = b"".join(names); ends = [128]
for size in (64 * a.anchors, len(blob), 4 * len(starts), 32 * n, 8 * n, 4 * n): ends.append(align(ends[-1] + size))
moved, name, first, records, copies = ends[6] - offsets[6], 0, 0, [], []
end = align(len(old) + moved)
for k in range(a.anchors):
    r = bytearray(record[sources[k]].tobytes())
    struct.pack_into("<II", r, 0, name, len(names[k])); struct.pack_into("<II", r, 20, first, sizes[k])
    width, height = struct.unpack_from("<HH", r, 16); pixels = struct.unpack_from("<Q", r, 32)[0]
    struct.pack_into("<Q", r, 32, pixels + moved if k < count else end)
    if k >= count: copies.append((pixels, width * height)); end += align(width * height)
    name += len(names[k]); first += sizes[k]; records.append(bytes(r))
parts = [b"".join(records), blob, starts.tobytes(), descriptors[order].tobytes(), features[order].tobytes(), place.tobytes()]
body = b"".join(p + bytes(align(len(p)) - len(p)) for p in parts)
head = bytearray(128); head[:8] = b"WAYMARKA"
struct.pack_into("<IIQIIII", head, 8, 3, fingerprint, end, a.anchors, n, bits, len(blob))
struct.pack_into("<7Q", head, 40, *ends)
struct.pack_into("<QQ", head, 96, checksum(body[:ends[2] - 128]), checksum(body[ends[2] - 128:]))
struct.pack_into("<Q", head, 120, checksum(head[:120]))
with open(a.out, "wb") as f:
    f.write(head); f.write(body); f.write(old[offsets[6]:]); f.write(bytes(align(f.tell()) - f.tell()))
    for at, size in copies: f.write(old[at:at + size]); f.write(bytes(align(size) - size))
print(f"{a.out}: {a.anchors} anchors, {n} features, keys of {bits} bits")
