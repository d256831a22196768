// The count of a shelf, which the service keeps for all clients that take part.
import { followCodes } from './followed.js';

/** The state before anything was counted. */
const EMPTY = { count: '', total: 0, views: 0, stretches: 0, codes: [] };

/**
 * Has the service count codes in a camera until `stop()`. Calls `onframe(event)` with the codes' corners in each frame, those of
 * counted codes with `counted`, and `onchange()` when the count has changed.
 * @param {any} app
 * @param {{ camera: any, onframe: (event: any) => void, onchange: () => void }} options
 * @param {import('../api.js').App} app
 */
export function countShelf(app, { camera, onframe, onchange }) {
  let state = EMPTY;

  function take(answer) {
    // An answer may be older than an event that arrived before it.
    if (answer.count === state.count && answer.views < state.views && answer.views > 0) return;
    // Only some events contain the expected articles.
    state = { ...answer, expected: answer.expected ?? state.expected };
    onchange();
  }

  const off = app.events.on('count.changed', (event) => { if (camera.isOf(event) && (!state.count || event.count === state.count)) take(event); });
  const followed = followCodes(app, {
    camera, onframe, end: 'count.end',
    // After a lost connection the same count continues.
    begin: () => camera.command('count.begin', state.count ? { count: state.count } : {}).then(take),
  });

  return {
    /** True while codes are followed, so that a frame has to wait for their outlines. */
    get live() { return followed.live; },
    /** The count, as `count.changed` reports it. */
    get state() { return state; },
    /** Begins the count again from zero. */
    reset() {
      take({ ...EMPTY, count: state.count, expected: state.expected });
      return camera.command('count.reset');
    },
    stop() {
      off();
      followed.stop();
    },
  };
}
