// Results that a visitor takes home: a QR code of an address under which a phone takes one, once. Offered where the kiosk has
// such an address (`--pickup`).
import { offerPickup } from '../api.js';
import { announce, button, el } from '../dom.js';
import { openDialog } from '../dialog.js';
import { toast } from '../elements/feedback.js';
import { t, tOr } from '../strings.js';
import { qrDrawing } from './cards.js';

/**
 * The code of a result, with what to do with it.
 * @param {{ type: string, text: string } | { document: string }} result
 * @returns {Promise<HTMLElement>}
 */
async function pickupCode(result) {
  const words = { language: document.documentElement.lang, title: t('pickup.title'), help: t('pickup.help'), button: t('pickup.button') };
  const { address, seconds } = await offerPickup({ ...result, words });
  return el('div', { class: 'take', 'data-pickup': address }, el('p', {}, t('pickup.scan', { minutes: Math.max(1, Math.floor(seconds / 60)) })), qrDrawing(address));
}

/** A place that the code of a result fills once it is there; empty where it cannot be offered, since the result is kept anyway. */
export function pickupPlace(app, result) {
  if (!app.config.pickup) return null;
  const place = el('div', { class: 'pickup' });
  pickupCode(result).then((code) => { place.append(code); announce(code.textContent); }, () => place.remove());
  return place;
}

/** Opens the code of a result under a title; whether there was one. */
export async function openPickup(result, title = t('pickup.open')) {
  let code;
  try { code = await pickupCode(result); } catch (error) { toast(tOr(`error.${error.code}`, 'error.unavailable')); return false; }
  await openDialog({
    label: title,
    build: (dialog) => el('div', { class: 'column center pickup' }, el('h2', {}, title), code, button(t('common.close'), () => dialog.close(), { kind: 'primary', 'data-first': true })),
  }).closed;
  return true;
}
