// Returns the kiosk to its start after a time without input, and asks a visitor who may still be there first.
import { openDialog } from './dialog.js';
import { announce, button, el } from './dom.js';
import { countdown } from './elements/feedback.js';
import { t } from './strings.js';

const WARNING_SECONDS = 20;
/** The words a second of a slow reader. */
const READING = 2.5;
/** The multiple of the idle time for which events of the camera replace touches; movement before the camera for longer is not a visitor. */
const SEEN = 3;

/** Additional seconds for reading the text that is open now. */
function readingTime() {
  const text = [...document.querySelectorAll('.detail')].map((node) => node.textContent).join(' ');
  return text ? Math.min(180, text.trim().split(/\s+/).length / READING) : 0;
}

/**
 * Watches for input: asks after a time without any, and then calls `app.rest()`.
 * @param {import('./api.js').App} app
 */
export function watchIdle(app) {
  const whole = app.config.idleSeconds;
  if (!whole) return;
  const warning = Math.min(WARNING_SECONDS, whole / 2);
  let timer = 0;
  let tick = 0;
  let asked = null;
  let moved = 0;
  let since = 0;
  let touched = performance.now();

  function warn() {
    if (app.resting) return;
    // A text to read may have appeared after the last input.
    const left = since + (whole - warning + readingTime()) * 1000 - performance.now();
    if (left > 50) { timer = window.setTimeout(warn, left); return; }
    inquire();
  }

  function inquire() {
    // If nothing can be lost, the page does not ask.
    if (!app.busy && !document.querySelector('dialog')) { timer = window.setTimeout(rest, warning * 1000); return; }
    let left = Math.ceil(warning);
    const ring = countdown(left);
    asked = openDialog({
      label: t('idle.title'),
      onclose: () => { clearInterval(tick); asked = null; restart(); },
      build: (dialog) => el('div', { class: 'column center', 'data-state': 'idle-warning' }, ring.node, el('h2', {}, t('idle.title')), el('p', { class: 'soft' }, t('idle.text')),
        button(t('idle.stay'), () => dialog.close(), { kind: 'primary', 'data-first': true })),
    });
    announce(`${t('idle.title')} ${t('idle.text')}`);
    const end = performance.now() + warning * 1000;
    tick = window.setInterval(() => {
      left = Math.ceil((end - performance.now()) / 1000);
      if (left > 0) ring.set(left); else rest();
    }, 250);
  }

  function rest() {
    clearInterval(tick);
    clearTimeout(timer);
    app.rest();
    clearTimeout(timer);
  }

  function restart() {
    clearTimeout(timer);
    if (app.resting) return;
    since = performance.now();
    timer = window.setTimeout(warn, (whole - warning) * 1000);
  }

  /** Handles input: a visitor is there. */
  function active(event) {
    // Movements of the pointer are handled at most once a second.
    if (event?.type === 'pointermove' && performance.now() - moved < 1000) return;
    moved = touched = performance.now();
    if (asked) {
      // A touch in the question is handled by its button.
      if (!event?.target?.closest?.('dialog.ask')) asked.close();
      return;
    }
    restart();
  }

  for (const name of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove', 'input']) document.addEventListener(name, active, { capture: true, passive: true });
  // Events that a person before the camera causes count as input, for a limited time.
  const seen = () => { if (performance.now() - touched > SEEN * whole * 1000) return; if (asked) asked.close(); else restart(); };
  for (const name of /** @type {const} */ (['session.phase', 'annotation.selected', 'card.opened', 'scan.invalid', 'scan.successful', 'scan.guide'])) app.events.on(name, seen);
  restart();
}
