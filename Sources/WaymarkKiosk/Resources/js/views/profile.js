// Whose device it is right now and how it is set: behind the picture at the right of the start view's bar. Settings are a visitor's own, and end with the visit.
import { openDialog } from '../dialog.js';
import { button, el } from '../dom.js';
import '../elements/choice.js';
import '../elements/switch.js';
import { icon } from '../icons.js';
import { isMuted, mute } from '../sound.js';
import { t } from '../strings.js';
import { spokenTime } from '../times.js';
import { person } from './account-parts.js';

const SIZES = ['100', '125', '150', '200'];
const root = document.documentElement;

/** Letters and contrast as a visitor has set them; without a value as they are for everybody. */
export function adapt({ size = '', contrast = false } = {}) {
  if (size && size !== '100') root.style.setProperty('--letters', String(Number(size) / 100)); else root.style.removeProperty('--letters');
  root.toggleAttribute('data-contrast', contrast);
}

/** Opens it; resolves when it is closed. */
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
  return openDialog({
    label: t('profile.title'),
    build: (dialog) => {
      const act = (label, method, more = {}) => button(label, () => { dialog.close(); account.send(method); }, more);
      return el('div', { class: 'column profile', 'data-state': 'profile' },
        isSignedIn ? el('h2', { class: 'visually-hidden' }, t('profile.title')) : el('h2', {}, t('profile.title')),
        isSignedIn ? person(state.user) : null,
        isSignedIn && account.synced ? el('p', { class: 'soft synced' }, icon('sync'), el('span', {}, `${t('about.synced')}: ${spokenTime(account.synced)}`)) : null,
        size, contrast, sound,
        el('div', { class: 'actions' },
          isSignedIn ? act(t('account.signOut'), 'account.leave', { 'data-do': 'profile-out' }) : null,
          button(t('common.close'), () => dialog.close(), { kind: 'primary', 'data-first': true })));
    },
  }).closed;
}
