// A small form whose fields a barcode can fill.
import { el } from '../dom.js';
import { announce } from '../dom.js';
import '../components/text-field.js';
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
  const saved = el('p', { role: 'status' });
  const form = el('form', {
    class: 'fields', noValidate: true,
    onsubmit: (event) => {
      event.preventDefault();
      // Every field shows what is wrong with it; the first of them gets the focus.
      const wrong = fields.filter((one) => !one.reportValidity());
      wrong[0]?.input.focus();
      saved.textContent = wrong.length ? '' : t('field.saved');
      if (!wrong.length) announce(t('field.saved'));
    },
  },
  el('h1', {}, t('field.title')), ...fields,
  el('div', { class: 'actions' }, saved, el('button', { class: 'button', type: 'button', onclick: () => app.home() }, t('common.back')), el('button', { class: 'button primary', type: 'submit' }, t('field.save'))));
  form.addEventListener('wm-scan', async (event) => {
    const target = event.target;
    const verdict = await openScanner(app, { mode: 'barcode' }).closed;
    if (verdict) target.fill(verdict.text ?? '');
    target.input.focus();
  });
  return form;
}
