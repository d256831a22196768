// The dialog about this device: version, cameras, languages, the last synchronization of the signed-in user, and the consents that the
// device asks for. The brand on the start view opens it, for staff and interested visitors.
import { command } from '../api.js';
import { openDialog } from '../dialog.js';
import { button, el, framed, printable, printableLines } from '../dom.js';
import { icon } from '../icons.js';
import { languageChoices, t } from '../strings.js';
import { spokenTime } from '../times.js';
import { own } from './account-parts.js';

/** The state of a camera as a text: ready or out of order. */
const stateOf = (status) => t(['lost', 'stalled'].includes(status) ? 'about.camera.out' : 'about.camera.ready');

/** Opens the dialog; resolves when it is closed. */
export async function openAbout(app) {
  const now = await command('status').catch(() => null);
  const { account } = app;
  const cameras = now?.cameras ?? (now ? [now] : []);
  const facts = [
    [t('about.version'), now ? printable(now.version) : t('about.service.out')],
    ...(now ? [[t('about.started'), spokenTime(new Date(now.started))]] : []),
    ...cameras.map(({ name, camera }) => [name ? `${t('about.camera')} ${printable(name)}` : t('about.camera'), stateOf(camera.status)]),
    [t('start.languages'), languageChoices().map(({ name }) => name).join(', ')],
    ...(account.synced ? [[t('about.synced'), spokenTime(account.synced)]] : []),
  ];
  const consents = account.policy?.consents ?? [];
  return openDialog({
    label: t('about.title'), kind: 'ask',
    build: (dialog) => framed('div', { class: 'about', 'data-state': 'about' }, { room: el('div', {}, el('h2', {}, t('about.title')),
      el('dl', {}, ...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
      ...consents.map((one) => el('details', {}, el('summary', {}, icon('forward'), el('span', {}, printable(own(one.pages[0]?.title, account.policy.language) || t('consents.label')))),
        ...one.pages.map((page) => el('p', {}, printableLines(own(page.text, account.policy.language))))))),
    foot: [button(t('common.close'), () => dialog.close(), { kind: 'primary', 'data-first': true })] }),
  }).closed;
}
