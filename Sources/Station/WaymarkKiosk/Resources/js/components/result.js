// The screen after every completed task: a tick, the number of the result, and the ways in which a visitor takes it home: a QR code with
// which a phone fetches it once (`--pickup`), and the integrator's programs (`handover` in the page's file).
import { offerPickup } from '../api.js';
import { openDialog } from '../dialog.js';
import { announce, button, el, framed, setText } from '../dom.js';
import { tick } from '../elements/feedback.js';
import { icon } from '../icons.js';
import { t, tOr } from '../strings.js';
import { assist } from './assist.js';
import { qrDrawing } from './cards.js';
import { handoverRows, waysOf } from './handover.js';

/** The least time for which a result can be taken, in seconds. */
const TAKE_SECONDS = 60;

/** @typedef {import('./handover.js').Handed} Handed */

/** True if results of a kind can be taken home. */
export const goesHome = (app, of) => Boolean(app.config.pickup) || waysOf(app, of).length > 0;

/** The row with the QR code of a result, or with the reason for its absence and a button to try again. */
function pickupRow(handed) {
  const node = el('li', { class: 'pickup' });
  async function offer() {
    try {
      const words = { language: document.documentElement.lang, title: t('pickup.title'), help: t('pickup.help'), button: t('pickup.button') };
      const { address, seconds } = await offerPickup({ ...handed.result, words });
      node.dataset.pickup = address;
      node.replaceChildren(qrDrawing(address) ?? '', el('p', {}, t('pickup.scan', { minutes: Math.max(1, Math.floor(seconds / 60)) })));
    } catch (error) {
      node.replaceChildren(icon('alert'), el('p', {}, tOr(`pickup.${error.code}`, 'pickup.failed')), button(t('common.again'), offer));
    }
  }
  return { node, ready: offer() };
}

/**
 * Opens the result screen, which closes by itself after a time that it states. `handed` is what can be taken home, null without a number.
 * `rows` are further buttons `{ label, help?, picture, onclick }`, `another` a button `{ label, onclick }` beside *Done*. `ondone()` is called after
 * *Done* and after the time. Resolves to the dialog; its `replace({ title, text, tone })` replaces the message.
 * @param {import('../api.js').App} app
 * @param {Handed | null} handed
 * @param {{ state: string, title: string, text?: string, sign?: any, seconds?: number, rows?: { label: string, help?: string, picture: string, onclick: () => void, data?: Record<string, any> }[], another?: { label: string, onclick: () => void } | null, ondone?: () => void }} options
 */
export async function openResult(app, handed, { state, title, text = '', sign = tick(), seconds = 0, rows = [], another = null, ondone = () => {} }) {
  // The QR code is made before the screen opens, so that nothing moves.
  const pickup = handed && app.config.pickup ? pickupRow(handed) : null;
  await pickup?.ready;
  const whole = Math.max(app.config.returnSeconds, seconds, handed && goesHome(app, handed.of) ? TAKE_SECONDS : 0);
  let end = 0;
  let busy = false;
  const wait = () => { end = performance.now() + whole * 1000; count(); };
  const left = el('p', { class: 'soft grow', 'data-ends': true });
  function count() {
    const rest = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    setText(left, busy ? '' : t('result.ends', { count: rest }));
    if (!busy && rest <= 0) dialog.close();
  }
  const heading = el('h2', {}, title);
  const help = el('p', { class: 'soft' }, text);
  const place = el('div', { class: 'place' }, sign);
  let chosen = ondone;
  const go = (next) => { chosen = next; dialog.close(); };
  const list = [
    pickup?.node,
    ...(handed ? handoverRows(app, handed, (now) => { busy = now; wait(); }) : []),
    ...rows.map((one) => el('li', {}, button('', () => go(one.onclick), { kind: 'way', ...one.data, before: icon(one.picture) }))),
  ].filter(Boolean);
  rows.forEach((one, index) => list.at(index - rows.length).firstElementChild.append(el('span', { class: 'grow' }, el('strong', {}, one.label), one.help ? el('span', { class: 'soft' }, one.help) : ''), icon('forward')));
  const dialog = openDialog({
    label: title, kind: 'view result', onclose: () => { clearInterval(timer); chosen(); },
    build: (self) => framed('div', { 'data-state': state }, {
      room: el('div', {}, el('div', { class: 'message', 'data-tone': 'good' }, place, heading, help,
        handed ? el('p', { class: 'number' }, el('strong', {}, handed.number), el('span', { class: 'soft' }, t('handover.keep'))) : null),
      list.length ? el('ul', { class: 'ways handover' }, ...list) : null),
      foot: [assist('result'), left, another ? button(another.label, () => go(another.onclick), { 'data-another': true }) : null, button(t('result.done'), () => self.close(), { kind: 'primary', 'data-first': true, 'data-done': true })].filter(Boolean),
    }),
  });
  const timer = setInterval(count, 500);
  for (const name of ['pointerdown', 'keydown']) dialog.node.addEventListener(name, wait, { capture: true, passive: true });
  wait();
  announce([title, text, handed ? `${t('handover.number', { number: handed.number })}. ${t('handover.keep')}` : '', pickup?.node.textContent].filter(Boolean).join('. '));
  /** @type {(message: { title: string, text?: string, tone: 'good' | 'bad' | 'open', sign?: any, alert?: boolean }) => void} */
  const replace = (message) => {
    heading.textContent = message.title;
    help.textContent = message.text ?? '';
    heading.parentElement.dataset.tone = message.tone;
    place.replaceChildren(...[message.sign].filter(Boolean));
    dialog.node.setAttribute('aria-label', message.title);
    announce(`${message.title}. ${message.text ?? ''}`);
    wait();
  };
  return Object.assign(dialog, { replace });
}
