// Every code on a shelf once, over a camera that moves along it. The service says which code in a frame is which of the frame before;
// what was out of sight is known again by its place. Places lie on charts, in pixels of the first view of each; a view is laid over
// its chart by a similarity of least squares over the corners of the codes that it shares with it.
import { centre } from './followed.js';

/**
 * How far a code may lie from its place, in sizes of the larger of the two, since half a linear code is often read for the whole;
 * copies side by side lie two sizes apart at least.
 */
const TOLERANCE = .8;
/** Views that must have shown a code before it counts. */
const AGREEMENT = 2;
/**
 * Views that must agree where a code that was followed parts from those around it: it may have leapt to a copy that stays where it is, or
 * have slid along its own bars for a few views.
 */
const SURE = 8;
/** Frames after which nobody knows where the camera is, and over which it is taken to go on as it went. */
const MEMORY = 30;
const MOMENTUM = 12;
/**
 * How far copies of one content move between two views at most, in widths of the view, where nothing else was followed; how far where
 * no other copy is anywhere near; and how far what is followed.
 */
const REACH = .1;
const FAR = .4;
const LEAP = .25;
/** In how many views one is laid over the other charts, too. */
const CHARTS_EVERY = 10;

/** @type {(one: number[], other: number[]) => number} */
const distance = ([a, b], [x, y]) => Math.hypot(a - x, b - y);
/** Half the mean of the diagonals: how large it looks, also where it is a line. */
const sizeOf = (corners) => Math.max(1e-6, (distance(corners[0], corners[2]) + distance(corners[1], corners[3])) / 4);

/** A similarity [c, s, x, y], what it makes of a point and of corners, one after another, and its inverse. */
const IDENTITY = [1, 0, 0, 0];
/** @type {(map: number[], point: number[]) => [number, number]} */
const apply = ([c, s, x, y], [a, b]) => [c * a - s * b + x, s * a + c * b + y];
const move = (map, corners) => corners.map((corner) => apply(map, corner));
/** @type {(map: number[], first: number[]) => number[]} */
const after = (map, [c, s, x, y]) => [map[0] * c - map[1] * s, map[1] * c + map[0] * s, ...apply(map, [x, y])];
/** @type {(map: number[]) => number[]} */
const inverse = ([c, s, x, y]) => { const d = c * c + s * s; const [a, b] = [c / d, -s / d]; return [a, b, b * y - a * x, -(b * x + a * y)]; };

/** The similarity of least squared distance from points to others; null where they are one point. */
function similarity(from, to) {
  const [p, q] = [centre(from), centre(to)];
  let dot = 0, cross = 0, square = 0;
  from.forEach(([x, y], i) => {
    const [ax, ay, bx, by] = [x - p[0], y - p[1], to[i][0] - q[0], to[i][1] - q[1]];
    dot += ax * bx + ay * by;
    cross += ax * by - ay * bx;
    square += ax * ax + ay * ay;
  });
  if (!(square > 0) || !(dot * dot + cross * cross > 0)) return null;
  const [c, s] = [dot / square, cross / square];
  return [c, s, q[0] - c * p[0] + s * p[1], q[1] - s * p[0] - c * p[1]];
}

const isNear = (map, corners, place, tolerance = TOLERANCE) => distance(apply(map, centre(corners)), centre(place)) <= tolerance * Math.max(sizeOf(place), sizeOf(corners));

/** The similarity that takes corners to others, pair by pair; of three pairs on one that speaks against the rest is left out. */
function fit(pairs) {
  const over = (some) => (some.length ? similarity(some.flatMap(([from]) => from), some.flatMap(([, to]) => to)) : null);
  const map = over(pairs);
  if (!map || pairs.length < 3) return map;
  const good = pairs.filter(([from, to]) => isNear(map, from, to, .25));
  return good.length > pairs.length / 2 ? over(good) : map;
}

/** Symbologies whose corners are certain. */
const MATRIX = /qr|matrix|aztec|maxi|pdf|dot/i;

/** What a code says, as a key. */
const keyOf = ({ symbology, text }) => `${symbology}\n${text}`;

export class Shelf {
  /** @type {{ key: string, symbology: string, text: string, chart: number, corners: any[], sightings: number, needed: number }[]} */
  #places = [];
  /** The places of the codes that are followed now, by their numbers. */
  #held = new Map();
  /** Where the codes of the last view were in it, by their numbers. */
  #before = new Map();
  /** The numbers of codes that parted from those around them. */
  #parted = new Set();
  #views = 0;
  #charts = 0;
  #chart = -1;
  /** Where the last view lay, which frame that was, and how far it goes from one frame to the next. */
  #map = IDENTITY;
  #last = -Infinity;
  #step = [0, 0];

  /** A code is no longer followed: its number comes never again. */
  lost(number) { this.#held.delete(number); this.#parted.delete(number); }

  /** Whether a code that is followed counts already. */
  counts(number) { const place = this.#held.get(number); return Boolean(place && place.sightings >= place.needed); }

  /**
   * Takes a view: codes as `{ code, symbology, text, corners }`, corners in pixels of the frame `{ width, height, sequence }`.
   */
  look(codes, { width, height, sequence: frame }) {
    this.#views += 1;
    // What is cut off by the edge is followed less surely.
    const isInside = ([x, y]) => x >= 0 && y >= 0 && x <= width && y <= height;
    const seen = codes.filter(({ corners }) => corners?.length === 4 && corners.every(isInside) && sizeOf(corners) > 1);
    if (!seen.length) return;
    const before = this.#chart;
    const map = this.#byNumbers(seen, width, frame) ?? this.#byContents(seen, width, frame) ?? this.#begin();
    const passed = frame - this.#last;
    this.#step = before === this.#chart && passed > 0 && passed <= MOMENTUM ? [(map[2] - this.#map[2]) / passed, (map[3] - this.#map[3]) / passed] : [0, 0];
    this.#map = map;
    this.#last = frame;
    this.#note(seen, map);
    this.#before = new Map(seen.map((one) => [one.code, one.corners]));
    if (this.#charts > 1 && this.#views % CHARTS_EVERY === 0) this.#join(seen);
  }

  /**
   * By the numbers of codes: what was followed from the last view tells how the camera moved, and matrix codes whose places are known
   * where it is. Linear codes say only how it moved, for where they end is less certain.
   */
  #byNumbers(seen, width, frame) {
    const pairs = frame - this.#last <= MOMENTUM
      ? seen.filter((one) => this.#before.has(one.code)).map((one) => [one.corners, this.#before.get(one.code), one]).filter(([now, then]) => distance(centre(now), centre(then)) <= LEAP * width) : [];
    const motion = fit(pairs);
    // What was out of sight, or leapt to a copy of itself, has to be found by its place.
    for (const one of seen) {
      if (motion && pairs.some(([now, then, each]) => each === one && isNear(motion, now, then, .5))) continue;
      if (motion && this.#before.has(one.code)) this.#parted.add(one.code);
      this.#held.delete(one.code);
    }
    if (!motion) return null;
    const expected = after(this.#map, motion);
    const at = (one) => this.#held.get(one.code).corners;
    const here = seen.filter((one) => this.#held.get(one.code)?.chart === this.#chart);
    for (const one of here) if (!isNear(expected, one.corners, at(one))) { this.#parted.add(one.code); this.#held.delete(one.code); }
    const sure = here.filter((one) => this.#held.has(one.code) && MATRIX.test(one.symbology));
    return fit(sure.map((one) => [one.corners, at(one)])) ?? expected;
  }

  /** By contents, where nothing was followed here: as near as possible to where the camera was, or by two different codes at least. */
  #byContents(seen, width, frame) {
    const passed = frame - this.#last;
    if (passed <= MEMORY) {
      const going = Math.min(passed, MOMENTUM);
      const expected = [this.#map[0], this.#map[1], this.#map[2] + this.#step[0] * going, this.#map[3] + this.#step[1] * going];
      const found = this.#align(seen, this.#chart, expected);
      const middle = found && centre(found.pairs[0][0].corners);
      const shift = found && distance(apply(inverse(expected), apply(found.map, middle)), middle);
      if (found && (found.contents > 1 || shift <= REACH * width || (shift <= FAR * width && this.#isAlone(found, 2.5 * shift)))) return found.map;
      // Nothing that is known where it should be: these are others.
      if (passed <= MOMENTUM) return expected;
    }
    for (let chart = this.#charts - 1; chart >= 0; chart--) {
      const found = this.#align(seen, chart, null);
      if (found && found.contents > 1) { this.#chart = chart; return found.map; }
    }
    return null;
  }

  /** Whether what a view was laid by has no copy within a distance of its place. */
  #isAlone({ map, pairs }, reach) {
    const place = pairs[0][1];
    return !this.#places.some((each) => each !== place && each.chart === place.chart && each.key === place.key && distance(centre(each.corners), centre(place.corners)) <= reach * Math.hypot(map[0], map[1]));
  }

  #begin() { this.#chart = this.#charts++; return IDENTITY; }

  /** The map that lays most codes of a view over places of a chart. */
  #align(seen, chart, expected) {
    const places = this.#places.filter((place) => place.chart === chart);
    let best = null;
    for (const one of seen.slice(0, 16)) {
      const own = centre(one.corners);
      for (const place of places.filter(({ key }) => key === keyOf(one)).slice(0, 24)) {
        const maps = [similarity(one.corners, place.corners)];
        if (expected) { const [x, y] = centre(place.corners), [a, b] = apply(expected, own); maps.push([expected[0], expected[1], expected[2] + x - a, expected[3] + y - b]); }
        for (const map of maps) {
          if (!map) continue;
          const pairs = this.#pairs(seen, places, map);
          const shift = expected ? distance(apply(map, own), apply(expected, own)) : 0;
          if (pairs.length && (!best || pairs.length > best.pairs.length || (pairs.length === best.pairs.length && shift < best.shift))) best = { map, pairs, shift, contents: 0 };
        }
      }
    }
    if (!best) return null;
    const refined = similarity(best.pairs.flatMap(([one]) => one.corners), best.pairs.flatMap(([, place]) => place.corners));
    if (refined) { const pairs = this.#pairs(seen, places, refined); if (pairs.length >= best.pairs.length) Object.assign(best, { map: refined, pairs }); }
    best.contents = new Set(best.pairs.map(([, place]) => place.key)).size;
    return best;
  }

  /** Codes and places that a map brings together. */
  #pairs(seen, places, map) {
    const taken = new Set();
    const pairs = [];
    for (const one of seen) {
      const place = this.#nearest(places.filter((each) => !taken.has(each)), keyOf(one), move(map, one.corners));
      if (place) { taken.add(place); pairs.push([one, place]); }
    }
    return pairs;
  }

  #nearest(places, key, corners) {
    const [at, own] = [centre(corners), sizeOf(corners)];
    const near = places.filter((place) => place.key === key).map((place) => ({ place, far: distance(at, centre(place.corners)) / Math.max(own, sizeOf(place.corners)) })).sort((a, b) => a.far - b.far)[0];
    return near && near.far <= TOLERANCE ? near.place : null;
  }

  /** Notes where everything is, and what is new. */
  #note(seen, map) {
    const here = this.#places.filter((place) => place.chart === this.#chart);
    const taken = new Set(seen.map((one) => this.#held.get(one.code)).filter(Boolean));
    for (const one of seen) {
      const corners = move(map, one.corners);
      let place = this.#held.get(one.code);
      if (place && place.chart !== this.#chart) continue;
      if (!place) {
        place = this.#nearest(here.filter((each) => !taken.has(each)), keyOf(one), corners);
        // A code that was read in two ways is one.
        if (!place && this.#nearest([...taken], keyOf(one), corners)) continue;
        if (!place) { place = { key: keyOf(one), symbology: one.symbology, text: one.text, chart: this.#chart, corners, sightings: 0, needed: this.#parted.has(one.code) ? SURE : AGREEMENT }; this.#places.push(place); }
        taken.add(place);
        this.#held.set(one.code, place);
      }
      // Half a linear code says nothing about the whole.
      const weight = sizeOf(corners) > .85 * sizeOf(place.corners) ? 1 / (Math.min(place.sightings, 8) + 1) : 0;
      place.corners = place.corners.map(([x, y], i) => [x + (corners[i][0] - x) * weight, y + (corners[i][1] - y) * weight]);
      place.sightings += 1;
    }
  }

  /** Lays other charts over this one where a view shows two different codes of both. */
  #join(seen) {
    for (let chart = 0; chart < this.#charts; chart++) {
      const theirs = this.#places.filter((place) => place.chart === chart);
      if (chart === this.#chart || theirs.length < 2) continue;
      const found = this.#align(seen, chart, null);
      if (!found || found.contents < 2) continue;
      const map = after(this.#map, inverse(found.map));
      for (const place of theirs) {
        const corners = move(map, place.corners);
        const twin = this.#nearest(this.#places.filter((each) => each.chart === this.#chart), place.key, corners);
        if (twin) {
          twin.sightings += place.sightings;
          this.#places.splice(this.#places.indexOf(place), 1);
          for (const [number, held] of this.#held) if (held === place) this.#held.set(number, twin);
        } else Object.assign(place, { corners, chart: this.#chart });
      }
    }
  }

  /** Stretches between which the camera's position was lost: where there are several, copies may count twice. */
  get stretches() { return new Set(this.#counted.map((place) => place.chart)).size; }

  get #counted() { return this.#places.filter((place) => place.sightings >= place.needed); }

  /**
   * What was counted as `[{ symbology, text, amount }]`, in the order in which it was seen: by "place" copies count, by "content"
   * they do not.
   */
  result(by) {
    const counted = new Map();
    for (const { key, symbology, text } of this.#counted) {
      const one = counted.get(key);
      if (!one) counted.set(key, { symbology, text, amount: 1 }); else if (by === 'place') one.amount += 1;
    }
    return [...counted.values()];
  }
}
