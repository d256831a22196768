// Codes that the service follows from frame to frame while a view is open.
import { command } from '../api.js';

/** Requests keep their order also from view to view: two that are under way may overtake each other. */
let order = Promise.resolve();
const send = (method, params = {}) => { order = order.then(() => command(method, params)).catch(() => { /* Nothing is outlined then; the scan itself says what is wrong. */ }); };

/**
 * Has codes followed until `stop()`: `onframe(event)` is told where they are in each frame, `onfound(code)` of each code once,
 * with what it says, and `onlost(number)` when it is gone. Without `symbologies` those of barcode scans are followed.
 * @param {any} app
 * @param {{ symbologies?: string[], onframe: (event: any) => void, onfound?: (code: any) => void, onlost?: (number: number) => void }} options
 */
export function followCodes(app, { symbologies, onframe, onfound = () => {}, onlost = () => {} }) {
  let live = false;
  const begin = () => send('codes.follow', symbologies ? { symbologies } : {});
  const offs = [
    app.events.on('codes.updated', (event) => { live = event.codes.length > 0; onframe(event); }),
    app.events.on('code.found', onfound),
    app.events.on('code.lost', (event) => onlost(event.code)),
    app.events.on('connection', ({ online }) => { live = false; if (online) begin(); }),
  ];
  // Those that are followed for another program already are not told of again.
  for (const code of app.state.codes.values()) onfound(code);
  begin();

  return {
    /** Whether a frame has to wait for what is outlined in it. */
    get live() { return live; },
    stop() {
      for (const off of offs) off();
      send('codes.unfollow');
    },
  };
}

/**
 * The centre of four corners.
 * @param {[number, number][]} corners
 * @returns {[number, number]}
 */
export const centre = (corners) => [corners.reduce((sum, [x]) => sum + x, 0) / corners.length, corners.reduce((sum, [, y]) => sum + y, 0) / corners.length];
