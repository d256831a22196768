// Hands results over to a program of the integrator, such as for printing or mail (`handover` in the page's file).
import { repeatWhenBack, sendHandover } from '../api.js';
import { announce, button, el } from '../dom.js';
import { openDialog } from '../dialog.js';
import '../elements/text-field.js';
import { icon } from '../icons.js';
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
 * A row for each way of a result: a button with the name of the way, and its state in words: being sent, sent, or what went wrong and
 * what to do. A handover that the connection interrupted is repeated when it is back. Calls `onbusy(busy)` when a question or a
 * handover begins or ends, with true while any is pending.
 * @param {any} app
 * @param {Handed} handed
 * @param {(busy: boolean) => void} onbusy
 */
export function handoverRows(app, handed, onbusy) {
  let under = 0;
  const busy = (by) => { under += by; onbusy(under > 0); };
  return waysOf(app, handed.of).map((way) => {
    let answer;
    const words = el('span', { class: 'soft', 'data-handed': way.name });
    const sign = el('span', { class: 'sign', 'aria-hidden': 'true' }, icon('forward'));
    /** @type {(state: string, text: string, picture: any) => void} */
    const show = (state, text, picture) => {
      row.dataset.state = state;
      row.setAttribute('aria-busy', String(state === 'processing'));
      words.textContent = text;
      sign.replaceChildren(picture);
      announce(`${said(way.label)}: ${text}`);
    };
    async function send() {
      busy(1);
      show('processing', t('handover.sending'), el('span', { class: 'spinner' }));
      try {
        await sendHandover({ way: way.name, of: handed.of, number: handed.number, language: document.documentElement.lang, ...(handed.form ? { form: handed.form } : {}), ...(way.ask ? { answer } : {}), ...handed.result });
        show('success', said(way.done) || t('handover.done'), icon('check'));
      } catch (error) {
        show('failure', tOr(`handover.${error.code}`, 'handover.failed'), icon('rotate'));
        repeatWhenBack(app, error, () => { if (row.isConnected && row.dataset.state === 'failure') send(); });
      } finally { busy(-1); }
    }
    const row = el('button', {
      class: 'way', type: 'button', 'data-way': way.name,
      onclick: async () => {
        if (['processing', 'success'].includes(row.dataset.state)) return;
        if (way.ask) {
          busy(1);
          answer = await question(way);
          busy(-1);
          if (answer === undefined || !row.isConnected) return;
        }
        send();
      },
    }, el('span', { class: 'grow' }, el('strong', {}, said(way.label)), words), sign);
    return el('li', {}, row);
  });
}
