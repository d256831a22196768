// The code scanner: onboarding with its verdicts, or one barcode for a field.
import { command, CommandError } from '../api.js';
import { assist, guidance } from '../components/assist.js';
import { cameraRoll } from '../components/camera-roll.js';
import { centre, outlinedCodes } from '../components/followed.js';
import { drawCode } from '../components/overlay.js';
import { guidedSearch } from '../components/search.js';
import { cameraStage } from '../components/stage.js';
import { openResult } from '../components/result.js';
import { verdictPanel } from '../components/verdict.js';
import { openDialog } from '../dialog.js';
import { announce, button, el, printable, setText, still } from '../dom.js';
import { statusButton, tick, toast } from '../elements/feedback.js';
import { art, icon } from '../icons.js';
import { cue, isMuted, mute } from '../sound.js';
import { said, t, tOr } from '../strings.js';

const ADVICE_MS = 1500;
const INVALID_MS = 9000;
const SCAN_SECONDS = 60;
const SNAP_MS = 260;
/** The milliseconds for which only a chosen code is searched for. */
const CHOSEN_MS = 5000;

/**
 * Opens the scanner. `mode` is "onboarding" or "barcode", `camera` the camera of the view that opens it. The dialog's promise
 * resolves to the accepted verdict, or to `undefined` if it was left.
 * @param {import('../api.js').App} app
 */
export function openScanner(app, { mode, camera = app.cameras.for(mode === 'barcode' ? 'field' : 'onboard') }) {
  const barcode = mode === 'barcode';
  const wanted = () => t(barcode ? 'scan.prompt.barcode' : 'scan.prompt');
  let fading = 0;
  let done = false;
  let handed = null;
  /** The shown verdict, and its code as `{ corners, width, state, since }`. */
  let verdict = null;
  let code = null;
  /** The codes in a visitor's picture among which they choose, and the function that reads one of them; null without such a picture. @type {{ corners: [number, number][] }[] | null} */
  let choices = null;
  let pick = /** @type {(index: number) => void} */ (() => {});
  /** The number of pictures that are being read; an accepted one replaces the current scan. */
  let judging = 0;
  const offs = [];

  const words = el('span', {}, wanted());
  const prompt = el('p', { class: 'prompt' }, words);
  const frame = el('div', { class: 'window' }, el('i'), el('i'), el('i'), el('i'));
  const guide = el('div', { class: 'guide', 'data-shape': barcode ? 'bars' : 'square', 'data-state': 'idle' }, prompt, frame);
  const area = el('div', { class: 'area' }, guide);
  const panel = el('div', { class: 'panel' });
  let roll = null;
  /** True while the visitor is asked which of several codes is meant. */
  let asking = false;
  /** The region of the guide when the question was asked, as the panel of the question moves the guide. */
  let within = null;
  let chosen = 0;

  const stuck = guidance({ area, picture: 'onboard', text: () => (verdict || asking || handed || judging || !search.id ? '' : t(barcode ? 'stuck.barcode' : 'stuck.code')) });
  const say = (state, text) => { guide.dataset.state = prompt.dataset.state = state; setText(words, text); };
  const disarm = (id) => command('scan.cancel', { scan: id }).catch(() => {});
  const sayError = (error) => { const text = tOr(`error.${error}`, 'error.unavailable'); say('error', text); announce(text); };

  function paint(context, overlay, place) {
    if (overlay?.codes && !verdict) followed.draw(context, overlay, place);
    choices?.forEach(({ corners }, index) => drawCode(context, corners.map((point) => place.viewport.toScreen(point)), { state: 'seen', number: index + 1 }));
    if (!code) return false;
    const share = still.matches ? 1 : Math.min(1, (place.now - code.since) / SNAP_MS);
    const opacity = code.until ? Math.max(0, Math.min(1, (code.until - place.now) / 250)) : 1;
    if (opacity <= 0) { code = null; return false; }
    const s = code.width ? stage.size.width / code.width : 1;
    const at = code.corners.map((point) => place.viewport.toScreen(point, s));
    // The guide's own corners close in on the code.
    const points = code.from && share < 1 ? at.map(([x, y], i) => [code.from[i][0] + (x - code.from[i][0]) * share, code.from[i][1] + (y - code.from[i][1]) * share]) : at;
    drawCode(context, points, { state: share < 1 ? 'seen' : code.state, opacity });
    return share < 1 || Boolean(code.until);
  }

  const stage = cameraStage(app, { label: t('scan.title'), camera, area, paint, onsize: () => search.refit(), expectsOverlay: () => followed.live && !verdict });

  const search = guidedSearch({
    stage, frame, take, cancel: disarm,
    begin: async (limits) => (await camera.command('scan.begin', { mode, timeout: SCAN_SECONDS, once: barcode, ...(limits ? { region: limits } : {}) })).scan,
    isOver: () => handed,
    isShowing: () => handed || verdict || judging || asking,
    onarm: () => idle(),
    onfail: (error) => { if (error instanceof CommandError && error.code === 'busy') say('waiting', t('scan.busy')); else sayError(error.code); },
  });

  function idle() {
    verdict = null;
    choices = null;
    asking = false;
    within = null;
    delete dialog.node.dataset.asking;
    code = null;
    const held = panel.contains(document.activeElement);
    panel.replaceChildren();
    if (held) dialog.node.focus({ preventScroll: true });
    delete dialog.node.dataset.frozen;
    stage.thaw();
    say('idle', wanted());
    stuck.moved();
  }

  function show(next, buttons) {
    search.wait();
    stuck.moved();
    choices = null;
    verdict = next;
    // The panel is filled first, as the position of the code depends on the area that the panel leaves free.
    const outer = stage.node.getBoundingClientRect();
    const box = frame.getBoundingClientRect();
    const [l, u, r, d] = [box.left - outer.left, box.top - outer.top, box.right - outer.left, box.bottom - outer.top];
    panel.replaceChildren(verdictPanel(next, buttons, app.config.page.brand));
    const already = dialog.node.dataset.frozen;
    dialog.node.dataset.frozen = next.outcome;
    code = next.corners?.length ? { corners: next.corners, width: next.frame?.width ?? null, state: next.outcome, since: performance.now(), from: already ? null : [[l, u], [r, u], [r, d], [l, d]] } : null;
    if (!next.still) stage.freeze({ sequence: next.frame?.sequence, points: next.corners, width: next.frame?.width });
    /** @type {HTMLElement} */ (panel.querySelector('.button.primary'))?.focus({ preventScroll: true });
  }

  /** Handles an event of a live scan, if the scan is that of this page. */
  function take(event) {
    if (search.id === null || event.scan !== search.id) return;
    // While a visitor looks at a picture of their own, codes in the camera's view are not reported; they are searched for again afterwards.
    if ((judging || verdict?.still) && !['scan.cancelled', 'scan.unsuccessful', 'scan.ended'].includes(event.event)) return;
    const outcome = event.event.slice('scan.'.length);
    switch (outcome) {
      case 'successful': accepted({ ...event, outcome }); break;
      case 'invalid': refuse({ ...event, outcome }); break;
      case 'unsuccessful': search.replace(); if (!judging && !verdict?.still) refuse({ ...event, outcome }); break;
      case 'guide': advise(event); break;
      case 'ended':
        // Codes that were read once, or confirmed by this page, were handled by an earlier event or answer.
        if (event.reason === 'once' || handed) break;
        if (event.reason === 'confirmed') { if (verdict && !panel.querySelector('[data-state="processing"]')) { handed = verdict; dialog.close(verdict); } break; }
      // No other event reported it.
      // falls through
      default:
        if (event.reason === 'replaced' && judging) return;
        search.replace();
        // Another client ended the scan: the code to confirm is gone, and is searched for again.
        if (!judging && (!verdict || verdict.outcome === 'successful')) search.later(search.arm, 500);
    }
  }

  function advise(event) {
    if (verdict || judging || asking) return;
    stuck.moved();
    const text = tOr(`advice.${event.advice}`, 'scan.prompt');
    say('advice', text);
    announce(text);
    if (event.corners?.length) { code = { corners: event.corners, width: event.frame?.width, state: 'advice', since: 0, until: performance.now() + ADVICE_MS }; stage.preview.redraw(); }
    search.later(() => { say('idle', wanted()); }, ADVICE_MS);
  }

  function accepted(next) {
    if (barcode) {
      // The code is shown for a moment before the dialog closes.
      show(next, []);
      panel.replaceChildren();
      handed = next;
      fading = setTimeout(() => dialog.close(next), still.matches ? 0 : SNAP_MS + 240);
      return;
    }
    const cancel = button(t('scan.reject'), async () => {
      if (handed || go.dataset.state === 'processing') return;
      await disarm(next.scan);
      search.replace();
      search.narrow(null);
    });
    const go = statusButton({
      label: next.connectTo ? t('scan.go') : t('scan.continue'), processing: t('scan.confirming'), success: next.connectTo ? t('scan.go') : t('scan.continue'), failure: t('common.again'),
      work: async () => {
        cancel.disabled = true;
        try { await command('scan.confirm', { scan: next.scan }); } catch (error) {
          cancel.disabled = false;
          throw error;
        }
        handed = next;
        setTimeout(() => dialog.close(next), still.matches ? 0 : 350);
      },
      onfailure: (error) => {
        // Between reading and confirmation the code may have been used elsewhere.
        if (error.code === 'replayed') { refuse({ ...next, outcome: 'invalid', reason: 'replayed' }); return; }
        // The code may also no longer be accepted; the message ends with the same reason as the event.
        if (error.code === 'codeRefused') { refuse({ ...next, outcome: 'invalid', reason: /(\w+)\.$/.exec(error.message)?.[1] }); return; }
        const text = tOr(`error.${error.code}`, 'error.unavailable');
        let note = panel.querySelector('.fault');
        if (!note) { note = el('p', { class: 'fault' }); panel.querySelector('.actions').before(note); }
        note.textContent = text;
        announce(text);
      },
    });
    show(next, [cancel, go]);
  }

  /** Asks which of several visible codes is meant; the picture stays live meanwhile. */
  function inquire() {
    if (!asking) { within = search.guide; asking = true; dialog.node.dataset.asking = ''; cue('invalid'); announce(t('scan.several')); }
    search.wait();
    say('advice', t('scan.several'));
    const held = /** @type {any} */ (document.activeElement)?.dataset?.code;
    const visible = followed.inSight.length > 1 ? followed.inSight : [];
    several(visible.map(({ code: one }) => ({ number: followed.numberOf(one), data: { 'data-code': String(one) }, onclick: () => look(one) })), button(t('common.again'), () => { idle(); search.narrow(null); }, { kind: 'primary' }));
    /** @type {HTMLElement | null} */ (held ? panel.querySelector(`[data-code="${held}"]`) : null)?.focus({ preventScroll: true });
  }

  /** Searches only for one of the visible codes, for a limited time. */
  function look(number) {
    const part = followed.part(number);
    if (!part) return;
    idle();
    search.narrow(part);
    chosen = window.setTimeout(() => { if (!done && !verdict && !handed && !judging) search.narrow(null); }, CHOSEN_MS);
  }

  /** The panel with a button for each of several codes. */
  const several = (codes, last) => panel.replaceChildren(el('section', { class: 'sheet several', 'aria-label': t('scan.several.title') }, el('h3', {}, t('scan.several.title')), el('p', { class: 'soft' }, t('scan.several.help')),
    el('div', { class: 'list' }, ...codes.map(({ number, data, onclick }) => button(t('scan.several.code', { number }), onclick, { ...data, before: icon('qr') }))), last));

  /** Asks which of the codes in a visitor's picture is meant. */
  function inquireStill(next) {
    search.wait();
    verdict = next;
    ({ choices } = next);
    pick = (index) => {
      const { width, height } = stage.size;
      const [xs, ys] = [0, 1].map((axis) => next.choices[index].corners.map((point) => point[axis] + .5));
      const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
      const room = .15 * Math.max(right - left, bottom - top);
      const [l, u, r, d] = [(left - room) / width, (top - room) / height, (right + room) / width, (bottom + room) / height].map((share) => Math.min(1, Math.max(0, share)));
      next.only([l, u, r - l, d - u]);
    };
    dialog.node.dataset.frozen = 'picture';
    dialog.node.dataset.asking = '';
    cue('invalid');
    announce(t('scan.several'));
    several(next.choices.map((_, index) => ({ number: index + 1, data: { 'data-choice': String(index) }, onclick: () => pick(index) })), button(t('roll.another'), () => roll.firstElementChild.choose(), { 'data-another': true }));
    /** @type {HTMLElement} */ (panel.querySelector('[data-choice]')).focus({ preventScroll: true });
  }

  function refuse(next) {
    // If several codes are visible, the visitor is asked which one is meant.
    if (next.reason === 'ambiguous' && !next.still) { inquire(); return; }
    if (next.reason === 'ambiguous' && next.choices?.length > 1) { inquireStill(next); return; }
    delete dialog.node.dataset.asking;
    if (next.outcome === 'invalid' && next.corners?.length && !next.still) followed.refuse(next.corners);
    const goOn = () => { if (search.id === null || next.still || search.isNarrow) search.narrow(null); else idle(); };
    // After a picture, the way leads back to the pictures.
    show(next, next.still && next.only
      ? [button(t('scan.camera'), goOn), button(t('roll.another'), () => roll.firstElementChild.choose(), { kind: 'primary', 'data-another': true })]
      : [button(t(next.outcome === 'invalid' ? 'scan.other' : 'common.again'), goOn, { kind: 'primary' })]);
    if (next.outcome === 'invalid' && !next.still) search.later(goOn, INVALID_MS);
  }

  /** The callbacks of the camera roll: a chosen picture replaces the live one while it is read. */
  const judge = {
    onbegin: () => { judging += 1; search.wait(); if (verdict) { verdict = null; choices = null; panel.replaceChildren(); } },
    onpicture: (bitmap) => {
      if (done || !bitmap) { bitmap?.close(); return; }
      code = null;
      delete dialog.node.dataset.asking;
      dialog.node.dataset.frozen = 'picture';
      stage.show(bitmap, null);
    },
    onverdict: (next) => {
      judging -= 1;
      const waits = next.outcome === 'successful';
      // The visitor has left, and cannot confirm the code.
      if (done) { if (waits) disarm(next.scan); return; }
      if (next.error) { toast(tOr(`error.${next.error}`, 'error.unavailable'), { seconds: 7 }); search.arm(); return; }
      const shown = dialog.node.dataset.frozen === 'picture';
      // If the picture has several codes, none is outlined.
      const about = { ...next, frame: null, still: true, corners: shown && next.reason !== 'ambiguous' ? next.corners : null };
      delete dialog.node.dataset.asking;
      if (waits) { search.replace(next.scan); accepted(about); } else refuse(about);
      if (shown) { stage.measure(); stage.reframe(about.corners); }
    },
  };

  const followed = outlinedCodes(app, {
    camera, symbologies: barcode ? undefined : ['qr'], region: () => within ?? search.guide, preview: stage.preview,
    onsight: (codes) => { if (asking) { if (codes.length) inquire(); else idle(); } },
  });
  // A code can also be chosen by touching it in the picture.
  stage.canvas.addEventListener('click', (event) => {
    if (choices) {
      const own = stage.canvas.getBoundingClientRect();
      const far = choices.map(({ corners }) => { const [a, b] = centre(corners.map((point) => stage.viewport.toScreen(point))); return Math.hypot(event.clientX - own.left - a, event.clientY - own.top - b); });
      const nearest = far.indexOf(Math.min(...far));
      const [a, b] = [stage.viewport.toScreen(choices[nearest].corners[0]), stage.viewport.toScreen(choices[nearest].corners[2])];
      if (far[nearest] < Math.max(44, Math.hypot(a[0] - b[0], a[1] - b[1]) * .7)) pick(nearest);
      return;
    }
    if (verdict || handed || judging || followed.inSight.length < 2) return;
    const own = stage.canvas.getBoundingClientRect();
    const number = followed.at(event.clientX - own.left, event.clientY - own.top);
    if (number !== undefined) { clearTimeout(chosen); look(number); }
  });

  const dialog = openDialog({
    label: t('scan.title'), kind: 'view camera scanner',
    onclose: () => {
      done = true;
      stuck.stop();
      search.stop();
      clearTimeout(fading);
      clearTimeout(chosen);
      followed.stop();
      for (const off of offs) off();
      stage.stop();
      if (search.id !== null && handed?.scan !== search.id) disarm(search.id);
    },
    build: (self) => {
      for (const name of /** @type {const} */ (['successful', 'invalid', 'unsuccessful', 'guide', 'cancelled', 'ended'])) offs.push(app.events.on(`scan.${name}`, (event) => search.hear(event)));
      offs.push(app.events.on('connection', ({ online }) => { if (online) { search.replace(); search.arm(); } }));
      const sound = button('', () => {
        mute(!isMuted());
        sound.setAttribute('aria-pressed', String(isMuted()));
        sound.replaceChildren(icon(isMuted() ? 'mute' : 'sound'));
      }, { kind: 'round sound', before: icon(isMuted() ? 'mute' : 'sound'), 'aria-label': t('scan.mute'), 'aria-pressed': String(isMuted()) });
      const box = document.createDocumentFragment();
      roll = barcode ? null : el('div', { class: 'tray' }, cameraRoll(app, judge));
      box.append(stage.node,
        el('header', { class: 'bar' }, button(t('common.cancel'), () => self.close(), { kind: 'leave' }), el('h2', {}, t(barcode ? 'scan.title.barcode' : 'scan.title')), el('span', {}, stage.light, sound, assist(barcode ? 'barcode' : 'onboard'))),
        area, ...(roll ? [roll] : []), panel);
      return box;
    },
  });
  stage.measure();
  search.start();
  return dialog;
}

/**
 * The screen after a confirmed code: it waits for the outcome that the program behind the service reports, for as long as a result is
 * shown, and says then that the outcome is not known yet.
 */
export async function handedOver(app, verdict) {
  const host = verdict.connectTo && printable(verdict.connectTo);
  const seconds = app.config.returnSeconds;
  let timer = 0;
  const off = app.events.on('onboarding.ended', (event) => {
    if (event.scan !== verdict.scan) return;
    clearTimeout(timer);
    const failed = event.outcome === 'failed';
    cue(failed ? 'invalid' : 'successful');
    const reason = printable(said(event.text));
    dialog.replace(failed
      ? { tone: 'bad', sign: art('trouble', 160), title: t('scan.failed'), text: reason || tOr(`scan.failed.${event.reason}`, 'scan.failed.help') }
      : { tone: 'good', sign: tick(), title: t('scan.connected'), text: reason || (host ? t('scan.connected.help', { host }) : '') });
    dialog.node.firstElementChild.dataset.outcome = event.outcome;
  });
  const dialog = await openResult(app, null, {
    state: 'handed-over', title: t('scan.done'), text: host ? t('scan.done.help', { host }) : t('scan.done.plain'), seconds: 2 * seconds,
    sign: el('span', { class: 'spinner', 'aria-hidden': 'true' }), ondone: () => { off(); clearTimeout(timer); app.forget(); app.home(); },
  });
  timer = setTimeout(() => { dialog.replace({ tone: 'open', sign: icon('clock'), title: t('scan.open'), text: t('scan.open.help') }); dialog.node.firstElementChild.dataset.outcome = 'open'; }, seconds * 1000);
  return dialog;
}
