// The view for counting: the camera is moved along a shelf, every code is counted once, and the list is submitted or saved.
import { command, handedNumber, repeatWhenBack } from '../api.js';
import { assist, guidance } from '../components/assist.js';
import { countedList } from '../components/counted.js';
import { drawCode } from '../components/overlay.js';
import { goesHome, openResult } from '../components/result.js';
import { countShelf } from '../components/shelf.js';
import { cameraStage } from '../components/stage.js';
import { ask, openDialog } from '../dialog.js';
import { announce, button, el, setText } from '../dom.js';
import { emptyState, statusButton, toast } from '../elements/feedback.js';
import { icon } from '../icons.js';
import { cue } from '../sound.js';
import { t, tOr } from '../strings.js';

/** The milliseconds without a change after which a screen reader announces the total. */
const TELL_MS = 1200;

/** Formats codes as CSV (RFC 4180), with every text quoted, as `waymark count --csv` does. */
export function csvOf(codes) {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  return ['symbology,text,amount,input', ...codes.map(({ symbology, text, amount }) => `${quoted(symbology)},${quoted(text)},${amount},"live"`)].map((line) => `${line}\r\n`).join('');
}

/**
 * Opens the view.
 * @param {import('../api.js').App} app
 */
export function openCount(app) {
  let by = 'place';
  let total = 0;
  let shown = '';
  let telling = 0;
  /** True if the count was neither submitted nor saved since its last change. */
  let dirty = false;
  let key = handedNumber();

  const prompt = el('p', { class: 'prompt' }, el('span', {}, t('count.prompt')));
  const area = el('div', { class: 'area' }, el('div', { class: 'hint' }, prompt));
  const stuck = guidance({ area, picture: 'count', text: () => (total ? '' : t('stuck.count')) });
  const amount = el('strong', { class: 'total' });
  const words = el('h3', {});
  const list = countedList({ onchange: () => { dirty = true; draw(); } });
  const nothing = emptyState({ picture: 'count', size: 92, title: t('count.nothing'), text: t('count.nothing.help'), level: 4 });
  const gap = el('p', { class: 'gap', hidden: true }, icon('alert'), el('span', {}, t('count.gap')));

  const compared = el('p', { class: 'compared', role: 'status', hidden: true }, icon('info'), el('span', {}));

  const camera = app.cameras.for('count');
  const stage = cameraStage(app, {
    label: t('count.title'), camera, area, expectsOverlay: () => shelf.live,
    paint: (context, overlay, place) => {
      for (const one of overlay?.codes ?? []) {
        if (one.trackingMethod === 'fullTracking' && one.corners?.length) drawCode(context, one.corners.map((point) => place.viewport.toScreen(point, place.scale)), { state: one.counted ? 'successful' : 'seen' });
      }
      return false;
    },
  });

  /** The counted codes as `[{ symbology, text, amount }]`; copies count if `by` is "place", and do not if it is "content". */
  const counted = () => list.rows.filter((one) => one.amount > 0).map(({ symbology, text = '', amount: copies }) => ({ symbology, text, amount: copies }));

  function draw() {
    const { stretches } = shelf.state;
    list.take(shelf.state.codes, by, shelf.state.expected);
    const codes = counted();
    const { differences } = list;
    compared.hidden = !differences;
    compared.lastElementChild.textContent = differences?.words ?? '';
    const now = JSON.stringify([by, codes, differences]);
    gap.hidden = by !== 'place' || stretches < 2;
    if (now === shown) return;
    stuck.moved();
    const before = total;
    shown = now;
    total = codes.reduce((sum, one) => sum + one.amount, 0);
    dirty = total > 0;
    if (total > before) cue('counted');
    amount.textContent = String(total);
    setText(words, t('count.rest', { count: codes.length }));
    panel.toggleAttribute('data-empty', !list.rows.length);
    for (const one of [csv, json, send, again]) one.disabled = !codes.length;
    send.rest();
    send.disabled = !codes.length;
    clearTimeout(telling);
    if (total) telling = window.setTimeout(() => announce(`${total} ${words.textContent}`), TELL_MS);
  }

  const report = () => ({ by, pictures: shelf.state.views, stretches: shelf.state.stretches, total, codes: counted().map((one) => ({ ...one, input: 'live' })) });

  /** Saves a file in the browser. */
  function keep(type, ending, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    el('a', { href: address, download: `${t('count.file')}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    dirty = false;
  }

  function restart() {
    list.clear();
    key = handedNumber();
    shelf.reset().catch((error) => toast(tOr(`error.${error.code}`, 'error.unavailable'), { seconds: 7 }));
  }

  const choices = ['place', 'content'].map((one) => button(t(`count.by.${one}`), () => {
    by = one;
    for (const [i, each] of ['place', 'content'].entries()) choices[i].setAttribute('aria-pressed', String(each === by));
    draw();
  }, { 'data-by': one, 'aria-pressed': String(one === by) }));
  const csv = button('CSV', () => keep('text/csv;charset=utf-8', 'csv', csvOf(counted())), { 'data-save': 'csv', 'aria-label': t('count.csv'), before: icon('document'), disabled: true });
  const json = button('JSON', () => keep('application/json', 'json', `${JSON.stringify(report(), null, 2)}\n`), { 'data-save': 'json', 'aria-label': t('count.json'), before: icon('document'), disabled: true });
  const again = button(t('count.again'), restart, { 'data-again': true, disabled: true });
  const send = statusButton({
    label: t('count.send'), processing: t('count.sending'), success: t('count.sent'), failure: t('common.again'),
    work: async () => {
      const handed = shown;
      const codes = counted();
      await command('form.submit', { form: 'count', key, fields: [{ name: 'by', value: by }, { name: 'total', value: String(total) }, { name: 'codes', value: JSON.stringify(codes) }, ...(list.differences ? [{ name: 'differences', value: JSON.stringify(list.differences.list) }] : [])] });
      const number = key;
      key = handedNumber();
      // Codes that were counted meanwhile were not submitted.
      if (shown === handed) dirty = false;
      await openResult(app, { of: 'count', number, result: { type: 'csv', text: csvOf(codes) } }, {
        state: 'count-sent', title: t('count.sent'), text: [t('count.sent.help', { total, count: codes.length }), list.differences?.words].filter(Boolean).join('. '),
        another: { label: t('count.another'), onclick: restart }, ondone: () => { dialog.close(); app.home(); },
      });
    },
    onfailure: (error) => {
      repeatWhenBack(app, error, () => { if (dialog.node.isConnected && send.dataset.state === 'failure') send.begin(); });
      toast(tOr(`error.${error.code}`, 'error.unavailable'), { seconds: 7 });
    },
  });
  send.disabled = true;
  const panel = el('section', { class: 'sheet counted', 'aria-label': t('count.list'), 'data-empty': true },
    el('div', { class: 'head' }, amount, words, list.sort, list.filter),
    el('div', { class: 'choice-row', role: 'group', 'aria-label': t('count.by') }, ...choices), gap, compared, list.bar, nothing, list.list,
    el('div', { class: 'actions' }, again, ...(goesHome(app, 'count') ? [] : [csv, json]), send));

  /** Leaves the view; asks first if the count was not saved. */
  async function leave() {
    if (dirty) {
      const yes = await ask({ label: t('count.leave'), text: t('count.leave.help'), choices: [{ label: t('count.discard'), value: true }, { label: t('count.stay'), value: false, primary: true }] });
      if (!yes) return;
    }
    dialog.close();
  }

  const shelf = countShelf(app, { camera, onframe: (event) => stage.preview.overlay(event.frame.sequence, event), onchange: draw });
  const dialog = openDialog({
    label: t('count.title'), kind: 'view camera counting',
    mayClose: () => { if (!dirty) return true; leave(); return false; },
    onclose: () => { clearTimeout(telling); stuck.stop(); shelf.stop(); stage.stop(); },
    build: () => {
      const box = document.createDocumentFragment();
      box.append(stage.node, el('header', { class: 'bar' }, button(t('common.cancel'), leave, { kind: 'leave' }), el('h2', {}, t('count.title')), el('span', {}, stage.light, assist('count'))), area, el('div', { class: 'panel' }, panel));
      return box;
    },
  });
  amount.textContent = '0';
  setText(words, t('count.rest', { count: 0 }));
  stage.measure();
  return dialog;
}
