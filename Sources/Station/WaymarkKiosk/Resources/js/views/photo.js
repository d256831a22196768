// Takes a photo for a form: the whole picture of the camera, a shutter, and a preview of the photo.
import { assist } from '../components/assist.js';
import { cameraStage } from '../components/stage.js';
import { ask, openDialog } from '../dialog.js';
import { button, el } from '../dom.js';
import { toast } from '../elements/feedback.js';
import { t } from '../strings.js';

/** The largest size of a photo in bytes, as a form is submitted in one command of 64 KiB. */
const BYTES = 24 * 1024;
const WIDTHS = [800, 640, 480, 320];
const QUALITIES = [.8, .65, .5, .35];

/**
 * Encodes a part of a canvas as a JPEG of at most `BYTES`; null if that is impossible.
 * @param {HTMLCanvasElement} canvas
 * @param {{ left: number, top: number, width: number, height: number }} part
 * @returns {Promise<Blob | null>}
 */
async function photographed(canvas, { left, top, width, height }) {
  for (const wide of WIDTHS) {
    const small = el('canvas', { width: Math.round(Math.min(wide, width)), height: Math.round(Math.min(wide, width) * height / width) });
    small.getContext('2d').drawImage(canvas, left, top, width, height, 0, 0, small.width, small.height);
    for (const quality of QUALITIES) {
      const blob = await new Promise((done) => { small.toBlob(done, 'image/jpeg', quality); });
      if (blob && blob.size <= BYTES) return blob;
    }
  }
  return null;
}

/** Converts a file to a data URL. */
const addressOf = (blob) => new Promise((done) => { const reader = new FileReader(); reader.onload = () => done(String(reader.result)); reader.readAsDataURL(blob); });

/**
 * Opens the view; the dialog's promise resolves to a JPEG as data URL, or to `undefined` if it was left.
 * @param {import('../api.js').App} app
 */
export function openPhoto(app, { label }) {
  const area = el('div', { class: 'area' });
  const stage = cameraStage(app, { label: t('photo.take'), camera: app.cameras.for('field'), area, whole: true });
  const shutter = el('button', { class: 'shutter', type: 'button', 'data-first': true, 'aria-label': t('photo.take'), onclick: () => take() }, el('i'));

  async function take() {
    const { live, size, canvas } = stage;
    if (!live) return;
    const ratio = canvas.width / canvas.clientWidth;
    const photo = await photographed(canvas, { left: live.left * ratio, top: live.top * ratio, width: size.width * live.scale * ratio, height: size.height * live.scale * ratio });
    if (!photo) { toast(t('error.unavailable')); return; }
    const picture = URL.createObjectURL(photo);
    const use = await ask({ label: t('photo.keep'), picture: el('img', { class: 'page', alt: '', src: picture }), choices: [{ label: t('photo.again'), value: false }, { label: t('photo.use'), value: true, primary: true }] });
    URL.revokeObjectURL(picture);
    if (use) dialog.close(await addressOf(photo));
  }

  const dialog = openDialog({
    label, kind: 'view camera documents photo', onclose: () => stage.stop(),
    build: (self) => {
      const box = document.createDocumentFragment();
      box.append(stage.node, el('header', { class: 'bar' }, button(t('common.cancel'), () => self.close(), { kind: 'leave' }), el('h2', {}, label), el('span', {}, stage.light, assist('photo'))), el('div', { class: 'hint' }), area, el('div', { class: 'tray' }, el('div', { class: 'shots' }, el('span', {}), shutter, el('span', {}))));
      return box;
    },
  });
  stage.measure();
  return dialog;
}
