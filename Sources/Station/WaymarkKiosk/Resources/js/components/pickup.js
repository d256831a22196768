// The ways in which a visitor takes a result home: the number by which staff finds it again, a QR code with which a phone fetches it once
// (`--pickup`), and the integrator's programs (`handover` in the page's file).
import { offerPickup } from '../api.js';
import { announce, button, el } from '../dom.js';
import { openDialog } from '../dialog.js';
import { toast } from '../elements/feedback.js';
import { t, tOr } from '../strings.js';
import { qrDrawing } from './cards.js';
import { handoverPlace, waysOf } from './handover.js';

/** The least time for which a result can be taken, in seconds. */
const TAKE_SECONDS = 60;

/**
 * The QR code of a result, with instructions.
 * @param {{ type: string, text: string } | { document: string }} result
 * @returns {Promise<HTMLElement>}
 */
async function pickupCode(result) {
  const words = { language: document.documentElement.lang, title: t('pickup.title'), help: t('pickup.help'), button: t('pickup.button') };
  const { address, seconds } = await offerPickup({ ...result, words });
  return el('div', { class: 'take', 'data-pickup': address }, el('p', {}, t('pickup.scan', { minutes: Math.max(1, Math.floor(seconds / 60)) })), qrDrawing(address));
}

/** True if results of a kind can be taken home. */
export const goesHome = (app, of) => Boolean(app.config.pickup) || waysOf(app, of).length > 0;

/**
 * Shows all ways to take a result home, with its number if it is stored here (`kept`). The dialog closes after a time.
 * Resolves then to true if the result could be taken.
 * @param {any} app
 * @param {import('./handover.js').Handed} handed
 * @param {{ title: string, state: string, parts?: any[], kept?: boolean, onclose?: () => void }} options
 * @returns {Promise<boolean>}
 */
export async function openTakeHome(app, handed, { title, state, parts = [], kept = true, onclose = () => {} }) {
  let timer = 0;
  // The QR code is made before the dialog opens, so that nothing moves. Its failure is not reported for a result that is stored here.
  const code = app.config.pickup ? await pickupCode(handed.result).catch((error) => { if (!kept) toast(tOr(`error.${error.code}`, 'error.unavailable')); return null; }) : null;
  let taken = code !== null;
  if (!kept && !taken && !waysOf(app, handed.of).length) return false;
  const seconds = goesHome(app, handed.of) ? Math.max(TAKE_SECONDS, app.config.returnSeconds) : app.config.returnSeconds;
  const wait = () => { clearTimeout(timer); timer = window.setTimeout(() => dialog.close(), seconds * 1000); };
  const dialog = openDialog({
    label: title, onclose: () => { clearTimeout(timer); onclose(); },
    build: (self) => el('div', { class: 'column center home', 'data-state': state }, ...parts,
      kept ? el('p', { class: 'number' }, el('strong', {}, t('handover.number', { number: handed.number })), el('br'), t('handover.keep')) : null,
      code ? el('div', { class: 'pickup' }, code) : null,
      handoverPlace(app, handed, { onbusy: (busy) => { if (busy) clearTimeout(timer); else wait(); }, ontaken: () => { taken = true; } }),
      button(t('common.onward'), () => self.close(), { kind: 'primary', 'data-first': true })),
  });
  wait();
  announce([title, kept ? t('handover.number', { number: handed.number }) : '', code?.textContent].filter(Boolean).join('. '));
  await dialog.closed;
  return taken;
}
