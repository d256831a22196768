// The parts of the screens of onboarding and signing in.
import { pictures } from '../api.js';
import { ask, openDialog } from '../dialog.js';
import { button, el, framed, keepInView, printable, printableLines } from '../dom.js';
import { assist } from '../components/assist.js';
import { bannerNode, indicator } from '../elements/feedback.js';
import '../elements/text-field.js';
import { art, icon } from '../icons.js';
import { said as translated, t, tables } from '../strings.js';

/** A text of the policy in the language of the page. */
export function own(text, standard) {
  return text ? text[document.documentElement.lang] ?? text[standard] ?? Object.values(text)[0] ?? '' : '';
}

/** Title and text of a screen: the policy's, else the page's own. */
export function words(policy, screen, key = screen) {
  const said = policy?.words?.[screen] ?? {};
  return { title: printable(own(said.title, policy?.language) || t(`${key}.title`)), text: printableLines(own(said.text, policy?.language) || t(`${key}.text`)) };
}

/** The logo of the policy, or the page's own sign. */
export function logo(policy) {
  const [first] = policy?.logos ?? [];
  return el('img', { class: 'logo', src: first ? pictures.resource(first) : '/assets/icon.svg', alt: '' });
}

/** A field whose text is hidden. */
export function secretField({ label, name = 'passcode', autocomplete = 'off', inputmode = 'text', oninput = () => {} }) {
  const node = el('wm-text-field', { type: 'password', name, label, required: true, autocomplete, inputmode, autocapitalize: 'off', class: 'secret' });
  node.addEventListener('input', oninput);
  return { node, get value() { return node.value; }, clear() { node.value = ''; } };
}

/** The picture of a user: their initials, or an icon. */
export const avatar = (user) => el('span', { class: 'avatar', 'aria-hidden': 'true' }, user?.initials ? printable(user.initials) : icon('person'));

/** A user as the policy shows them. */
export function person(user) {
  return el('div', { class: 'person' }, avatar(user), el('div', { class: 'grow' },
    el('strong', {}, printable(user?.title ?? t('account.person'))), user?.subtitle ? el('span', { class: 'soft' }, printable(user.subtitle)) : null));
}

/** A text of the provider, if it is translated or the page has the policy's language; else empty, so that no screen mixes languages. */
export function providerText(text, policy) {
  const words = translated(text);
  return text && (words !== text || document.documentElement.lang === (policy?.language ?? 'en')) ? printable(words) : '';
}

/** A banner about a problem; `title` replaces the general one. */
export function trouble(app, problem, title) {
  if (!problem) return null;
  const key = `trouble.${problem.code}`;
  const known = key in tables.en;
  return bannerNode({ kind: 'error', title: title ?? t(known ? key : 'trouble.failed'), text: providerText(problem.text, app.account.policy) || t(`${known ? key : 'trouble.failed'}.help`), closable: false, busy: false, close: () => {} });
}

/** An indicator that another operation is running. */
export const busy = (text) => indicator(text);

/** The illustration beside each screen, which is shown if there is room. */
const DRAWN = { welcome: 'welcome', activation: 'onboard', credentials: 'person', recover: 'lock', consents: 'consent', passcode: 'lock', ready: 'ready', signIn: 'person', users: 'person', sync: 'sync' };

/** Dots that show the current step among several. */
export const dots = (at, count) => el('p', { class: 'dots', role: 'img', 'aria-label': t('consents.step', { page: at + 1, pages: count }) }, ...Array.from({ length: count }, (_, i) => el('i', { 'data-now': i === at })));

/** A screen: a bar with a button to go back, a column with title, text and actions, and a footer. */
export function screen({ name, leave = null, bar = '', tail = null, top = null, title, label = '', text = '', body = [], actions = [], foot = null, onsubmit = null }) {
  const messages = el('div', { class: 'messages', role: 'status', 'aria-live': 'polite' });
  const room = el('div', { class: 'column' }, top, el('h1', { tabIndex: -1, class: title ? '' : 'visually-hidden' }, title || label), text ? el('p', { class: 'lead' }, text) : null, messages, ...body, foot);
  const node = framed('form', {
    class: 'account', 'data-screen': name, noValidate: true, autocomplete: 'off',
    onsubmit: (event) => { event.preventDefault(); onsubmit?.(); },
  }, { bar: el('header', { class: 'bar' }, leave ?? el('span', {}), bar ? el('h2', {}, bar) : el('span', {}), el('span', {}, tail, assist(name.split('-')[0]))), side: el('div', { class: 'side' }, art(DRAWN[name.split('-')[0]])), room, foot: actions });
  return Object.assign(node, { say: (...nodes) => { messages.replaceChildren(...nodes.filter(Boolean)); keepInView(); } });
}

/** A button that leaves onboarding after a confirmation. */
export function leaveButton(app, label = t('common.cancel')) {
  return button(label, async () => {
    const go = await ask({ label: t('account.leave.title'), text: t('account.leave.text'), choices: [{ label: t('account.leave.go'), value: true }, { label: t('account.leave.stay'), value: false, primary: true }] });
    if (go) app.account.send('account.leave');
  }, { kind: 'quiet leave' });
}

/** A button that goes back by one screen, with the title of that screen if it has one. */
export const backButton = (app, title = '') => button(title ? t('account.backTo', { title }) : t('account.back'), () => app.account.send('account.back'), { kind: title ? 'quiet leave to' : 'quiet leave', before: icon('back') });

/** A button for a legal text: it shows the text if the policy contains it, and a QR code of the address, as the page opens no other sites. */
export function legalLink(link, policy, draw) {
  const title = printable(own(link.title, policy.language));
  const text = own(link.text, policy.language);
  return button(title, () => openDialog({
    label: title,
    build: (dialog) => el('div', { class: 'column center take' }, el('h2', {}, title), text ? el('p', { class: 'legal' }, printableLines(text)) : null, el('p', { class: 'soft' }, t('take.link')), draw(link.url), el('p', { class: 'address' }, printable(link.url)),
      el('div', { class: 'actions' }, button(t('common.close'), () => dialog.close(), { kind: 'primary', 'data-first': true }))),
  }), { kind: 'quiet' });
}
