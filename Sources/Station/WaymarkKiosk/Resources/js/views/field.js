// A form whose fields can be filled by scanning, and which is submitted to the programs on the socket.
import { command, handedNumber, repeatWhenBack } from '../api.js';
import { ask } from '../dialog.js';
import { button, el, framed, printable, printableLines } from '../dom.js';
import '../elements/choice.js';
import '../elements/date.js';
import '../elements/photo.js';
import '../elements/stepper.js';
import '../elements/switch.js';
import '../elements/fields.js';
import '../elements/signature.js';
import '../elements/text-field.js';
import { statusButton } from '../elements/feedback.js';
import { icon } from '../icons.js';
import { said, t, tOr } from '../strings.js';
import { assist } from '../components/assist.js';
import { openResult } from '../components/result.js';
import { openScanner } from './scanner.js';
import { openPhoto } from './photo.js';
import { openTextReader } from './text.js';

/** Makes the scan icons of fields below a node open the scanner, and photo fields the camera, and fills in the results. */
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
  node.addEventListener('wm-photo', async ({ target }) => {
    const photo = await openPhoto(app, { label: target.getAttribute('label') ?? '' }).closed;
    if (photo) target.fill(photo);
  });
}

/** The elements whose values are left out of a receipt. */
const UNWRITTEN = ['WM-SIGNATURE', 'WM-PHOTO'];

/** The page's own form, for an integrator without forms. */
const standard = () => ({
  name: 'goods-received', title: t('field.title'), purpose: t('field.purpose'),
  fields: [
    { name: 'material', label: t('field.material'), required: true, scan: ['barcode', 'text'], reads: 'gtin', help: t('field.material.help'), prompt: t('field.example', { example: '4012345678901' }), limit: 40 },
    { name: 'batch', label: t('field.batch'), scan: ['barcode', 'text'], reads: '[A-Z0-9]{4,10}', help: t('field.batch.help'), prompt: t('field.example', { example: 'LB7042' }), limit: 10, capitals: true },
    { name: 'quantity', label: t('field.quantity'), kind: 'number', minimum: 0, maximum: 999999999, unit: t('field.quantity.unit') },
    { name: 'note', label: t('field.note'), kind: 'note', help: t('field.note.help'), limit: 30 },
    { name: 'signer', label: t('field.signer'), limit: 60 },
    { name: 'signature', label: t('field.signature'), kind: 'signature', help: t('field.signature.help') },
  ],
});

/** Makes the element of a field in the page's file. */
function made(field, form) {
  const { name, kind = 'text' } = field;
  const common = { name, label: said(field.label), required: field.required, helper: said(field.help) || null, value: said(field.value) || null };
  switch (kind) {
    case 'signature': return el('wm-signature', { variant: 'form', ...common, purpose: said(form.purpose ?? form.title) });
    case 'number': return el('wm-stepper', { ...common, minimum: field.minimum ?? null, maximum: field.maximum ?? null, suffix: said(field.unit) || null });
    case 'switch': return el('wm-switch', common);
    case 'photo': return el('wm-photo', common);
    case 'date': return el('wm-date', { ...common, earliest: field.earliest ?? null, latest: field.latest ?? null });
    case 'choice': case 'list': {
      const node = el('wm-choice', { ...common, variant: kind === 'list' ? 'list' : null });
      node.options = field.choices.map((one) => ({ value: one.value, label: said(one.label) }));
      return node;
    }
    default: return el('wm-text-field', {
      ...common, prompt: said(field.prompt) || null, readonly: field.readonly, maxlength: field.limit ?? null, suffix: said(field.unit) || null,
      scan: { code: 'barcode', print: 'text' }[kind] ?? ([field.scan ?? []].flat().join(' ') || null), reads: field.reads ?? null,
      pattern: field.pattern ?? null, 'text-pattern': said(field.wrong) || null,
      ...(kind === 'note' ? { variant: 'key-value', limit: 'over' } : {}), autocapitalize: field.capitals ? 'characters' : null,
    });
  }
}

/** The view of a form of the integrator, or of the page's own. */
export function fieldView(app, wanted) {
  const description = wanted ?? standard();
  const title = said(description.title);
  const inputs = description.fields.map((field) => made(field, description));
  /** The heading of each section, with the fields below it. */
  const sections = [];
  const parts = description.fields.flatMap((field, i) => {
    const heading = field.section ? el('h2', { class: 'section' }, said(field.section)) : null;
    if (heading) sections.push({ heading, fields: [] });
    sections.at(-1)?.fields.push(inputs[i]);
    return heading ? [heading, inputs[i]] : [inputs[i]];
  });
  const fields = el('wm-fields', {}, ...parts);

  /** Shows the fields whose conditions are met; hidden fields are neither required nor submitted. */
  function depend() {
    for (const [i, { when, required }] of description.fields.entries()) {
      if (!when) continue;
      const other = inputs.find((one) => one.name === when.field);
      const shown = Boolean(other) && !other.hidden && (when.is ? [when.is].flat().includes(other.value) : Boolean(other.value));
      inputs[i].hidden = !shown;
      inputs[i].toggleAttribute('required', shown && Boolean(required));
    }
    for (const one of sections) one.heading.hidden = one.fields.every(({ hidden }) => hidden);
  }
  fields.addEventListener('input', depend);
  depend();

  // A signature names who signs, as the field `signer` or signing in says, and shows what is signed.
  const user = app.account.state?.phase === 'signedIn' ? printable(app.account.state.user?.title ?? '') : '';
  const written = () => inputs.filter((one) => !one.hidden && one.value && !UNWRITTEN.includes(one.nodeName)).map((one) => /** @type {[string, string]} */ ([one.getAttribute('label'), printableLines(one.value)]));
  function sign() {
    const signer = inputs.find(({ name, nodeName }) => name === 'signer' && nodeName === 'WM-TEXT-FIELD')?.value.trim() || user;
    for (const one of inputs) if (one.nodeName === 'WM-SIGNATURE' && !one.value) { if (signer) one.setAttribute('signer', signer); else one.removeAttribute('signer'); one.about = written; }
  }
  fields.addEventListener('input', sign);
  sign();

  /** The number by which staff finds the form, and by which the service recognizes a form that is submitted again after a lost answer. */
  let key = handedNumber();
  const save = statusButton({
    label: t('field.save'), processing: t('field.saving'), success: t('field.saved'), failure: t('field.save.again'), type: 'submit',
    ready: () => fields.reportValidity(),
    work: async () => {
      fields.say(null);
      const values = inputs.filter((one) => !one.hidden).map((one) => ({ name: one.name, label: one.getAttribute('label'), value: one.value }));
      await command('form.submit', { form: description.name, key, fields: values, ...(corrects ? { context: { corrects } } : {}) });
      const number = key;
      key = handedNumber();
      last = { number, values };
      const receipt = `${title}\n${t('handover.number', { number })}\n${new Date().toLocaleString(document.documentElement.lang)}\n\n${written().map((one) => one.join(': ')).join('\n')}\n`;
      // After saving, the form is emptied for the next entry.
      empty();
      await openResult(app, { of: 'form', number, form: description.name, result: { type: 'txt', text: receipt } }, {
        state: 'form-saved', title: t('field.saved'), text: title,
        rows: [{ label: t('field.correct.entry'), help: t('field.correct.help'), picture: 'pen', onclick: correct, data: { 'data-correct': true } }],
        another: { label: t('field.another'), onclick: () => inputs[0].focus() }, ondone: () => app.home(),
      });
      setTimeout(() => save.rest());
    },
    onfailure: (error) => {
      const again = repeatWhenBack(app, error, () => { if (form.isConnected && save.dataset.state === 'failure') save.begin(); });
      fields.say({ kind: 'error', title: t('field.failed'), text: again ? t('field.failed.offline') : tOr(`error.${error.code}`, 'error.unavailable'), busy: again });
    },
  });
  /** The last saved entry, while the form is open; and the number of the entry that is being corrected. */
  let last = /** @type {{ number: string, values: { name: string, value: string }[] } | null} */ (null);
  let corrects = '';
  const heading = el('h1', {}, title);
  const entry = el('p', { class: 'last', hidden: true });
  function empty(wanted = '') {
    form.reset();
    corrects = wanted;
    heading.textContent = wanted ? t('field.correct.title', { title }) : title;
    entry.hidden = !last || Boolean(wanted);
    if (last && !wanted) entry.replaceChildren(el('span', {}, t('field.last', { number: last.number })), button(t('field.correct'), correct, { kind: 'quiet', 'data-correct': true, before: icon('pen') }));
    depend();
    sign();
  }
  /** Fills the form with the last saved entry; saving it again replaces that entry. A signature must be given again. */
  async function correct() {
    if (entered() && !await discarded()) return;
    const { number, values } = /** @type {any} */ (last);
    save.rest();
    empty(number);
    for (const one of inputs) { const saved = values.find(({ name }) => name === one.name); if (saved?.value && one.nodeName !== 'WM-SIGNATURE') one.value = saved.value; }
    depend();
    sign();
    inputs[0].focus();
  }
  const entered = () => inputs.some((one) => !one.hasAttribute('readonly') && one.value && one.value !== (one.getAttribute('value') ?? (one.nodeName === 'WM-SWITCH' ? 'no' : '')));
  const discarded = () => ask({ label: t('field.leave'), text: t('field.leave.help'), choices: [{ label: t('field.discard'), value: true }, { label: t('field.stay'), value: false, primary: true }] });
  /** Leaves the form; asks first if there is input. */
  async function leave() {
    if (entered() && !await discarded()) return;
    app.home();
  }
  const form = framed('form', { class: 'form', noValidate: true, onsubmit: (event) => { event.preventDefault(); save.begin(); } }, {
    bar: el('header', { class: 'bar' }, button(t('common.cancel'), leave, { kind: 'quiet leave' }), el('span', {}), el('span', {}, assist('field'), save)),
    room: el('div', {}, el('div', { class: 'fields' }, heading, entry, fields)),
  });
  scansInto(app, form);
  return Object.assign(form, { holds: entered });
}
