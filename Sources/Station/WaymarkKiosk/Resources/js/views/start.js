// The start view with the offers of this kiosk, and the display while no visitor is there.
import { button, el, printable } from '../dom.js';
import { fullError, indicator } from '../elements/feedback.js';
import { assist, languages } from '../components/assist.js';
import { art, icon } from '../icons.js';
import { said, t } from '../strings.js';

/** The name of the signed-in user, or a note about the demo, with a button to sign out. */
function who(app) {
  const { state } = app.account;
  if (!state || !['signedIn', 'demo'].includes(state.phase)) return el('span', {});
  return el('div', { class: 'who' }, state.phase === 'demo' ? el('span', {}, t('account.demo')) : el('span', {}, t('account.signedIn', { name: printable(state.user?.title ?? '') })),
    button(t('account.signOut'), () => app.account.send('account.leave'), { kind: 'quiet', 'data-do': 'signOut' }));
}

const name = ({ config: { page } }) => page.brand?.name ?? 'Waymark';

/** The integrator's brand, or the page's own, as a button that opens the dialog about this device. */
const brand = (app) => el('button', { class: 'brand', type: 'button', 'aria-label': `${name(app)}: ${t('about.title')}`, onclick: () => app.about() }, el('img', { src: app.config.page.brand?.logo ?? '/assets/icon.svg', alt: '' }), el('span', {}, name(app)));

/** The button that opens the profile, with the initials of the signed-in user. */
const profile = (app) => button('', () => app.profile(), {
  kind: 'quiet round profile-button', 'aria-label': t('profile.title'), 'data-profile': true,
  before: app.account.state?.phase === 'signedIn' && app.account.state.user?.initials ? el('span', { class: 'avatar', 'aria-hidden': 'true' }, printable(app.account.state.user.initials)) : icon('person'),
});

/** The numbers of tasks that were completed here today. */
function today(app) {
  const done = Object.entries(app.today()).filter(([, count]) => count > 0);
  return done.length ? el('ul', { class: 'today', 'aria-label': t('today.title') }, ...done.map(([what, count]) => el('li', { 'data-what': what }, el('strong', {}, String(count)), el('span', {}, t(`today.${what}`, { count }))))) : null;
}

/** The start view: a tile for each of the app's views that this kiosk shows. */
export function startView(app) {
  const bar = el('header', { class: 'bar' }, brand(app), who(app), el('span', {}, languages() ?? '', assist('start'), profile(app)));
  if (app.state.role === 'observer') {
    return el('div', { class: 'start' }, bar, el('div', { class: 'body', 'data-state': 'observer' },
      fullError({ picture: 'lock', title: t('observer.title'), text: t('observer.help'), actions: [{ label: t('common.again'), primary: true, onclick: () => location.reload() }] })));
  }
  if (app.state.gone) return el('div', { class: 'start' }, bar, el('div', { class: 'body' }, serviceGone()));
  const offered = offers(app);
  // A single offer fills the view.
  if (offered.length === 1) {
    const [{ name, picture, title, help, open }] = offered;
    return el('div', { class: 'start' }, bar, el('div', { class: 'body only' }, art(picture),
      el('div', {}, el('h1', {}, title), el('p', { class: 'lead' }, help)),
      button(t('start.begin'), open, { kind: 'primary', 'data-open': name })));
  }
  return el('div', { class: 'start' }, bar,
    el('div', { class: 'body' }, el('div', {}, el('h1', {}, t('start.title')), el('p', { class: 'lead' }, t('start.lead')), today(app)),
      el('div', { class: 'tiles' }, ...offered.map(({ name, form, picture, title, help, open }) => {
        const empty = name === 'ar' && app.state.scenes === 0 && !app.state.scene;
        return el('button', { class: 'tile', type: 'button', 'data-open': name, 'data-form': form, disabled: empty, onclick: open },
          art(picture), el('strong', {}, title, empty ? null : icon('forward')), el('span', {}, empty ? t('ar.noScene') : help));
      }))));
}

/** The offers of this kiosk: its views, and one for each form of the integrator's. */
export const offers = (app) => app.views.filter(({ name }) => app.config.show.includes(name)).flatMap(({ name, picture }) => {
  const { forms = [] } = app.config.page;
  if (name === 'field' && forms.length) return forms.map((form) => ({ name, form: form.name, picture, title: said(form.title), help: said(form.help), open: () => app.open(name, form) }));
  return [{ name, form: null, picture, title: t(`start.${name}`), help: t(`start.${name}.help`), open: () => app.open(name) }];
});

/** The message that the service is not connected; the page reconnects by itself. */
function serviceGone() {
  return el('div', { 'data-state': 'service-gone' }, fullError({ picture: 'trouble', title: t('gone.title'), text: t('gone.help'), actions: [] }), indicator(t('gone.trying')));
}

/** The titles of all offers in one line. */
const attracts = (app) => { const offered = offers(app); return offered.length ? offered.map(({ title }) => title).join(' · ') : t('attract.text'); };

/** The display while no visitor is there. A touch anywhere opens the start view. */
export function attractView(app) {
  const begin = () => app.home();
  return el('div', { class: 'attract', 'data-state': 'attract', onclick: (event) => { if (!event.target.closest('.languages')) begin(); } },
    el('div', { class: 'scene' }, art('attract'), el('div', {}, el('h1', {}, t('attract.title')), el('p', {}, attracts(app)))),
    button(t('attract.begin'), begin, { kind: 'primary', 'data-first': true }),
    languages() ?? el('span', {}));
}
