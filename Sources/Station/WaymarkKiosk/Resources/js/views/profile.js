// The profile: the signed-in user and a visitor's settings. The picture at the right of the start view's bar opens it. Settings end with
// the visit; the service keeps consents.
import { ask, openDialog } from '../dialog.js';
import { announce, button, el, framed, printable, printableLines } from '../dom.js';
import '../elements/choice.js';
import { toast } from '../elements/feedback.js';
import '../elements/switch.js';
import { icon } from '../icons.js';
import { isMuted, mute } from '../sound.js';
import { t } from '../strings.js';
import { spokenTime } from '../times.js';
import { own, person } from './account-parts.js';

const SIZES = ['100', '125', '150', '200'];
const root = document.documentElement;

/** Applies a visitor's font size and contrast; without a value the defaults. */
export function adapt({ size = '', contrast = false } = {}) {
  if (size && size !== '100') root.style.setProperty('--letters', String(Number(size) / 100)); else root.style.removeProperty('--letters');
  root.toggleAttribute('data-contrast', contrast);
}

/**
 * The consents of the signed-in user: their texts, the choices with their times, and buttons to change them.
 * @param {import('../api.js').App} app
 */
function consents(app) {
  const { account } = app;
  const { policy } = account;
  const list = el('div', { class: 'consents', role: 'group', 'aria-label': t('profile.consents') });
  async function choose({ id, mandatory }, choice) {
    if (choice === 'deny' && mandatory && !await ask({ label: t('profile.withdraw.title'), text: t('profile.withdraw.text'), alert: true, choices: [{ label: t('profile.withdraw'), value: true }, { label: t('common.cancel'), value: false, primary: true }] })) return;
    if (await account.send('consent.choose', { consent: id, choice, language: document.documentElement.lang })) announce(t(`profile.consent.${choice}`, { time: spokenTime(new Date()) }));
    else toast(t('trouble.notStored.help'));
  }
  function draw() {
    const choices = account.state?.choices ?? [];
    const open = new Set([...list.querySelectorAll('details[open]')].map((one) => one.dataset.consent));
    const at = /** @type {HTMLElement} */ (document.activeElement)?.dataset?.consents;
    const asked = (policy?.consents ?? []).filter(({ id }) => choices.some((one) => one.consent === id));
    list.replaceChildren(...(asked.length ? [el('h3', {}, t('profile.consents'))] : []), ...asked.map((one) => {
      const { choice, time } = choices.find(({ consent }) => consent === one.id);
      const allows = choice === 'allow';
      return el('details', { 'data-consent': one.id, open: open.has(one.id) },
        el('summary', {}, icon('forward'), el('span', { class: 'grow' }, el('strong', {}, printable(own(one.pages[0]?.title, policy.language) || t('consents.label'))),
          el('span', { class: 'soft', 'data-choice': choice }, t(`profile.consent.${choice}`, { time: spokenTime(new Date(time)) })))),
        ...one.pages.map((page) => el('p', {}, printableLines(own(page.text, policy.language)))),
        button(t(allows ? 'profile.withdraw' : 'consents.allow'), () => choose(one, allows ? 'deny' : 'allow'), { 'data-consents': one.id }));
    }));
    if (at) /** @type {HTMLElement} */ (list.querySelector(`[data-consents="${at}"]`))?.focus();
  }
  draw();
  return { list, draw };
}

/**
 * Synchronizes the user's data again; the page shows the progress, and announces the end.
 * @param {import('../api.js').App} app
 */
function synchronize(app) {
  const { account, events } = app;
  const before = account.state.synced;
  const off = events.on('account.state', (now) => {
    if (now.phase === 'sync') return;
    off();
    if (now.phase === 'signedIn' && now.synced !== before) toast(t('profile.synced'));
  });
  account.send('sync.retry').then((now) => { if (!now) off(); });
}

/**
 * Opens the profile; resolves when it is closed.
 * @param {import('../api.js').App} app
 */
export function openProfile(app) {
  const { account } = app;
  const { state } = account;
  const isSignedIn = state?.phase === 'signedIn';
  const size = el('wm-choice', { label: t('profile.size'), name: 'size', value: String(Math.round(100 * Number(root.style.getPropertyValue('--letters') || 1))) });
  size.options = SIZES.map((value) => ({ value, label: `${value} %` }));
  const contrast = el('wm-switch', { label: t('profile.contrast'), name: 'contrast', value: root.hasAttribute('data-contrast') ? 'yes' : 'no' });
  const sound = el('wm-switch', { label: t('profile.sound'), name: 'sound', value: isMuted() ? 'no' : 'yes' });
  for (const one of [size, contrast]) one.addEventListener('input', () => adapt({ size: size.value, contrast: contrast.value === 'yes' }));
  sound.addEventListener('input', () => mute(sound.value === 'no'));
  const given = isSignedIn ? consents(app) : null;
  const off = app.events.on('account.state', ({ problem }) => { given?.draw(); if (problem?.code === 'notStored') toast(t('trouble.notStored')); });
  return openDialog({
    label: t('profile.title'), onclose: off,
    build: (dialog) => {
      const act = (label, method, more = {}) => button(label, () => { dialog.close(); account.send(method); }, more);
      return framed('div', { class: 'profile', 'data-state': 'profile' }, { room: el('div', {},
        isSignedIn ? el('h2', { class: 'visually-hidden' }, t('profile.title')) : el('h2', {}, t('profile.title')),
        isSignedIn ? person(state.user) : null,
        isSignedIn && account.synced ? el('p', { class: 'soft synced' }, icon('sync'), el('span', { class: 'grow' }, `${t('about.synced')}: ${spokenTime(account.synced)}`),
          button(t('profile.sync'), () => { dialog.close(); synchronize(app); }, { kind: 'quiet', 'data-do': 'sync' })) : null,
        given?.list,
        size, contrast, sound),
      foot: [isSignedIn ? act(t('account.signOut'), 'account.leave', { 'data-do': 'profile-out' }) : null, button(t('common.close'), () => dialog.close(), { kind: 'primary', 'data-first': true })].filter(Boolean) });
    },
  }).closed;
}
