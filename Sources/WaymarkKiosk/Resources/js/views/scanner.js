// The code scanner: onboarding with its verdicts, or one barcode for a field.
import { command, CommandError } from '../api.js';
import { cameraRoll } from '../components/camera-roll.js';
import { cameraStage } from '../components/stage.js';
import { verdictPanel } from '../components/verdict.js';
import { openDialog } from '../dialog.js';
import { announce, el, icon, printable } from '../dom.js';
import { t, tOr } from '../strings.js';

const ADVICE_MS = 1500;
const INVALID_MS = 6000;
const SCAN_SECONDS = 60;

/**
 * Opens the scanner. `mode` is "onboarding" or "barcode". The dialog's promise gives the accepted verdict, or
 * `undefined` when it was left.
 */
export function openScanner(app, { mode }) {
  const barcode = mode === 'barcode';
  let scan = null;
  let stage;
  let clearing = 0;
  let done = false;
  let handed = null;
  /** How many pictures are being judged: an accepted one takes the place of the scan that is under way. */
  let judging = 0;
  const offs = [];

  const prompt = el('p', { class: 'prompt' }, t(barcode ? 'scan.prompt.barcode' : 'scan.prompt'));
  const guide = el('div', { class: 'guide', 'aria-hidden': 'true' }, el('div', { class: 'frame' }, el('i'), el('i'), el('i'), el('i')));
  const answer = el('div', {});

  const say = (state, words) => { guide.dataset.state = state; prompt.textContent = words; };
  const idle = () => { answer.replaceChildren(); prompt.hidden = false; say('idle', t(barcode ? 'scan.prompt.barcode' : 'scan.prompt')); };

  const tell = (error) => { prompt.hidden = false; prompt.textContent = tOr(`error.${error}`, 'error.unavailable'); announce(prompt.textContent); };
  const disarm = (id) => command('scan.cancel', { scan: id }).catch(() => {});

  const current = (event) => event.source !== 'gallery' && (scan === null || event.scan === scan);

  function show(verdict, buttons) {
    clearTimeout(clearing);
    guide.dataset.state = verdict.outcome;
    prompt.hidden = true;
    answer.replaceChildren(verdictPanel(verdict, buttons));
    answer.querySelector('.button.primary')?.focus();
  }

  async function arm() {
    clearTimeout(clearing);
    if (done) return;
    idle();
    // What it replaces is told of as cancelled, and is nobody's any more.
    scan = null;
    try {
      scan = (await command('scan.begin', { mode, timeout: SCAN_SECONDS, once: barcode })).scan;
      if (done) disarm(scan);
    } catch (error) {
      scan = null;
      if (done) return;
      prompt.textContent = error instanceof CommandError && error.code === 'busy' ? t('scan.busy') : tOr(`error.${error.code}`, 'error.unavailable');
      clearing = setTimeout(arm, 2000);
    }
  }

  function accepted(dialog, verdict) {
    if (barcode) { handed = verdict; dialog.close(verdict); return; }
    const confirm = async () => {
      try { await command('scan.confirm', { scan: verdict.scan }); } catch (error) {
        // Between the look and the yes the code may have been used elsewhere.
        if (error.code === 'replayed') { refused({ outcome: 'invalid', reason: 'replayed' }); return; }
        if (error.code !== 'nothingToConfirm') { tell(error.code); return; }
      }
      handed = verdict;
      dialog.close(verdict);
    };
    const cancel = async () => { await disarm(verdict.scan); scan = null; arm(); };
    show(verdict, [{ label: t('common.cancel'), onclick: cancel }, { label: t('scan.continue'), primary: true, onclick: confirm }]);
  }

  function refused(verdict) {
    show(verdict, verdict.outcome === 'unsuccessful' ? [{ label: t('common.again'), primary: true, onclick: arm }] : []);
    if (verdict.outcome === 'invalid') clearing = setTimeout(idle, INVALID_MS);
  }

  return openDialog({
    label: t('scan.title'),
    onclose: () => {
      done = true;
      clearTimeout(clearing);
      for (const off of offs) off();
      stage.stop();
      if (scan !== null && !handed) disarm(scan);
      if (app.state.torch) command('torch', { on: false }).catch(() => {});
    },
    build: (dialog) => {
      stage = cameraStage(app, { label: t('scan.title') });
      stage.node.append(guide, prompt, answer);
      offs.push(
        app.events.on('scan.successful', (event) => { if (current(event)) accepted(dialog, { outcome: 'successful', ...event }); }),
        app.events.on('scan.invalid', (event) => { if (current(event)) refused({ outcome: 'invalid', ...event }); }),
        app.events.on('scan.unsuccessful', (event) => { if (current(event)) { scan = null; refused({ outcome: 'unsuccessful', ...event }); } }),
        app.events.on('scan.cancelled', (event) => {
          if (scan === null || event.scan !== scan || (event.reason === 'replaced' && judging)) return;
          scan = null;
          clearing = setTimeout(arm, 500);
        }),
        app.events.on('scan.guide', (event) => {
          if (!current(event) || answer.childElementCount) return;
          say('advice', tOr(`advice.${event.advice}`, 'scan.prompt'));
          announce(prompt.textContent);
          clearTimeout(clearing);
          clearing = setTimeout(idle, ADVICE_MS);
        }),
        app.events.on('connection', ({ online }) => { if (online) { scan = null; arm(); } }));
      const flash = el('button', {
        class: 'button', type: 'button', 'aria-pressed': String(Boolean(app.state.torchOn)), hidden: !app.state.torch,
        onclick: async () => {
          const on = flash.getAttribute('aria-pressed') !== 'true';
          try { await command('torch', { on }); flash.setAttribute('aria-pressed', String(on)); } catch { announce(t('error.unavailable')); }
        },
      }, icon('flash'), t('scan.flash'));
      const box = document.createDocumentFragment();
      box.append(
        el('div', { class: 'bar' }, el('button', { class: 'button', type: 'button', onclick: () => dialog.close() }, t('common.cancel')), el('h2', {}, t('scan.title')), el('span', {}, flash)),
        stage.node);
      if (!barcode) {
        box.append(cameraRoll(app, {
          onpicture: () => { judging += 1; },
          onverdict: (verdict) => {
            judging -= 1;
            const armed = verdict.outcome === 'successful';
            // Nobody is there any more to confirm it.
            if (done) { if (armed) disarm(verdict.scan); return; }
            // A code that waited for its confirmation gives way to what is said of the picture; then the scan begins anew.
            const waited = guide.dataset.state === 'successful';
            if (verdict.error) { idle(); tell(verdict.error); } else if (armed) { scan = verdict.scan; accepted(dialog, verdict); } else refused(verdict);
            if (waited && !armed) { clearTimeout(clearing); clearing = setTimeout(arm, INVALID_MS); }
          },
        }));
      }
      arm();
      return box;
    },
  });
}

/** "Handed over", which goes back to the start by itself. */
export function handedOver(app, verdict) {
  const host = verdict.connectTo && printable(verdict.connectTo);
  const timer = setTimeout(() => dialog.close(), app.config.returnSeconds * 1000);
  const dialog = openDialog({
    label: t('scan.done'), small: true,
    onclose: () => { clearTimeout(timer); app.home(); },
    build: (self) => el('div', { class: 'empty', 'data-state': 'handed-over' }, icon('check'), el('h2', {}, t('scan.done')),
      el('p', {}, host ? t('scan.done.help', { host }) : t('scan.done.plain')),
      el('button', { class: 'button primary', type: 'button', autofocus: true, onclick: () => self.close() }, t('common.close'))),
  });
  announce(t('scan.done'));
  return dialog;
}
