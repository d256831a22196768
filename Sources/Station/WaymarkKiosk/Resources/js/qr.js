// Encodes a short text as a QR code, so that a visitor can open an address on their phone.
// ISO/IEC 18004:2015, byte mode, versions 1 to 10, error correction level M.

/** For each version at level M: [all data codewords, correction codewords of a block, blocks] (table 9). */
const BLOCKS = [null, [16, 10, 1], [28, 16, 1], [44, 26, 1], [64, 18, 2], [86, 24, 2], [108, 16, 4], [124, 18, 4], [154, 22, 4], [182, 22, 5], [216, 26, 5]];
/** Centres of the alignment patterns (table E.1). */
const ALIGN = [null, [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

const EXP = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i++) { EXP[i] = EXP[i + 255] = x; LOG[x] = i; x = x < 128 ? x * 2 : (x * 2) ^ 0x11d; }
const times = (a, b) => (a && b ? EXP[LOG[a] + LOG[b]] : 0);

/** The correction codewords of a block (Reed-Solomon, clause 7.5). */
function correction(data, count) {
  let generator = [1];
  for (let i = 0; i < count; i++) {
    const next = new Array(generator.length + 1).fill(0);
    generator.forEach((value, k) => { next[k] ^= value; next[k + 1] ^= times(value, EXP[i]); });
    generator = next;
  }
  const rest = [...data, ...new Array(count).fill(0)];
  for (let i = 0; i < data.length; i++) {
    const factor = rest[i];
    if (factor) generator.forEach((value, k) => { rest[i + k] ^= times(value, factor); });
  }
  return rest.slice(data.length);
}

/** The data and correction codewords, interleaved (clauses 7.4 and 7.6). */
function codewords(bytes, version) {
  const [total, count, blocks] = BLOCKS[version];
  const bits = [];
  const put = (value, length) => { for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1); };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, total * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(''), 2));
  for (let pad = 0xec; data.length < total; pad ^= 0xfd) data.push(pad);
  const short = Math.floor(total / blocks);
  const longer = total % blocks;
  const parts = [];
  for (let b = 0, at = 0; b < blocks; b++) { const length = short + (b >= blocks - longer ? 1 : 0); parts.push(data.slice(at, at + length)); at += length; }
  const fixes = parts.map((part) => correction(part, count));
  const all = [];
  for (let i = 0; i <= short; i++) for (const part of parts) if (i < part.length) all.push(part[i]);
  for (let i = 0; i < count; i++) for (const fix of fixes) all.push(fix[i]);
  return all;
}

const MASKS = [(r, c) => (r + c) % 2, (r) => r % 2, (_, c) => c % 3, (r, c) => (r + c) % 3, (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2,
  (r, c) => ((r * c) % 2) + ((r * c) % 3), (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2, (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2];

/** BCH remainder of a value (clause 7.9.1, 7.10). */
function bch(value, generator, length) {
  let rest = value << length;
  for (let i = 31 - Math.clz32(rest); i >= length; i--) if (rest & (1 << i)) rest ^= generator << (i - length);
  return (value << length) | rest;
}

/** The penalty of a mask (clause 7.8.3): for runs, blocks, false finder patterns and imbalance. */
function penalty(m) {
  const n = m.length;
  let sum = 0, dark = 0;
  const lines = [...m, ...m.map((_, c) => m.map((row) => row[c]))];
  for (const row of lines) {
    for (let i = 0; i < n;) { let j = i; while (j < n && row[j] === row[i]) j++; if (j - i >= 5) sum += j - i - 2; i = j; }
    const text = row.map(Number).join('');
    for (const pattern of ['10111010000', '00001011101']) for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) sum += 40;
  }
  for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) { dark += Number(m[r][c]); if (r && c && m[r][c] === m[r - 1][c] && m[r][c] === m[r][c - 1] && m[r][c] === m[r - 1][c - 1]) sum += 3; }
  return sum + 10 * Math.floor(Math.abs((dark * 20) / (n * n) - 10));
}

/** The modules of a QR code as rows of booleans; null when the text is too long (213 bytes). */
export function qrMatrix(text) {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((one, v) => one && bytes.length <= one[0] - (v < 10 ? 2 : 3));
  if (version < 0) return null;
  const n = version * 4 + 17;
  const grid = Array.from({ length: n }, () => new Array(n).fill(null));
  const set = (r, c, dark) => { if (r >= 0 && c >= 0 && r < n && c < n) grid[r][c] = Boolean(dark); };
  for (const [r0, c0] of [[0, 0], [0, n - 7], [n - 7, 0]])
    for (let r = -1; r < 8; r++) for (let c = -1; c < 8; c++) { const d = Math.max(Math.abs(r - 3), Math.abs(c - 3)); set(r0 + r, c0 + c, d !== 2 && d < 4); }
  for (const r of ALIGN[version]) for (const c of ALIGN[version]) {
    if (grid[r][c] !== null) continue;
    for (let a = -2; a < 3; a++) for (let b = -2; b < 3; b++) set(r + a, c + b, Math.max(Math.abs(a), Math.abs(b)) !== 1);
  }
  for (let i = 8; i < n - 8; i++) { if (grid[6][i] === null) set(6, i, i % 2 === 0); if (grid[i][6] === null) set(i, 6, i % 2 === 0); }
  const format = (mask) => {
    const bits = bch(mask, 0x537, 10) ^ 0x5412; // level M is 00
    const bit = (i) => (bits >> i) & 1;
    for (let i = 0; i < 15; i++) {
      if (i < 6) set(i, 8, bit(i)); else if (i < 8) set(i + 1, 8, bit(i)); else set(n - 15 + i, 8, bit(i));
      if (i < 8) set(8, n - 1 - i, bit(i)); else if (i === 8) set(8, 7, bit(i)); else set(8, 14 - i, bit(i));
    }
    set(n - 8, 8, true);
  };
  format(0);
  if (version > 6) {
    const bits = bch(version, 0x1f25, 12);
    for (let i = 0; i < 18; i++) { const a = Math.floor(i / 3), b = n - 11 + (i % 3); set(a, b, (bits >> i) & 1); set(b, a, (bits >> i) & 1); }
  }
  const free = grid.map((row) => row.map((value) => value === null));
  const stream = codewords(bytes, version);
  let at = 0;
  for (let right = n - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5;
    for (let i = 0; i < n; i++) for (const c of [right, right - 1]) {
      const r = up ? n - 1 - i : i;
      if (!free[r][c]) continue;
      grid[r][c] = Boolean((stream[at >> 3] >> (7 - (at & 7))) & 1);
      at++;
    }
  }
  let best = null;
  for (let mask = 0; mask < 8; mask++) {
    format(mask);
    const masked = grid.map((row, r) => row.map((value, c) => (free[r][c] && MASKS[mask](r, c) === 0 ? !value : value)));
    const score = penalty(masked);
    if (!best || score < best.score) best = { score, masked };
  }
  return best.masked;
}
