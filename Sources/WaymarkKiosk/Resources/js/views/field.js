// A small form whose fields a barcode can fill.
import { button, el } from '../dom.js';
import '../elements/text-field.js';
import { toast } from '../elements/feedback.js';
import { t } from '../strings.js';
import { openScanner } from './scanner.js';

/** One field with the page's own words. */
function field(key, attributes = {}) {
  const label = t(`field.${key}`);
  return el('wm-text-field', {
    name: key, label, 'text-clear': t('field.clear', { label }), 'text-scan': t('field.scan', { label }), 'text-required': t('field.required'),
    'text-missing': t('field.missing', { label }), 'text-over': t('field.over', { count: '{count}' }),
    'text-count': t('field.count', { count: '{count}', limit: '{limit}' }), ...attributes,
  });
}

/** The form. */
export function fieldView(app) {
  const fields = [
    field('material', { required: true, scan: true, helper: t('field.material.help'), maxlength: '40' }),
    field('batch', { scan: true, helper: t('field.batch.help'), maxlength: '10', limit: 'block' }),
    field('note', { helper: t('field.note.help'), maxlength: '30', limit: 'mark' }),
    field('plant', { readonly: true, value: t('field.plant.value') }),
  ];
  const form = el('form', {
    class: 'form', noValidate: true,
    onsubmit: (event) => {
      event.preventDefault();
      // Every field shows what is wrong with it; the first of them gets the focus.
      const wrong = fields.filter((one) => !one.reportValidity());
      if (wrong.length) { wrong[0].input.focus(); return; }
      toast(t('field.saved'));
    },
  },
  el('header', { class: 'bar' }, button(t('common.home'), () => app.home(), { kind: 'quiet leave' }), el('span', {}), el('span', {})),
  el('div', { class: 'fields' }, el('h1', {}, t('field.title')), el('p', { class: 'soft' }, t('field.legend')), ...fields,
    el('div', { class: 'actions' }, el('button', { class: 'button primary', type: 'submit' }, t('field.save')))));
  form.addEventListener('wm-scan', async (event) => {
    const target = event.target;
    const verdict = await openScanner(app, { mode: 'barcode' }).closed;
    if (verdict) target.fill(verdict.text ?? '');
    target.input.focus();
  });
  return form;
}
