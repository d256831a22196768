// Starts the page: the state that all views share, and the switch from view to view.
import { Account } from './account.js';
import { command, configuration, EventStream } from './api.js';
import { Cameras } from './cameras.js';
import { closeAll, isOpen } from './dialog.js';
import { keepInView } from './dom.js';
import { banner, clearMessages, toast } from './elements/feedback.js';
import { watchIdle } from './idle.js';
import { chooseLanguage, configureWords, forgetTexts, keepLanguage, retranslate, t } from './strings.js';
import { attractView, startView } from './views/start.js';

const root = document.getElementById('app');
let current = startView;

/** The code of the views is loaded after the start view, which does not need it. */
const later = () => import('./views.js');
const parts = { scanner: async () => (await later()).scanner, ar: async () => (await later()).ar, field: async () => (await later()).field, documents: async () => (await later()).documents, count: async () => (await later()).count, account: async () => (await later()).signin, about: async () => (await later()).about, profile: async () => (await later()).profile };
let coming = false;

/** Loads the code of a view and calls `work` with it; further touches are ignored while it loads. */
async function using(load, work) {
  if (coming) return undefined;
  coming = true;
  let part;
  try { part = await load(); } catch { toast(t('error.offline')); return undefined; } finally { coming = false; }
  return work(part);
}

/**
 * The views that the start view offers, in its order: the name in `--show`, the illustration of the tile, and a function that
 * opens the view. A view over the camera opens a dialog; one that fills the page is passed to `show`.
 */
const views = [
  {
    name: 'onboard', picture: 'onboard',
    open: () => using(parts.scanner, async ({ openScanner, handedOver }) => { const verdict = await openScanner(app, { mode: 'onboarding' }).closed; if (verdict) handedOver(app, verdict); }),
  },
  { name: 'ar', picture: 'ar', open: () => using(parts.ar, ({ openAR }) => openAR(app).closed) },
  { name: 'document', picture: 'document', open: () => using(parts.documents, ({ openDocuments }) => openDocuments(app).closed) },
  { name: 'count', picture: 'count', open: () => using(parts.count, ({ openCount }) => openCount(app).closed) },
  { name: 'field', picture: 'field', open: (form) => using(parts.field, ({ fieldView }) => show((one) => fieldView(one, form))) },
];

/** Resolves `app.learned`. */
let learned;

const app = {
  config: { show: [...views.map(({ name }) => name), 'account'], language: null, returnSeconds: 10, idleSeconds: 120, upload: true, reach: 1, keyboard: false, fixed: false, page: {}, pickup: false },
  events: new EventStream(),
  /** Resolves once the capabilities of the device are known. */
  learned: new Promise((resolve) => { learned = resolve; }),
  state: { snapshot: null, scene: null, following: false, role: 'operator', torchOn: false, gallery: false, scenes: null, gone: false },
  cameras: new Cameras(),
  account: new Account(accountChanged),
  views, show, again, forget,
  /** Shows the first view: signing in if that is required, else the start view. */
  home() {
    closeAll();
    if (isGated()) { showAccount(); return; }
    offline?.close();
    offline = null;
    show(startView);
  },
  about() { return using(parts.about, ({ openAbout }) => openAbout(app)); },
  profile() { return using(parts.profile, ({ openProfile }) => openProfile(app)); },
  /** The number of times that each task was completed here today. */
  today: () => (counted.day === new Date().toDateString() ? counted.done : {}),
  open(name, what) { chosen = `[data-open="${name}"]${what ? `[data-form="${CSS.escape(what.name)}"]` : ''}`; return views.find((one) => one.name === name)?.open(what); },
  /** Resets the page after a visitor has left. */
  rest() { chosen = ''; app.account.abandon(); forget(); show(attractView); },
  get resting() { return current === attractView; },
  /** True if there may be input that a visitor would lose. */
  get busy() { return current !== startView && current !== attractView && !(accountView && current === accountView && app.account.state?.phase === 'signIn'); },
};

/** The number of completed tasks of the current day, since the page was opened. */
const counted = { day: '', done: /** @type {Record<string, number>} */ ({}) };
function count(what) {
  const day = new Date().toDateString();
  if (counted.day !== day) Object.assign(counted, { day, done: {} });
  counted.done[what] = (counted.done[what] ?? 0) + 1;
  if (current === startView && !isOpen()) again();
}

/** The selector of the tile that the visitor chose last. */
let chosen = '';

/** The element of the current view. */
let shown = null;

/** True if users have to sign in before anything else. */
const isGated = () => app.config.show.includes('account') && app.state.role !== 'observer' && app.account.gated;

/** The view of onboarding and signing in; null until its code is loaded. */
let accountView = null;
async function showAccount() {
  if (!accountView) {
    show(startView);
    try { ({ accountView } = await parts.account()); } catch { toast(t('error.offline')); return; }
    if (!isGated() || current === attractView) return;
  }
  if (current === accountView) shown.refresh(); else show(accountView);
}

/** Shows the view that matches a new state of the accounts. */
function accountChanged() {
  if (isGated() && current !== attractView) { if (current === accountView) shown.refresh(); else app.home(); } else if (current === accountView) app.home();
  else if (current === startView) again();
}

root.addEventListener('scroll', ({ target }) => { if (target === root || /** @type {Element} */ (target).matches('.room')) root.toggleAttribute('data-scrolled', /** @type {Element} */ (target).scrollTop > 0); }, { capture: true, passive: true });
new ResizeObserver(keepInView).observe(root);

/** Fills the page with a view. */
function show(view) {
  current = view;
  shown?.leave?.();
  const begins = !shown;
  shown = view(app);
  root.replaceChildren(shown);
  // The first view needs neither scrolling nor focus, and both would force an early layout.
  if (begins) return;
  root.scrollTop = 0;
  root.removeAttribute('data-scrolled');
  // Back on the start view, the focus is on the tile that was chosen last.
  const first = /** @type {HTMLElement | null} */ (root.querySelector('[data-first]') ?? (view === startView && chosen ? root.querySelector(chosen) : null));
  (first ?? root).focus({ preventScroll: true });
  if (view === startView) first?.scrollIntoView({ block: 'nearest' });
}

/** Shows the same view once more, in another language. */
function again() { show(current); }

/** Shows everything in the language that was just chosen. A view with input is translated in place, as are open dialogs. */
function speak() {
  if (shown?.holds) retranslate(root); else if (current === accountView) shown.refresh(); else if (!isOpen()) again(); else if (current === startView) { root.replaceChildren(shown = startView(app)); }
  for (const one of document.querySelectorAll('dialog[open]')) retranslate(one);
}

/** Removes everything that a visitor has left. */
function forget() {
  closeAll();
  clearMessages();
  sessionStorage.clear();
  forgetTexts();
  keepLanguage(null);
  document.getElementById('announcer').textContent = '';
  getSelection()?.removeAllRanges();
  parts.profile().then(({ adapt }) => adapt()).catch(() => {});
  chooseLanguage();
  tellOffline();
}

let online = false;
let first = true;
let offline = null;

/** True if a visitor has entered something, as the current view or a dialog reports by `holds()`. */
const holds = () => [shown, ...document.querySelectorAll('dialog[open]')].some((one) => /** @type {any} */ (one)?.holds?.());

/** Shows a banner that the connection is interrupted. */
function tellOffline() {
  if (online || first) return;
  // The start view itself shows nothing else then.
  if (current === startView && !isOpen()) return;
  offline = banner({ kind: 'error', title: t('banner.offline'), text: t(holds() ? 'banner.offline.kept' : 'banner.offline.help'), busy: true, closable: true });
}

function connection(now) {
  const changed = now !== online;
  online = now;
  document.documentElement.dataset.online = String(now);
  if (!changed && !(first && !now)) return;
  first = false;
  const other = app.state.gone === now;
  app.state.gone = !now;
  offline?.close();
  if (now && offline) toast(t('banner.online'), { seconds: 2 });
  offline = null;
  if (!now) tellOffline();
  // While a dialog is open, the view below it is not drawn again.
  if (other && current === startView && !isOpen()) again();
}

/** Asks for the capabilities of the device, which may change with every connection. */
async function capabilities() {
  const [cameras, gallery, scenes] = await Promise.all([command('camera.list').catch(() => null), command('gallery.list', { limit: 1 }).catch(() => null), command('scene.list').catch(() => null)]);
  app.cameras.learn(cameras?.cameras ?? []);
  app.state.gallery = Boolean(gallery);
  const before = app.state.scenes;
  app.state.scenes = scenes?.scenes?.length ?? null;
  if (before !== app.state.scenes && app.state.scenes === 0 && current === startView && !isOpen()) again();
  learned();
}

function listen() {
  const { events, state, cameras } = app;
  events.on('camera.status', (event) => { cameras.of(event).status = event.status; });
  events.on('scene.loaded', (event) => { state.scene = event.scene; });
  events.on('scene.unloaded', () => { state.scene = null; });
  events.on('anchor.found', () => { state.following = true; });
  events.on('anchors.updated', (event) => { state.following = event.anchors.length > 0; });
  events.on('anchor.lost', () => { state.following = false; });
  events.on('code.found', (event) => { cameras.of(event).codes.set(event.code, event); });
  events.on('code.lost', (event) => { cameras.of(event).codes.delete(event.code); });
  events.on('account.state', (event) => app.account.take(event));
  events.on('form.submitted', (event) => count(event.form === 'count' ? 'counts' : 'forms'));
  events.on('document.saved', () => count('documents'));
  events.on('scan.ended', (event) => { if (event.reason === 'confirmed') count('connections'); });
  events.on('connection', ({ online: now, role, snapshot }) => {
    if (snapshot) {
      if (role && role !== state.role) { state.role = role; if (current === startView) again(); }
      Object.assign(state, { snapshot, scene: snapshot.scene ?? null, following: (snapshot.anchors ?? []).length > 0 });
      cameras.take(snapshot);
      capabilities();
      app.account.take(role === 'observer' ? null : snapshot.account, true);
    }
    connection(now);
  });
  events.open();
}

Object.assign(app.config, configuration());
app.cameras.views = app.config.page.cameras ?? {};
configureWords(app.config);
document.addEventListener('language', speak);
chooseLanguage();
document.title = app.config.page.brand?.name ?? 'Waymark';
if (app.config.reach < 1) {
  document.documentElement.dataset.reach = '';
  document.documentElement.style.setProperty('--reach', String(app.config.reach));
}
show(startView);

let begun = false;
/** Starts everything that the first view does not need. */
function begin() {
  if (begun) return;
  begun = true;
  listen();
  watchIdle(app);
  if (app.config.keyboard) import('./elements/keyboard.js').then(({ keyboard }) => keyboard.begin()).catch(() => {});
  later().catch(() => {});
}
// After the first paint, so that it delays no drawing; at once if the page is hidden or the browser does not report its first paint.
if (document.hidden || !PerformanceObserver.supportedEntryTypes.includes('paint')) begin();
else {
  new PerformanceObserver((list) => { if (list.getEntriesByName('first-contentful-paint').length) begin(); }).observe({ type: 'paint', buffered: true });
  setTimeout(begin, 1000);
}
