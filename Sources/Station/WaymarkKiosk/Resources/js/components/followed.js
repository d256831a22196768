// Codes that the service follows from frame to frame while a view is open.
import { drawCode } from './overlay.js';

/** How long what was refused may wait to be followed: that begins a moment after reading. */
const MARK_MS = 1500;

/** Requests keep their order also from view to view: two that are under way may overtake each other. */
let order = Promise.resolve();
const inOrder = (work) => { order = order.then(work).catch(() => { /* Nothing is outlined then; the scan itself says what is wrong. */ }); };

/**
 * Has codes followed in a camera until `stop()`: `onframe(event)` is told where they are in each frame, `onfound(code)` of each code once,
 * with what it says, and `onlost(number)` when it is gone. Without `symbologies` those of barcode scans are followed. `begin` and `end` stand for
 * what else has codes followed.
 * @param {any} app
 * @param {{ camera: any, symbologies?: string[], begin?: () => Promise<any>, end?: string, onframe: (event: any) => void, onfound?: (code: any) => void, onlost?: (number: number) => void }} options
 * @param {import('../api.js').App} app
 */
export function followCodes(app, { camera, symbologies, begin = () => camera.command('codes.follow', symbologies ? { symbologies } : {}), end = 'codes.unfollow', onframe, onfound = () => {}, onlost = () => {} }) {
  let live = false;
  const offs = [
    app.events.on('codes.updated', (event) => { if (!camera.isOf(event)) return; live = event.codes.length > 0; onframe(event); }),
    app.events.on('code.found', (event) => { if (camera.isOf(event)) onfound(event); }),
    app.events.on('code.lost', (event) => { if (camera.isOf(event)) onlost(event.code); }),
    app.events.on('connection', ({ online }) => { live = false; if (online) inOrder(begin); }),
  ];
  // Those that are followed for another program already are not told of again.
  for (const code of camera.codes.values()) onfound(code);
  inOrder(begin);

  return {
    /** Whether a frame has to wait for what is outlined in it. */
    get live() { return live; },
    stop() {
      for (const off of offs) off();
      inOrder(() => camera.command(end));
    },
  };
}

/**
 * The centre of four corners.
 * @param {[number, number][]} corners
 * @returns {[number, number]}
 */
export const centre = (corners) => [corners.reduce((sum, [x]) => sum + x, 0) / corners.length, corners.reduce((sum, [, y]) => sum + y, 0) / corners.length];

/**
 * Codes that are outlined between two answers of a scan, each in the very frame it was followed in; those outside of `region()`, as
 * shares of the frame, are ignored. What was refused stays marked as long as it is followed.
 * Where several are in sight each has a number, from left to right; `onsight(codes)` is told when those in sight are others.
 * @param {any} app
 * @param {{ camera: any, symbologies?: string[], region: () => number[] | null, preview: any, onsight?: (codes: any[]) => void }} options
 * @param {import('../api.js').App} app
 */
export function outlinedCodes(app, { camera, symbologies, region, preview, onsight = () => {} }) {
  let seen = [];
  /** Those that count now, from left to right, with the size of the frame. @type {any[]} */
  let inSight = [];
  let size = { width: 1, height: 1 };
  let limits = [0, 0, 1, 1];
  /** @type {Map<number, number>} */
  let numbers = new Map();
  /** Their outlines as they were drawn last, on the stage. @type {{ code: number, points: [number, number][] }[]} */
  let drawn = [];
  const refusals = new Set();
  const refused = { corners: null, until: 0 };

  /** Notes which code was refused: that with its centre in what the answer outlined. */
  function mark() {
    if (!refused.corners || performance.now() > refused.until) return;
    const [x, y] = centre(refused.corners);
    const distance = (one) => { const [a, b] = centre(one.corners); return Math.hypot(a - x, b - y); };
    const nearest = [...seen].sort((a, b) => distance(a) - distance(b))[0];
    if (!nearest || distance(nearest) > Math.hypot(refused.corners[0][0] - x, refused.corners[0][1] - y)) return;
    refusals.add(nearest.code);
    refused.corners = null;
  }

  function counts([x, y], { width, height }) {
    const [left, top, wide, high] = limits;
    return x >= left * width && y >= top * height && x <= (left + wide) * width && y <= (top + high) * height;
  }

  const followed = followCodes(app, {
    camera, symbologies,
    onframe: (event) => {
      seen = event.codes.filter((one) => one.corners?.length);
      size = event.frame;
      limits = region() ?? [0, 0, 1, 1];
      mark();
      const known = inSight.map(({ code }) => code).sort().join();
      inSight = seen.filter((one) => counts(centre(one.corners), size)).sort((a, b) => centre(a.corners)[0] - centre(b.corners)[0]);
      // Whoever has been given a number keeps it while the same codes are in sight.
      if (inSight.map(({ code }) => code).sort().join() !== known) { numbers = new Map(inSight.map(({ code }, i) => [code, i + 1])); onsight(inSight); }
      preview.overlay(event.frame.sequence, event);
    },
    onlost: (number) => refusals.delete(number),
  });
  const numberOf = (code) => (numbers.size > 1 ? numbers.get(code) : undefined);

  return {
    get live() { return followed.live; },
    stop: followed.stop,
    /** Those in sight, from left to right. */
    get inSight() { return inSight; },
    numberOf,
    /** The number of the code at a point of the stage, or nothing; the nearest one within a finger's reach. */
    at(x, y) {
      const far = ({ points }) => { const [a, b] = centre(points); return Math.hypot(a - x, b - y) / Math.max(44, Math.hypot(points[0][0] - a, points[0][1] - b)); };
      return drawn.filter((one) => far(one) <= 1).sort((a, b) => far(a) - far(b))[0]?.code;
    },
    /** The part of the frame that a code takes, with some room, as shares of the frame; nothing where it is not in sight. */
    part(number) {
      const one = inSight.find(({ code }) => code === number);
      if (!one) return null;
      const [left, top, right, bottom] = [0, 1, 0, 1].map((axis, i) => (i < 2 ? Math.min : Math.max)(...one.corners.map((point) => point[axis])));
      const room = Math.max(right - left, bottom - top) * .15;
      const [l, u, r, d] = [(left - room) / size.width, (top - room) / size.height, (right + room) / size.width, (bottom + room) / size.height].map((share) => Math.min(1, Math.max(0, share)));
      return [l, u, r - l, d - u];
    },
    /** An answer was no: `corners` are those of the refused code. */
    refuse(corners) { Object.assign(refused, { corners, until: performance.now() + MARK_MS }); mark(); },
    /** Draws what `codes.updated` told of a frame. */
    draw(context, overlay, place) {
      drawn = [];
      for (const one of overlay.codes) {
        if (one.trackingMethod !== 'fullTracking' || !one.corners?.length || !counts(centre(one.corners), overlay.frame)) continue;
        const points = one.corners.map((point) => place.viewport.toScreen(point, place.scale));
        drawn.push({ code: one.code, points });
        drawCode(context, points, { state: refusals.has(one.code) ? 'invalid' : 'seen', number: numberOf(one.code) });
      }
    },
  };
}
