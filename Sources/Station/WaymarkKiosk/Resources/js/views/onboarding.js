// The steps of onboarding: welcome, activation, credentials, consents, passcode, ready.
import { languages } from '../components/assist.js';
import { qrDrawing } from '../components/cards.js';
import { pictures } from '../api.js';
import { ask } from '../dialog.js';
import { button, el, printable, printableLines } from '../dom.js';
import { bannerNode, tick } from '../elements/feedback.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { backButton, busy, leaveButton, legalLink, logo, own, screen, secretField, trouble, words } from './account-parts.js';
import { openScanner } from './scanner.js';
import { offers } from './start.js';

/** The icon of each offer of the device. */
const FEATURES = { onboard: 'qr', ar: 'cube', document: 'document', count: 'barcode', field: 'pen' };

export function welcome(app) {
  const { policy } = app.account;
  const said = words(policy, 'welcome');
  const terms = own(policy.terms, policy.language);
  const box = terms ? el('input', { type: 'checkbox', id: 'account-terms', onchange: () => node.say() }) : null;
  const go = el('button', { class: 'button primary', type: 'submit', 'data-first': !box }, t('welcome.begin'));
  const later = policy.logos.slice(1);
  const node = screen({
    name: 'welcome', tail: languages(), top: logo(policy), title: said.title, text: said.text,
    leave: app.account.state.purpose === 'add' ? leaveButton(app) : null,
    body: [
      // What has to be agreed to is in sight at once.
      box ? el('label', { class: 'tickbox', htmlFor: 'account-terms' }, box, el('span', {}, printableLines(terms))) : null,
      el('ul', { class: 'features', 'aria-label': t('welcome.features') }, ...offers(app).map(({ name, title, help }) => el('li', {}, icon(FEATURES[name]), el('span', {}, el('strong', {}, title), el('span', { class: 'soft' }, help))))),
      policy.links.length ? el('nav', { class: 'links', 'aria-label': t('welcome.links') }, ...policy.links.map((link) => legalLink(link, policy, qrDrawing))) : null,
    ],
    foot: later.length ? el('div', { class: 'logos' }, ...later.map((id) => el('img', { src: pictures.resource(id), alt: '' }))) : null,
    actions: [policy.demo ? button(t('welcome.demo'), () => app.account.send('account.demo')) : null, go],
    onsubmit: () => {
      if (!box || box.checked) { app.account.send('account.next', { agreed: true }); return; }
      node.say(bannerNode({ kind: 'warning', title: t('welcome.terms'), text: '', closable: false, busy: false, close: () => {} }));
      box.focus();
      box.closest('label').scrollIntoView({ block: 'nearest' });
    },
  });
  return { node, update: (state) => node.say(trouble(app, state.problem)) };
}

export function activation(app) {
  const { policy, state } = app.account;
  const { method } = state;
  if (!method) return ways(app);
  const leave = policy.activation.length > 1 ? backButton(app) : leaveButton(app);
  if (method === 'scan') return scan(app, leave);
  if (method === 'preset') return preset(app, leave);
  const isCode = method === 'code';
  const field = el('wm-text-field', {
    name: method, label: t(`activation.${method}.label`), required: true, scan: isCode ? 'barcode' : null, helper: t(`activation.${method}.help`), inputmode: isCode ? 'text' : 'email', autocapitalize: 'off', 'data-first': true,
  });
  const go = el('button', { class: 'button primary', type: 'submit', disabled: true }, t('account.continue'));
  const check = () => { go.disabled = !field.value.trim() || Boolean(app.account.state.working); };
  const node = screen({
    name: `activation-${method}`, leave, title: t(`activation.${method}`), body: [field], actions: [go],
    onsubmit: () => {
      if (go.disabled) return;
      app.account.send('account.activate', { code: field.value.trim() });
    },
  });
  field.addEventListener('input', check);
  node.addEventListener('wm-scan', async () => {
    const verdict = await openScanner(app, { mode: 'barcode', camera: app.cameras.for('onboard') }).closed;
    if (verdict) field.fill(verdict.text ?? '');
    field.focus();
  });
  return {
    node, clear: () => { field.value = ''; },
    update: (now) => { node.say(now.working ? busy(t('activation.working')) : trouble(app, now.problem)); check(); },
  };
}

/** The choice between several ways of activation. */
function ways(app) {
  const { policy } = app.account;
  const said = words(policy, 'activation');
  const node = screen({
    name: 'activation', leave: leaveButton(app), title: said.title, text: said.text,
    body: [el('div', { class: 'ways' }, ...policy.activation.map((way, index) => el('button', { class: 'way', type: 'button', 'data-way': way, 'data-first': index === 0, onclick: () => app.account.send('account.choose', { method: way }) },
      icon({ scan: 'qr', code: 'link', email: 'document', preset: 'plug' }[way]), el('span', { class: 'grow' }, el('strong', {}, t(`activation.${way}`)), el('span', { class: 'soft' }, t(`activation.${way}.help`))), icon('forward'))))],
  });
  return { node, update: (state) => node.say(trouble(app, state.problem)) };
}

function scan(app, leave) {
  const open = async () => { const verdict = await openScanner(app, { mode: 'onboarding' }).closed; if (!verdict) node.querySelector('.primary')?.focus(); };
  const node = screen({
    name: 'activation-scan', leave, title: t('activation.scan'), text: t('activation.scan.help'),
    actions: [button(t('activation.open'), open, { kind: 'primary', 'data-first': true, before: icon('qr') })],
  });
  return { node, update: (state) => node.say(trouble(app, state.problem)) };
}

/** The screen of activation with a preset host, which continues by itself if it is the only way. */
function preset(app, leave) {
  const node = screen({ name: 'activation-preset', leave, title: t('activation.preset'), text: t('activation.preset.help'), actions: [button(t('account.continue'), () => app.account.send('account.next'), { kind: 'primary', 'data-first': true })] });
  if (app.account.policy.activation.length === 1) queueMicrotask(() => app.account.send('account.next'));
  return { node, update: (state) => node.say(trouble(app, state.problem)) };
}

export function credentials(app) {
  const { policy, state } = app.account;
  const recovers = state.purpose === 'recover';
  const said = recovers ? { title: t('recover.title'), text: t('recover.text') } : words(policy, 'credentials');
  const fields = policy.fields.map(({ name, label, kind }, index) => {
    const text = printable(own(label, policy.language));
    if (kind === 'password') { const secret = secretField({ label: text, name, oninput: () => check() }); return { name, node: secret.node, get value() { return secret.value; }, clear: secret.clear }; }
    const node = el('wm-text-field', { name, label: text, required: true, 'data-first': index === 0, inputmode: { email: 'email', number: 'numeric' }[kind] ?? 'text', autocapitalize: 'off', autocomplete: 'off' });
    node.addEventListener('input', () => check());
    return { name, node, get value() { return node.value; }, clear: () => { node.value = ''; } };
  });
  const go = el('button', { class: 'button primary', type: 'submit', disabled: true }, t('credentials.submit'));
  const check = () => { go.disabled = fields.some((one) => !one.value) || Boolean(app.account.state.working); };
  const node = screen({
    name: recovers ? 'recover' : 'credentials', leave: recovers ? backButton(app) : leaveButton(app), title: said.title, text: said.text,
    body: [el('p', { class: 'soft' }, t('account.required')), ...fields.map((one) => one.node)], actions: [go],
    onsubmit: () => {
      if (go.disabled) return;
      const filled = Object.fromEntries(fields.map((one) => [one.name, one.value]));
      // Passwords are cleared from their fields before they are sent.
      fields.forEach((one, index) => { if (policy.fields[index].kind === 'password') one.clear(); });
      app.account.send('authentication.submit', { fields: filled });
      for (const name of Object.keys(filled)) filled[name] = '';
    },
  });
  return {
    node, clear: () => fields.forEach((one) => one.clear()),
    update: (now) => { node.say(now.working ? busy(t('credentials.working')) : trouble(app, now.problem, now.problem?.code === 'refused' ? t('trouble.signIn') : undefined)); check(); },
  };
}

export function consents(app) {
  const { policy, state } = app.account;
  const { id, page, pages } = state.consent ?? { id: '', page: 0, pages: 1 };
  const consent = policy.consents.find((one) => one.id === id) ?? { pages: [{ text: {} }], mandatory: false };
  const shown = consent.pages[page] ?? consent.pages[0];
  const last = page >= pages - 1;
  const single = pages === 1;
  let warned = false;
  const choose = (choice) => { warned = false; app.account.send('consent.choose', { consent: id, choice, language: document.documentElement.lang }); };
  /** Warns in a dialog that onboarding cannot continue without a mandatory consent. */
  async function warn() {
    warned = true;
    const leave = await ask({ label: t('trouble.consentNeeded'), text: t('trouble.consentNeeded.help'), alert: true, choices: [{ label: t('account.leave.go'), value: true }, { label: t('consents.again'), value: false, primary: true }] });
    if (leave) app.account.send('account.leave');
  }
  const more = own(shown.more, policy.language);
  const rest = more ? el('p', { class: 'more', id: 'account-more', hidden: true }, printableLines(more)) : null;
  const toggle = rest ? button(t('consents.more'), () => { rest.hidden = !rest.hidden; toggle.setAttribute('aria-expanded', String(!rest.hidden)); toggle.querySelector('span').textContent = t(rest.hidden ? 'consents.more' : 'consents.less'); }, { kind: 'quiet', 'aria-expanded': 'false', 'aria-controls': 'account-more' }) : null;
  const title = printable(own(shown.title, policy.language)) || t('consents.label');
  const before = page > 0 ? printable(own(consent.pages[page - 1].title, policy.language)) || t('consents.label') : '';
  const actions = last
    ? [button(t(consent.mandatory ? 'consents.deny' : 'consents.later'), () => choose(consent.mandatory ? 'deny' : 'later'), { 'data-choice': consent.mandatory ? 'deny' : 'later' }), button(t('consents.allow'), () => choose('allow'), { kind: 'primary', 'data-choice': 'allow' })]
    : [];
  const next = last ? null : button(t('account.next'), () => app.account.send('account.next'), { kind: 'primary', 'data-first': true });
  const node = screen({
    name: 'consents', leave: page > 0 ? backButton(app, before) : leaveButton(app), tail: next, bar: single ? '' : t('consents.step', { page: page + 1, pages }),
    title, body: [el('div', { class: single ? 'modal' : 'consent-page', role: 'group', 'aria-label': title },
      el('p', { class: 'consent-text', tabIndex: -1, 'data-first': last }, printableLines(own(shown.text, policy.language))), toggle, rest, consent.mandatory && last ? el('p', { class: 'soft' }, t('consents.needed')) : null)],
    actions,
  });
  node.dataset.consent = id;
  node.dataset.page = String(page);
  // The first page of a consent moves in from below, and its further pages from the side.
  node.dataset.enter = page > 0 ? 'push' : 'modal';
  return {
    node,
    update: (now) => {
      const needed = now.problem?.code === 'consentNeeded';
      node.say(needed ? null : trouble(app, now.problem));
      for (const one of node.querySelectorAll('.actions .button')) one.disabled = Boolean(now.working);
      if (needed && !warned) warn();
    },
  };
}

const SIGNS = { digit: /\p{Nd}/u, lower: /\p{Ll}/u, upper: /\p{Lu}/u, symbol: /[^\p{L}\p{N} ]/u };

export function passcode(app) {
  const { policy, state } = app.account;
  const { repeats } = state;
  const rules = policy.passcode;
  const said = repeats ? { title: t('passcode.repeat.title'), text: t('passcode.repeat.text') } : words(policy, 'passcode');
  const field = secretField({ label: t('passcode.label'), autocomplete: 'new-password', inputmode: rules.numeric ? 'numeric' : 'text', oninput: () => check() });
  const list = [
    ['minimum', (text) => [...text].length >= rules.minimum, rules.minimum], rules.numeric ? ['numeric', (text) => /^[0-9]+$/.test(text)] : null,
    ...(rules.numeric ? [] : ['digit', 'lower', 'upper', 'symbol'].filter((one) => rules[one]).map((one) => [one, (text) => SIGNS[one].test(text)])),
  ].filter(Boolean).map(([key, holds, count]) => ({ holds, node: el('li', { 'data-rule': key }, icon('circle'), icon('good'), el('span', {}, t(`passcode.rule.${key}`, { count })), el('span', { class: 'visually-hidden' })) }));
  const go = el('button', { class: 'button primary', type: 'submit', disabled: true }, t(repeats ? 'passcode.save' : 'account.next'));
  const check = () => {
    for (const { holds, node } of list) { const met = holds(field.value); node.classList.toggle('met', met); node.lastElementChild.textContent = met ? ` (${t('passcode.rule.met')})` : ''; }
    go.disabled = Boolean(app.account.state.working) || !field.value || (!repeats && [...field.value].length > rules.maximum) || (!repeats && list.some(({ holds }) => !holds(field.value)));
  };
  const node = screen({
    name: repeats ? 'passcode-repeat' : 'passcode', leave: repeats ? backButton(app) : leaveButton(app), title: said.title, text: said.text,
    body: [field.node, repeats ? null : el('ul', { class: 'rules' }, ...list.map((one) => one.node))], actions: [go],
    onsubmit: () => { if (go.disabled) return; const typed = field.value; field.clear(); app.account.send('authentication.setPasscode', { passcode: typed }); },
  });
  field.node.dataset.first = '';
  return { node, clear: field.clear, update: (now) => { node.say(now.working ? busy(t('passcode.working')) : trouble(app, now.problem)); check(); } };
}

export function ready(app) {
  const said = words(app.account.policy, 'ready');
  const node = screen({ name: 'ready', top: tick(), title: said.title, text: said.text, actions: [el('button', { class: 'button primary', type: 'submit', 'data-first': true }, t('ready.done'))], onsubmit: () => app.account.send('account.next') });
  return { node, update: (state) => node.say(trouble(app, state.problem)) };
}
