// The three verdicts of a scan, which differ in colour, icon, text and sound.
import { announce, el, printable } from '../dom.js';
import { art, icon } from '../icons.js';
import { cue } from '../sound.js';
import { t, tOr } from '../strings.js';

const ICONS = { successful: 'check', invalid: 'cross', unsuccessful: 'question' };

/**
 * The panel of a verdict `{ outcome, reason?, kind?, connectTo?, text? }`, with its buttons, the most important last, and for a code to confirm
 * the organization of the integrator's `brand` with its picture.
 * It plays the cue of the outcome, and announces it to screen readers.
 */
export function verdictPanel(verdict, buttons = [], brand = null) {
  const { outcome, reason } = verdict;
  const title = t(outcome === 'unsuccessful' && ['notQR', 'codeNotReadable', 'codeRefused', 'incomplete'].includes(reason) ? 'scan.unsuccessful.other' : `scan.${outcome}`);
  const said = [title];
  const body = [];
  if (outcome === 'successful') {
    if (verdict.kind && brand?.name) { said.push(brand.name); body.push(el('p', { class: 'brand' }, brand.logo ? el('img', { src: brand.logo, alt: '' }) : art('onboard', 48), el('strong', {}, brand.name))); }
    if (verdict.connectTo) {
      said.push(t('scan.connect'), printable(verdict.connectTo));
      body.push(el('p', {}, t('scan.connect')), el('p', { class: 'host' }, printable(verdict.connectTo)), el('p', { class: 'soft' }, t('scan.connect.check')));
    } else if (verdict.kind) {
      said.push(t('scan.noHost'));
      body.push(el('p', {}, t('scan.noHost')));
    } else body.push(el('p', { class: 'host' }, printable(verdict.text ?? '')));
  } else {
    const plain = tOr(`reason.${reason}`, outcome === 'invalid' ? 'scan.invalid.help' : 'reason.nothingFound');
    // The advice for a chosen picture differs from that for the live camera.
    const words = verdict.still ? tOr(`reason.still.${reason}`, `reason.${reason}`) : plain;
    said.push(words);
    body.push(el('p', {}, words));
    if (outcome === 'invalid' && reason !== 'ambiguous') body.push(el('p', { class: 'soft' }, t('scan.invalid.help')));
  }
  cue(outcome);
  announce(said.join('. '));
  return el('section', { class: 'verdict', 'data-outcome': outcome, 'data-reason': reason },
    el('div', { class: 'head' }, el('span', { class: 'badge' }, icon(ICONS[outcome])), el('h3', {}, title)),
    ...body,
    buttons.length ? el('div', { class: 'actions' }, ...buttons) : null);
}
