// All states of the fields, for kit.html.
import { el } from './dom.js';
import './elements/fields.js';
import { keyboard } from './elements/keyboard.js';
import './elements/choice.js';
import './elements/date.js';
import './elements/photo.js';
import './elements/signature.js';
import './elements/stepper.js';
import './elements/switch.js';
import './elements/text-field.js';

const field = (label, attributes = {}) => el('wm-text-field', { label, ...attributes });
/** A sample of <wm-choice> with its choices. */
const choice = (attributes, ...labels) => { const node = el('wm-choice', attributes); node.options = labels.map((label) => ({ value: label, label })); return node; };
const set = (node, work) => { customElements.whenDefined('wm-text-field').then(() => work(node)); return node; };

/** A sample of <wm-signature> that stores nothing, as kit.html has no service. */
const sign = (attributes, state = '') => {
  const node = el('wm-signature', { purpose: 'Goods received, order 4711', ...attributes });
  node.save = async () => ({ id: 'sample', hash: '0'.repeat(64) });
  if (state) requestAnimationFrame(() => scrawl(node, state));
  return node;
};
const press = (node, key) => /** @type {any} */ ([...node.shadowRoot.querySelectorAll('button')].find((one) => one.textContent === key))?.click();

/** Draws a signature with simulated pointer events. */
function scrawl(node, state) {
  node.shadowRoot.querySelector('.scrim').click();
  if (state === 'active') return;
  const tail = node.shadowRoot.querySelector('.tail');
  const box = tail.getBoundingClientRect();
  const send = (type, i) => {
    const [x, y] = [box.left + box.width * (.2 + .6 * i / 80), box.top + box.height * (.5 + .28 * Math.sin(i / 3.1) * Math.cos(i / 17))];
    tail.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 7, pointerType: 'pen', pressure: .35 + .5 * (i % 13) / 13, clientX: x, clientY: y }));
  };
  send('pointerdown', 0);
  for (let i = 1; i <= 80; i += 1) send('pointermove', i);
  send('pointerup', 80);
  if (state === 'saved') press(node, 'Save');
}

/** The sections of kit.html with fields; `section` makes one of a title and samples. */
export function fieldSections(section) {
  const wide = (title, ...samples) => section(title, el('div', { class: 'grid' }, ...samples));
  const wrong = el('wm-fields', { 'data-sample': 'wrong' }, field('Material number', { required: true }), field('Batch', { required: true, value: 'A-117' }), field('E-mail', { required: true, type: 'email', pattern: '\\S+@\\S+', value: 'nobody' }));
  return [
    wide('Text fields: at rest', field('Material number', { required: true, scan: 'barcode text', helper: 'Scan or type the number on the label.', maxlength: '18' }),
      field('Reference', { optional: true, prompt: 'For example 4711' }), field('Supplier', { value: 'Meyer & Sons', helper: 'As on the delivery note.' }),
      field('Plant', { readonly: true, value: '1000 Hamburg' }), field('Storage bin', { disabled: true, value: 'B-17' }), field('Passcode', { type: 'password', value: 'secret', required: true })),
    wide('Text fields: messages', field('Batch', { value: '2026-A-117', error: 'This batch is unknown. Check the label.' }),
      field('Quantity', { value: '12000', inputmode: 'numeric', warning: 'That is far more than usual.' }), field('Serial number', { value: 'SN-0042', success: 'Known: pump 7, hall 2.' })),
    wide('Text fields: counters', field('Block at the limit', { maxlength: '10', value: '12345' }), field('Count on beyond the limit', { maxlength: '10', limit: 'over', value: 'a dozen characters' }),
      set(field('Scanned, and too long', { maxlength: '10', scan: '' }), (node) => node.fill('(01)04012345678901(10)A-117'))),
    wide('Text fields: kinds of data', field('Weight', { inputmode: 'decimal', value: '12.5', suffix: 'kg' }), field('Web address', { type: 'url', prefix: 'https://', value: 'example.com' }),
      field('Telephone', { type: 'tel', prefix: '+49', group: '3 4', value: '40123456789' }), field('Card number', { inputmode: 'numeric', group: '4', maxlength: '16', value: '4111111111111111' }),
      field('IBAN', { group: '4', scan: 'text', value: 'DE89370400440532013000', autocapitalize: 'characters' }), field('Price', { currency: 'EUR', value: '1234.50' })),
    wide('Text fields: variants', field('Title', { variant: 'title', value: 'Leaking shaft seal' }), field('Subject', { variant: 'title', required: true, prompt: 'What happened?' }), field('E-mail address', { type: 'email', pattern: '[^@ ]+@[^@ ]+', value: 'nobody' }), field('Number of the shelf', { pattern: '[0-9]{4,6}', value: '12' }), field('Description', { variant: 'key-value', value: 'Drips since this morning.\nAbout a litre an hour.' }), field('Note', { variant: 'note', prompt: 'Write a note' })),
    wide('Numbers, days, choices, switches, photos', el('wm-stepper', { label: 'Pieces', value: '12', minimum: '0', maximum: '99', suffix: 'pieces' }), el('wm-date', { label: 'Best before', value: '2027-04-30', earliest: '2026-01-01', latest: '2030-12-31', required: true }),
      choice({ label: 'State', value: 'Good' }, 'Good', 'Damaged'), choice({ label: 'Bay', variant: 'list' }, 'Bay 1', 'Bay 2', 'Bay 3, cooled'), el('wm-switch', { label: 'Chilled on the way', value: 'yes' }), el('wm-photo', { label: 'Photo of the damage', helper: 'The whole parcel.' })),
    wide('A form: one must be filled, one may', el('wm-fields', {}, field('Name', { required: true }), field('Company'))),
    wide('A form: most must be filled', el('wm-fields', {}, field('First name', { required: true }), field('Last name', { required: true }), field('Company'))),
    wide('A form: several are wrong', set(wrong, (node) => { for (const one of node.fields) one.reportValidity(); node.reportValidity(); /** @type {any} */ (document.activeElement)?.blur(); })),
    wide('A form: what it says', set(el('wm-fields', {}, field('Order', { value: '4711' })), (node) => node.say({ kind: 'warning', title: 'This order is closed', text: 'Ask the office before you add to it.', closable: true }))),
    wide('Signature: in the form', sign({ label: 'Received by', required: true, helper: 'With your finger or a pen.' }), sign({ label: 'Ready to sign' }, 'active'), sign({ label: 'Signed' }, 'signed'), sign({ label: 'Saved' }, 'saved')),
    wide('Signature: a cell that opens the whole screen', sign({ label: 'Handed over by', variant: 'form', required: true, helper: 'Opens on the whole screen.', 'data-sample': 'sign' })),
  ];
}

/** Shows the on-screen keyboard if the address is kit.html?keyboard. */
export function withKeyboard() { if (new URLSearchParams(location.search).has('keyboard')) keyboard.begin(); }
