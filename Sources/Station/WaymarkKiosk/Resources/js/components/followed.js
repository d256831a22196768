// Codes that the service follows from frame to frame while a view is open.
import { drawCode } from './overlay.js';

/** The time within which a refused code must be found among the followed ones, as following begins a moment after reading. */
const MARK_MS = 1500;

/** The chain of requests, which are sent one after the other also across views, as concurrent ones may overtake each other. */
let order = Promise.resolve();
const inOrder = (work) => { order = order.then(work).catch(() => { /* Nothing is outlined then; the scan itself says what is wrong. */ }); };

/**
 * Has the service follow codes in a camera until `stop()`. Calls `onframe(event)` with the codes' corners in each frame,
 * `onfound(code)` once for each code with its text, and `onlost(number)` when a code is lost. Without `symbologies` those of
 * barcode scans are followed. `begin` and `end` replace the requests that begin and end following.
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
  // Codes that the service follows already for another program are not reported again.
  for (const code of camera.codes.values()) onfound(code);
  inOrder(begin);

  return {
    /** True while codes are followed, so that a frame has to wait for their outlines. */
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
 * Outlines the followed codes during a scan, each in the frame in which it was followed. Codes outside of `region()`, which is in
 * shares of the frame, are ignored. A refused code stays marked while it is followed. If several codes are visible, they are
 * numbered from left to right; `onsight(codes)` is called when the set of visible codes changes.
 * @param {any} app
 * @param {{ camera: any, symbologies?: string[], region: () => number[] | null, preview: any, onsight?: (codes: any[]) => void }} options
 * @param {import('../api.js').App} app
 */
export function outlinedCodes(app, { camera, symbologies, region, preview, onsight = () => {} }) {
  let seen = [];
  /** The visible codes within the region, from left to right. @type {any[]} */
  let inSight = [];
  let size = { width: 1, height: 1 };
  let limits = [0, 0, 1, 1];
  /** @type {Map<number, number>} */
  let numbers = new Map();
  /** The outlines that were drawn last, in pixels of the stage. @type {{ code: number, points: [number, number][] }[]} */
  let drawn = [];
  const refusals = new Set();
  const refused = { corners: null, until: 0 };

  /** Finds the refused code: the one whose centre is nearest to the corners in the answer. */
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
      // A code keeps its number while the same codes are in sight.
      if (inSight.map(({ code }) => code).sort().join() !== known) { numbers = new Map(inSight.map(({ code }, i) => [code, i + 1])); onsight(inSight); }
      preview.overlay(event.frame.sequence, event);
    },
    onlost: (number) => refusals.delete(number),
  });
  const numberOf = (code) => (numbers.size > 1 ? numbers.get(code) : undefined);

  return {
    get live() { return followed.live; },
    stop: followed.stop,
    /** The visible codes, from left to right. */
    get inSight() { return inSight; },
    numberOf,
    /** The service's number of the nearest code within a finger's reach of a point of the stage; undefined without one. */
    at(x, y) {
      const far = ({ points }) => { const [a, b] = centre(points); return Math.hypot(a - x, b - y) / Math.max(44, Math.hypot(points[0][0] - a, points[0][1] - b)); };
      return drawn.filter((one) => far(one) <= 1).sort((a, b) => far(a) - far(b))[0]?.code;
    },
    /** The part of the frame around a code, with a margin, as shares of the frame; null if the code is not visible. */
    part(number) {
      const one = inSight.find(({ code }) => code === number);
      if (!one) return null;
      const [left, top, right, bottom] = [0, 1, 0, 1].map((axis, i) => (i < 2 ? Math.min : Math.max)(...one.corners.map((point) => point[axis])));
      const room = Math.max(right - left, bottom - top) * .15;
      const [l, u, r, d] = [(left - room) / size.width, (top - room) / size.height, (right + room) / size.width, (bottom + room) / size.height].map((share) => Math.min(1, Math.max(0, share)));
      return [l, u, r - l, d - u];
    },
    /** Marks the code with these corners as refused. */
    refuse(corners) { Object.assign(refused, { corners, until: performance.now() + MARK_MS }); mark(); },
    /** Draws the codes of an event `codes.updated`. */
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
