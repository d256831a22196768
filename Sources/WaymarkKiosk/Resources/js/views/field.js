// A form that a scanner fills, and that is handed to the programs on the socket.
import { command, identity } from '../api.js';
import { ask } from '../dialog.js';
import { button, el } from '../dom.js';
import '../elements/stepper.js';
import '../elements/fields.js';
import '../elements/signature.js';
import '../elements/text-field.js';
import { statusButton, toast } from '../elements/feedback.js';
import { t, tOr } from '../strings.js';
import { openScanner } from './scanner.js';
import { openTextReader } from './text.js';

/** Lets the scan icons of the fields below a node open the scanner, which fills them. */
export function scansInto(app, node) {
  node.addEventListener('wm-scan', async (event) => {
    const target = event.target;
    if (event.detail.kind === 'text') {
      const patterns = target.textPatterns;
      const text = await openTextReader(app, { label: target.getAttribute('label') ?? '', patterns }).closed;
      if (text !== undefined) target.fill(text);
    } else {
      const verdict = await openScanner(app, { mode: 'barcode' }).closed;
      if (verdict) target.fill(verdict.text ?? '');
    }
    target.input.focus();
  });
}

/** One field with the page's own words. */
const field = (key, attributes = {}, element = 'wm-text-field') => el(element, { name: key, label: t(`field.${key}`), ...attributes });

/** The form. */
export function fieldView(app) {
  const inputs = [
    field('material', { required: true, scan: 'barcode text', reads: 'gtin', helper: t('field.material.help'), maxlength: '40' }),
    field('batch', { scan: 'barcode text', reads: '[A-Z0-9]{4,10}', helper: t('field.batch.help'), maxlength: '10', autocapitalize: 'characters' }),
    field('quantity', { minimum: '0', maximum: '999999999', suffix: t('field.quantity.unit') }, 'wm-stepper'),
    field('note', { variant: 'key-value', helper: t('field.note.help'), maxlength: '30', limit: 'over' }),
    field('signature', { variant: 'form', purpose: t('field.title') }, 'wm-signature'),
  ];
  const fields = el('wm-fields', {}, ...inputs);

  /** The service's way to know that it has this one already, when its answer was lost. */
  let key = identity();
  const save = statusButton({
    label: t('field.save'), processing: t('field.saving'), success: t('field.saved'), failure: t('field.save.again'), type: 'submit',
    ready: () => fields.reportValidity(),
    work: async () => {
      fields.say(null);
      const values = inputs.map((one) => ({ name: one.name, label: one.getAttribute('label'), value: one.value }));
      await command('form.submit', { form: 'goods-received', key, fields: values });
      key = identity();
      // A saved form leaves the screen: the next one begins empty.
      form.reset();
      toast(`${t('field.saved')}. ${t('field.new')}`);
      setTimeout(() => { if (form.isConnected) { save.rest(); inputs[0].focus(); } }, 1600);
    },
    onfailure: (error) => fields.say({ kind: 'error', title: t('field.failed'), text: tOr(`error.${error.code}`, 'error.unavailable') }),
  });
  /** Asks before input is thrown away. */
  async function leave() {
    const entered = inputs.some((one) => !one.hasAttribute('readonly') && one.value && one.value !== one.getAttribute('value'));
    if (entered && !await ask({ label: t('field.leave'), text: t('field.leave.help'), choices: [{ label: t('field.discard'), value: true }, { label: t('field.stay'), value: false, primary: true }] })) return;
    app.home();
  }
  const form = el('form', { class: 'form', noValidate: true, onsubmit: (event) => { event.preventDefault(); save.begin(); } },
    el('header', { class: 'bar' }, button(t('common.cancel'), leave, { kind: 'quiet leave' }), el('span', {}), el('span', {})),
    el('div', { class: 'fields' }, el('h1', {}, t('field.title')), fields, el('div', { class: 'actions' }, save)));
  scansInto(app, form);
  return form;
}
