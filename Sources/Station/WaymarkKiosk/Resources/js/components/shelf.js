// The count of a shelf: the service keeps it, all who take part see the same.
import { followCodes } from './followed.js';

/** Nothing counted. */
const EMPTY = { count: '', total: 0, views: 0, stretches: 0, codes: [] };

/**
 * Has codes counted in a camera until `stop()`: `onframe(event)` is told where they are in each frame, those that count with `counted`, and
 * `onchange()` when what was counted has changed.
 * @param {any} app
 * @param {{ camera: any, onframe: (event: any) => void, onchange: () => void }} options
 * @param {import('../api.js').App} app
 */
export function countShelf(app, { camera, onframe, onchange }) {
  let state = EMPTY;

  function take(told) {
    // An event that came in between is newer than an answer that was under way.
    if (told.count === state.count && told.views < state.views && told.views > 0) return;
    state = told;
    onchange();
  }

  const off = app.events.on('count.changed', (event) => { if (camera.isOf(event) && (!state.count || event.count === state.count)) take(event); });
  const followed = followCodes(app, {
    camera, onframe, end: 'count.end',
    // After a break it goes on with the same count.
    begin: () => camera.command('count.begin', state.count ? { count: state.count } : {}).then(take),
  });

  return {
    /** Whether a frame has to wait for what is outlined in it. */
    get live() { return followed.live; },
    /** What was counted, as `count.changed` tells it. */
    get state() { return state; },
    /** Counts from nothing. */
    reset() {
      take({ ...EMPTY, count: state.count });
      return camera.command('count.reset');
    },
    stop() {
      off();
      followed.stop();
    },
  };
}
