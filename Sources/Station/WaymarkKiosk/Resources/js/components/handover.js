// Hands results over to a program of the integrator, such as for printing or mail (`handover` in the page's file).
import { sendHandover } from '../api.js';
import { announce, button, el } from '../dom.js';
import { openDialog } from '../dialog.js';
import { statusButton } from '../elements/feedback.js';
import '../elements/text-field.js';
import { said, t, tOr } from '../strings.js';

/**
 * A result that is handed over: its kind, the number by which staff finds it again, and the text or the document itself.
 * @typedef {{ of: 'document' | 'count' | 'form', number: string, form?: string, result: { type: string, text: string } | { document: string } }} Handed
 */

/** The integrator's ways for a kind of result. */
export const waysOf = (app, of) => (app.config.page.handover ?? []).filter((way) => !way.of || [way.of].flat().includes(of));

/** Asks the question of a way, such as for an address; resolves to undefined if the visitor does not answer. */
function question(way) {
  const field = el('wm-text-field', {
    name: 'answer', label: said(way.ask), required: true, pattern: way.pattern ?? null, 'text-pattern': said(way.wrong) || null,
    inputmode: 'email', autocomplete: 'off', autocapitalize: 'none', 'data-first': true,
  });
  return openDialog({
    label: said(way.label),
    build: (dialog) => el('form', { class: 'column handover-question', noValidate: true, onsubmit: (event) => { event.preventDefault(); if (field.reportValidity()) dialog.close(field.value); } },
      el('h2', {}, said(way.label)), field,
      el('div', { class: 'actions' }, button(t('common.cancel'), () => dialog.close()), el('button', { class: 'button primary', type: 'submit' }, el('span', {}, t('handover.send'))))),
  }).closed;
}

/**
 * A button for each way of a result, which shows its progress; null if there is no way. Calls `onbusy(busy)` when a question or
 * a handover begins or ends, with true while any is pending, and `ontaken()` after a successful handover.
 * @param {any} app
 * @param {Handed} handed
 * @param {{ onbusy?: (busy: boolean) => void, ontaken?: () => void }} told
 */
export function handoverPlace(app, handed, { onbusy = () => {}, ontaken = () => {} }) {
  const ways = waysOf(app, handed.of);
  if (!ways.length) return null;
  const message = el('p', { class: 'soft', 'data-handed': true });
  let under = 0;
  const busy = (by) => { under += by; onbusy(under > 0); };
  const say = (text) => { message.textContent = text; announce(text); };
  const buttons = ways.map((way) => {
    const label = said(way.label);
    let answer;
    const one = statusButton({
      label, processing: label, success: label, failure: label, kind: '', type: 'submit',
      work: async () => {
        busy(1);
        say(t('handover.sending'));
        try {
          await sendHandover({ way: way.name, of: handed.of, number: handed.number, language: document.documentElement.lang, ...(handed.form ? { form: handed.form } : {}), ...(way.ask ? { answer } : {}), ...handed.result });
        } finally { busy(-1); }
        ontaken();
        say(said(way.done) || t('handover.done'));
      },
      onfailure: (error) => say(tOr(`handover.${error.code}`, 'handover.failed')),
    });
    one.type = 'button';
    one.dataset.way = way.name;
    one.addEventListener('click', async () => {
      if (one.dataset.state === 'processing' || one.dataset.state === 'success') return;
      if (way.ask) {
        busy(1);
        answer = await question(way);
        busy(-1);
        if (answer === undefined || !one.isConnected) return;
      }
      one.begin();
    });
    return one;
  });
  return el('div', { class: 'handover' }, el('div', { class: 'actions' }, ...buttons), message);
}
