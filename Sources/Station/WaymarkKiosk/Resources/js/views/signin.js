// The screens of signing in, changing users and synchronizing, and the view that shows the screen for each state of the service.
import { languages } from '../components/assist.js';
import { command } from '../api.js';
import { button, el, printable, setText, still } from '../dom.js';
import { emptyState, progress, skeletonRow } from '../elements/feedback.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { avatar, backButton, busy, dots, logo, person, providerText, screen, secretField, trouble, words } from './account-parts.js';
import { openScanner } from './scanner.js';
import { activation, consents, credentials, passcode, ready, welcome } from './onboarding.js';

const BLANK_MS = 180;

function signIn(app) {
  const { policy, state } = app.account;
  const asks = policy.modules.includes('passcode');
  const said = words(policy, 'signIn');
  // The keyboard has all characters, so that it does not reveal the kind of the passcode.
  const field = secretField({ label: t('passcode.label'), autocomplete: 'current-password', oninput: () => check() });
  field.node.dataset.first = '';
  const go = el('button', { class: 'button primary', type: 'submit', disabled: asks, 'data-first': !asks }, t('signIn.submit'));
  let until = 0;
  let timer = 0;
  const left = () => Math.ceil((until - performance.now()) / 1000);
  const check = () => { go.disabled = Boolean(app.account.state.working) || left() > 0 || (asks && !field.value); };
  const forgot = state.canRecover ? button(t('signIn.forgot'), () => app.account.send('authentication.forgot'), { kind: 'quiet', 'data-do': 'forgot' }) : null;
  const change = policy.mode === 'shared' ? button(t('signIn.switch'), () => app.account.send('account.switch'), { kind: 'quiet', 'data-do': 'switch' }) : null;
  const node = screen({
    name: 'signIn', tail: languages(), top: logo(policy), title: said.title, body: [person(state.user), asks ? field.node : null], actions: [forgot, change, go].filter(Boolean),
    onsubmit: () => {
      if (go.disabled) return;
      const typed = field.value;
      field.clear();
      if (asks) app.account.send('authentication.signIn', { passcode: typed }); else app.account.send('account.next');
    },
  });
  const count = el('span', {});
  return {
    node, clear() { clearInterval(timer); field.clear(); },
    update(now) {
      clearInterval(timer);
      until = now.wait ? performance.now() + now.wait * 1000 : 0;
      const waiting = () => { setText(count, t('signIn.wait', { seconds: Math.max(0, left()) })); if (left() <= 0) { clearInterval(timer); node.say(); } check(); };
      if (now.wait) {
        const box = trouble(app, { code: 'wrongPasscode' });
        box.querySelector('.words').replaceChildren(count);
        // Not live, so that a screen reader announces the seconds only once.
        count.setAttribute('aria-live', 'off');
        node.say(box);
        waiting();
        timer = window.setInterval(waiting, 500);
      } else { node.say(now.working ? busy(t('signIn.working')) : trouble(app, now.problem)); check(); }
    },
  };
}

function users(app) {
  const { policy } = app.account;
  const search = el('wm-text-field', { name: 'search', label: t('users.search'), helper: t('users.badge'), 'text-scan': t('users.badge.scan'), autocomplete: 'off', scan: 'barcode', 'data-first': true });
  search.addEventListener('input', () => draw());
  // The code of a badge is the id of its user, or what stands below the name; the passcode is still asked for.
  search.addEventListener('wm-scan', async () => {
    const verdict = await openScanner(app, { mode: 'barcode', camera: app.cameras.for('onboard') }).closed;
    if (!verdict?.text || !node.isConnected) { search.focus(); return; }
    const [badge, other] = all.filter((one) => [one.id, one.subtitle].includes(verdict.text));
    if (!badge || other) { search.fill(verdict.text); search.focus(); return; }
    if (await app.account.send('account.select', { user: badge.id })) app.account.send('account.back');
  });
  const list = el('div', { class: 'people' });
  let all = [];
  let loaded = false;
  const row = (user, selected) => el('button', { class: 'row', type: 'button', role: 'radio', 'aria-checked': String(selected), 'data-user': user.id, onclick: () => app.account.send('account.select', { user: user.id }) },
    avatar(user), el('span', { class: 'grow' }, el('strong', {}, ...marked(printable(user.title ?? t('account.person')))), user.subtitle ? el('span', { class: 'soft' }, ...marked(printable(user.subtitle))) : null), selected ? icon('check') : null);
  /** Marks the searched text within a text. */
  function marked(text) {
    const wanted = search.value.trim().toLocaleLowerCase();
    const at = wanted ? text.toLocaleLowerCase().indexOf(wanted) : -1;
    return at < 0 ? [text] : [text.slice(0, at), el('mark', {}, text.slice(at, at + wanted.length)), text.slice(at + wanted.length)];
  }
  const group = (label, people, selected) => people.length ? el('div', { role: 'radiogroup', 'aria-label': label }, all.length > 1 ? el('h2', {}, label) : null, ...people.map((user) => row(user, user.id === selected))) : null;
  function draw() {
    const selected = app.account.state.user?.id;
    const wanted = search.value.trim().toLocaleLowerCase();
    const found = all.filter((one) => !wanted || `${one.title ?? ''} ${one.subtitle ?? ''}`.toLocaleLowerCase().includes(wanted));
    const held = /** @type {HTMLElement} */ (document.activeElement)?.dataset?.user;
    list.replaceChildren(...[all.length > 1 ? group(t('users.selected'), found.filter((one) => one.id === selected), selected) : null, group(`${t('account.all')} (${found.length})`, found, selected),
      loaded && !found.length ? emptyState({ picture: 'person', size: 64, title: t('users.none'), text: t('users.none.help'), actions: wanted ? [{ label: t('users.clear'), onclick: () => { search.value = ''; draw(); search.focus(); } }] : [], level: 2 }) : null,
      ...(loaded ? [] : [1, 2, 3].map(skeletonRow))].filter(Boolean));
    if (held) /** @type {HTMLElement} */ (list.querySelector(`[data-user="${held}"]`))?.focus();
  }
  const node = screen({
    name: 'users', leave: backButton(app), bar: t('users.title'), title: '', label: t('users.title'), body: [search, list],
    tail: button('', () => app.account.send('account.add'), { kind: 'quiet round', 'aria-label': t('account.add'), before: icon('plus'), 'data-do': 'add' }),
    onsubmit: () => {},
  });
  command('account.users').then((answer) => { all = answer.users; loaded = true; draw(); }).catch(() => {});
  return { node, clear: () => { search.value = ''; all = []; }, update: (state) => { node.say(trouble(app, state.problem)); draw(); node.dataset.mode = policy.mode; } };
}

function sync(app) {
  const { policy } = app.account;
  const said = words(policy, 'sync');
  // A user who was signed in already returns to the previous screen.
  const isAgain = app.account.state.purpose === 'renew';
  const leave = () => app.account.send(isAgain ? 'account.back' : 'account.leave');
  const bar = progress({ label: t('sync.progress'), sign: icon('sync'), onstop: leave });
  const node = screen({ name: 'sync', leave: button(t('account.back'), leave, { kind: 'quiet leave', before: icon('back') }), bar: t('sync.bar'), top: logo(policy), title: said.title, body: [] });
  const column = node.querySelector('.column');
  const back = () => button(t(isAgain ? 'account.back' : 'sync.return'), leave, { 'data-do': 'return' });
  let shown = '';
  return {
    node,
    update(state) {
      const now = state.sync ?? { state: 'running' };
      if (now.state === 'running') bar.set(now.progress ?? 0);
      if (shown === now.state) return;
      shown = now.state;
      const at = now.state === 'running' ? said : now.state === 'connectionError'
        ? { title: t('sync.connection.title'), text: providerText(now.text, policy) || t('sync.connection.text') } : { title: t('sync.user.title'), text: providerText(now.text, policy) || t('sync.user.text') };
      node.dataset.sync = now.state;
      column.replaceChildren(logo(policy), el('h1', { tabIndex: -1 }, at.title), el('p', { class: 'lead three', role: now.state === 'running' ? undefined : 'alert' }, at.text),
        ...(now.state === 'running' ? [bar.node] : []), ...(now.state === 'userError' ? [person(now.user), el('p', { class: 'who-acts' }, t('sync.user.who', { name: printable(now.user?.title ?? t('account.person')) }))] : []));
      node.querySelector('.foot').replaceChildren(...(now.state === 'running' ? [] : [back(), now.state === 'connectionError' ? button(t('common.again'), () => app.account.send('sync.retry'), { kind: 'primary', 'data-first': true, 'data-do': 'retry' }) : null].filter(Boolean)));
      /** @type {HTMLElement} */ (node.querySelector('[data-first]') ?? column.querySelector('h1')).focus({ preventScroll: true });
    },
  };
}

const SCREENS = { welcome, activation, credentials, consents, passcode, ready, signIn, users, sync };

/** The key of a screen. If it stays the same, the current screen is updated rather than replaced. */
const key = (state) => [state.phase, state.purpose, state.method, state.repeats, state.consent?.id, state.consent?.page, state.phase === 'signIn' ? state.user?.id : '', document.documentElement.lang].join('|');

/** The view of onboarding and signing in, which follows the state of the service. */
export function accountView(app) {
  const host = el('div', { class: 'account-host' });
  let current = null;
  let at = '';
  let timer = 0;
  const focus = () => (/** @type {HTMLElement} */ (host.querySelector('[data-first]:not([disabled])') ?? host.querySelector('h1') ?? host)).focus({ preventScroll: true });
  function place(state) {
    current?.clear?.();
    current = SCREENS[state.phase]?.(app) ?? null;
    host.replaceChildren(...(current ? [current.node] : []));
    const { policy } = app.account;
    const steps = ['first', 'add'].includes(state.purpose) ? [...policy.modules, 'ready'] : [];
    const step = steps.indexOf(state.phase);
    // A consent of several pages has a counter of its own in the bar.
    if (step >= 0 && !current?.node.querySelector('.bar h2')) current?.node.querySelector('.bar').append(dots(step, steps.length));
    current?.update(state);
    focus();
  }
  Object.assign(host, {
    /** Updates or replaces the screen after a change of the state. */
    refresh() {
      const { state, policy } = app.account;
      if (!state || !policy || !SCREENS[state.phase]) return;
      const now = key(state);
      if (now === at) { current?.update(state); return; }
      const module = at.split('|')[0] !== now.split('|')[0];
      at = now;
      clearTimeout(timer);
      current?.clear?.();
      // A consent moves out downwards. Between other steps the screen is blank for a moment, which makes the change visible.
      const gone = /** @type {HTMLElement | null} */ (host.querySelector('[data-enter]'));
      if ((module || gone?.dataset.consent !== app.account.state.consent?.id) && current && !still.matches) {
        current = null;
        if (gone) { gone.inert = true; gone.dataset.enter = 'gone'; } else host.replaceChildren();
        timer = window.setTimeout(() => place(app.account.state), BLANK_MS);
      } else place(state);
    },
    /** Removes the screen with everything that was typed. */
    leave() { clearTimeout(timer); current?.clear?.(); current = null; at = ''; host.replaceChildren(); },
  });
  host.refresh();
  return host;
}
