// The live picture with what may lie over it: loading, camera gone, and the view's own layers.
import { el } from '../dom.js';
import { Preview } from '../preview.js';
import { t } from '../strings.js';

/**
 * A stage over the camera. `paint` and `expectsOverlay` go to the preview; `watch(app)` is called by the view with the
 * application to follow the camera's state. `stop()` ends the stream.
 */
export function cameraStage(app, { paint, expectsOverlay, label }) {
  const canvas = el('canvas', { width: 640, height: 480, role: 'img', 'aria-label': label });
  const loading = el('div', { class: 'loading' }, el('span', { class: 'spinner' }), el('p', {}, t('common.loading')));
  const goneTitle = el('h3', {});
  const goneHelp = el('p', {});
  const gone = el('div', { class: 'camera-gone', role: 'alert', hidden: true }, goneTitle, goneHelp);
  const node = el('div', { class: 'stage' }, canvas, loading, gone);
  const preview = new Preview(canvas, { paint, expectsOverlay, onstate: (state) => { loading.hidden = state === 'live'; } });
  const camera = (state) => {
    const missing = ['lost', 'stalled'].includes(state);
    gone.hidden = !missing;
    if (missing) {
      goneTitle.textContent = t(state === 'lost' ? 'camera.gone' : 'camera.stalled');
      goneHelp.textContent = t(state === 'lost' ? 'camera.gone.help' : 'camera.stalled.help');
    }
  };
  camera(app.state.camera);
  const off = app.events.on('camera.status', (event) => camera(event.status));
  preview.start();
  return { node, canvas, preview, stop() { off(); preview.stop(); } };
}
