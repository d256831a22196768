// Reads printed text into a field: candidates within a band of the live picture are outlined; one is accepted when it is stable, or tapped.
import { command, CommandError } from '../api.js';
import { drawCode } from '../components/overlay.js';
import { assist } from '../components/assist.js';
import { guidedSearch } from '../components/search.js';
import { cameraStage } from '../components/stage.js';
import { openDialog } from '../dialog.js';
import { announce, button, el, setText, still } from '../dom.js';
import { toast } from '../elements/feedback.js';
import { now, t, tOr } from '../strings.js';

/** The milliseconds without a candidate after which advice is shown. */
const ADVICE_MS = 4000;
/** The milliseconds for which a candidate that is no longer read can be tapped. */
const KEEP_MS = 2500;
const SHOWN = 4;
const AGAIN_MS = 2000;
const TAKEN_MS = 500;

/** The distance between letters and their outline, in CSS pixels. */
const OUTLINE_ROOM = 16;

/** Moves the corners of a text outwards by `OUTLINE_ROOM`. */
function around(corners) {
  const middle = [0, 1].map((i) => corners.reduce((sum, point) => sum + point[i], 0) / corners.length);
  return corners.map((point) => point.map((at, i) => at + Math.sign(at - middle[i]) * OUTLINE_ROOM));
}

/** Marks the characters of a text in which other candidates of the same length differ. */
function marked(text, texts) {
  const own = [...text];
  const alike = texts.map((one) => [...one]).filter((one) => one.length === own.length);
  return own.map((character, i) => (alike.some((one) => one[i] !== character) ? el('mark', {}, character) : character));
}

/**
 * Opens the reader. `patterns` are names or regular expressions, `label` names the text to read. The dialog's promise resolves to
 * the text, or to `undefined` if it was left.
 * @param {import('../api.js').App} app
 */
export function openTextReader(app, { label, patterns = [] }) {
  const wanted = t('text.prompt', { label });
  let advice = 0;
  let taken = null;
  /** The candidates that can be tapped: a map from text to `{ candidate, seen }`. */
  const known = new Map();
  /** The outlined candidates: `{ items, width, until }`. */
  let seen = null;
  let asked = '';
  /** The tapped text that is not yet accepted. */
  let tapped = null;
  const offs = [];

  const words = el('span', {}, wanted);
  const prompt = el('p', { class: 'prompt' }, words);
  const frame = el('div', { class: 'window' }, el('i'), el('i'), el('i'), el('i'));
  const guide = el('div', { class: 'guide', 'data-shape': 'band', 'data-state': 'idle' }, prompt, frame);
  const area = el('div', { class: 'area' }, guide);
  const panel = el('div', { class: 'panel choices' });

  const say = (state, text) => { guide.dataset.state = prompt.dataset.state = state; setText(words, text); };
  const sayError = (code) => { const text = tOr(`error.${code}`, 'error.unavailable'); say('error', text); announce(text); };

  function paint(context, _, place) {
    if (!seen || place.now > seen.until) return false;
    const s = seen.width ? stage.size.width / seen.width : 1;
    for (const one of seen.items) {
      drawCode(context, around(one.corners.map((point) => place.viewport.toScreen(point, s))), { state: taken ? 'successful' : one.doubtful ? 'seen' : 'advice' });
    }
    return true;
  }

  const camera = app.cameras.for('field');
  const stage = cameraStage(app, { label: t('text.title'), camera, area, paint, onsize: () => search.refit() });

  const search = guidedSearch({
    stage, frame, take,
    begin: async (limits) => (await camera.command('text.begin', { ...(patterns.length ? { patterns } : {}), ...(limits ? { region: limits } : {}) })).session,
    cancel: (session) => command('text.cancel', { session }).catch(() => {}),
    isOver: () => taken,
    isShowing: () => taken,
    onbegun: () => { say('idle', now(wanted)); unseen(); },
    onfail: (error) => { if (error instanceof CommandError && error.code === 'busy') say('waiting', t('text.busy')); else sayError(error.code); },
  });

  function unseen() {
    clearTimeout(advice);
    advice = setTimeout(() => { if (!taken && !known.size) { say('advice', t('text.advice')); announce(t('text.advice')); } }, ADVICE_MS);
  }

  function take(event) {
    if (search.id === null || event.session !== search.id || taken) return;
    switch (event.event) {
      case 'text.candidates': show(event); break;
      case 'text.accepted': accept(event); break;
      case 'text.failed': sayError(event.code); break;
      default:
        search.replace();
        if (event.reason !== 'replaced') search.later(search.arm, AGAIN_MS);
    }
  }

  function show(event) {
    const at = performance.now();
    const items = event.candidates ?? [];
    if (items.length) { clearTimeout(advice); if (guide.dataset.state !== 'idle') say('idle', now(wanted)); }
    for (const one of items) known.set(one.text, { candidate: one, seen: at });
    for (const [text, one] of known) if (at - one.seen > KEEP_MS) known.delete(text);
    if (!known.size && guide.dataset.state === 'idle') { if (!advice) unseen(); } else if (!known.size) unseen();
    seen = items.length ? { items, width: event.frame?.width, until: at + 400 } : seen;
    stage.preview.redraw();
    offer();
    if (tapped !== null && items.some((one) => one.text === tapped || one.others?.includes(tapped))) choose(tapped);
  }

  /** Shows the candidates as buttons. Buttons that are shown already do not move, so that a tap hits the intended one. */
  function offer() {
    const texts = [];
    for (const { candidate } of known.values()) for (const text of [candidate.text, ...(candidate.others ?? [])]) if (!texts.includes(text)) texts.push(text);
    const before = /** @type {HTMLElement[]} */ ([...panel.querySelectorAll('button.choice')]).map((one) => one.dataset.text);
    const stay = before.filter((text) => texts.includes(text));
    const next = [...stay, ...texts.filter((text) => !stay.includes(text))].slice(0, SHOWN);
    const key = JSON.stringify(next);
    if (key === asked) return;
    asked = key;
    if (!next.length) { panel.replaceChildren(); return; }
    const doubt = [...known.values()].some(({ candidate }) => candidate.doubtful && candidate.others?.length);
    const question = t(doubt ? 'text.doubt' : patterns.length ? 'text.choose' : 'text.choose.any');
    panel.replaceChildren(el('h3', {}, question), el('div', { class: 'list' },
      ...next.map((text) => {
        const node = button('', () => choose(text), { kind: 'choice', 'data-text': text });
        node.append(el('span', {}, ...marked(text, next)));
        return node;
      })));
    // Announced when candidates appear for the first time, and whenever a choice is required.
    if (doubt || !before.length) announce(question);
  }

  async function choose(text) {
    tapped = text;
    if (search.id === null || taken) return;
    try {
      const chosen = await command('text.choose', { session: search.id, text });
      if (!taken) accept(chosen);
    } catch (error) {
      // The session is a new one, since the band has moved: the tapped text is accepted as soon as it is read again.
      if (taken || ['notFound', 'noSession'].includes(error.code)) return;
      tapped = null;
      toast(tOr(`error.${error.code}`, 'error.unavailable'));
    }
  }

  function accept(event) {
    taken = event;
    clearTimeout(advice);
    panel.replaceChildren();
    say('done', event.text);
    announce(t('text.taken', { text: event.text }));
    if (event.corners?.length) seen = { items: [{ corners: event.corners }], width: event.frame?.width ?? seen?.width, until: performance.now() + TAKEN_MS + 200 };
    stage.preview.redraw();
    setTimeout(() => dialog.close(event.text), still.matches ? 0 : TAKEN_MS);
  }

  const dialog = openDialog({
    label: t('text.title'), kind: 'view camera reader',
    onclose: () => {
      search.stop();
      clearTimeout(advice);
      for (const off of offs) off();
      stage.stop();
      if (search.id !== null && !taken) command('text.cancel', { session: search.id }).catch(() => {});
    },
    build: (self) => {
      for (const name of /** @type {const} */ (['candidates', 'accepted', 'failed', 'ended'])) offs.push(app.events.on(`text.${name}`, search.hear));
      offs.push(app.events.on('connection', ({ online }) => { if (online && !taken) { search.replace(); search.arm(); } }));
      const box = document.createDocumentFragment();
      box.append(stage.node,
        el('header', { class: 'bar' }, button(t('common.cancel'), () => self.close(), { kind: 'leave' }), el('h2', {}, t('text.title')), el('span', {}, stage.light, assist('text'))),
        area, panel);
      return box;
    },
  });
  stage.measure();
  search.start();
  return dialog;
}
