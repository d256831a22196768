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

/** The fields of the form. */
const standard = () => ({
  name: 'goods-received', title: t('field.title'),
  fields: [
    { name: 'material', label: t('field.material'), required: true, scan: ['barcode', 'text'], reads: 'gtin', help: t('field.material.help'), limit: 40 },
    { name: 'batch', label: t('field.batch'), scan: ['barcode', 'text'], reads: '[A-Z0-9]{4,10}', help: t('field.batch.help'), limit: 10, capitals: true },
    { name: 'quantity', label: t('field.quantity'), kind: 'number', minimum: '0', maximum: '999999999', unit: t('field.quantity.unit') },
    { name: 'note', label: t('field.note'), kind: 'note', help: t('field.note.help'), limit: 30 },
    { name: 'signature', label: t('field.signature'), kind: 'signature' },
  ],
});

/** The element of a field. */
function made(field, form) {
  const { name, kind = 'text', required } = field;
  const common = { name, label: field.label, required, helper: field.help ?? null };
  const scan = field.scan?.join(' ') ?? null;
  switch (kind) {
    case 'signature': return el('wm-signature', { variant: 'form', ...common, purpose: form.title });
    case 'number': return el('wm-stepper', { ...common, minimum: field.minimum ?? null, maximum: field.maximum ?? null, suffix: field.unit ?? null });
    default: return el('wm-text-field', {
      ...common, scan, reads: field.reads ?? null, maxlength: field.limit ?? null,
      ...(kind === 'note' ? { variant: 'key-value', limit: 'over' } : {}), autocapitalize: field.capitals ? 'characters' : null,
    });
  }
}

/** The form. */
export function fieldView(app) {
  const description = standard();
  const { title } = description;
  const inputs = description.fields.map((field) => made(field, description));
  const fields = el('wm-fields', {}, ...inputs);
  /** The service's way to know that it has this one already, when its answer was lost. */
  let key = identity();
  const save = statusButton({
    label: t('field.save'), processing: t('field.saving'), success: t('field.saved'), failure: t('field.save.again'), type: 'submit',
    ready: () => fields.reportValidity(),
    work: async () => {
      fields.say(null);
      const values = inputs.map((one) => ({ name: one.name, label: one.getAttribute('label'), value: one.value }));
      await command('form.submit', { form: description.name, key, fields: values });
      key = identity();
      // What is saved is no longer on the screen: the next one begins with an empty form.
      form.reset();
      toast(`${t('field.saved')}. ${t('field.new')}`);
      setTimeout(() => { if (form.isConnected) { save.rest(); inputs[0].focus(); } }, 1600);
    },
    onfailure: (error) => fields.say({ kind: 'error', title: t('field.failed'), text: tOr(`error.${error.code}`, 'error.unavailable') }),
  });
  /** What was entered is not thrown away without a question. */
  async function leave() {
    const entered = inputs.some((one) => !one.hasAttribute('readonly') && one.value && one.value !== one.getAttribute('value'));
    if (entered && !await ask({ label: t('field.leave'), text: t('field.leave.help'), choices: [{ label: t('field.discard'), value: true }, { label: t('field.stay'), value: false, primary: true }] })) return;
    app.home();
  }
  const form = el('form', { class: 'form', noValidate: true, onsubmit: (event) => { event.preventDefault(); save.begin(); } },
    el('header', { class: 'bar' }, button(t('common.cancel'), leave, { kind: 'quiet leave' }), el('span', {}), el('span', {})),
    el('div', { class: 'fields' }, el('h1', {}, title), fields, el('div', { class: 'actions' }, save)));
  scansInto(app, form);
  return form;
}
