// Boots the page: the state that all views share, the banner, and the way from view to view.
import { command, configuration, EventStream } from './api.js';
import { closeAll } from './dialog.js';
import { el } from './dom.js';
import { chooseLanguage, t } from './strings.js';
import { openAR } from './views/ar.js';
import { fieldView } from './views/field.js';
import { handedOver, openScanner } from './views/scanner.js';
import { startView } from './views/start.js';

const app = {
  config: { show: ['onboard', 'ar', 'field'], language: null, returnSeconds: 10, idleSeconds: 120, upload: true },
  events: new EventStream(),
  state: { snapshot: null, camera: 'closed', scene: null, following: false, role: 'operator', torch: false, torchOn: false, gallery: false },
  home, open,
};

const root = document.getElementById('app');
const banner = document.getElementById('banner');
let bannerTimer = 0;

function home() {
  closeAll();
  root.replaceChildren(startView(app));
}

async function open(name) {
  if (name === 'field') { root.replaceChildren(fieldView(app)); root.focus(); return; }
  if (name === 'ar') { await openAR(app).closed; return; }
  const verdict = await openScanner(app, { mode: 'onboarding' }).closed;
  if (verdict) handedOver(app, verdict);
}

function showBanner(online, first) {
  clearTimeout(bannerTimer);
  if (online && first) { banner.replaceChildren(); return; }
  banner.replaceChildren(el('div', { class: online ? 'banner' : 'banner bad' }, online ? null : el('span', { class: 'spinner' }), el('span', { class: 'grow' }, t(online ? 'banner.online' : 'banner.offline'))));
  if (online) bannerTimer = setTimeout(() => banner.replaceChildren(), 3000);
}

/** What the device can do may change with every connection. */
async function capabilities() {
  const [cameras, gallery] = await Promise.all([command('camera.list').catch(() => null), command('gallery.list', { limit: 1 }).catch(() => null)]);
  app.state.torch = Boolean(cameras?.cameras?.find((one) => one.selected)?.torch);
  app.state.gallery = Boolean(gallery);
}

function listen() {
  const { events, state } = app;
  let first = true;
  events.on('camera.status', (event) => { state.camera = event.status; });
  events.on('scene.loaded', (event) => { state.scene = event.scene; });
  events.on('scene.unloaded', () => { state.scene = null; });
  events.on('anchor.found', () => { state.following = true; });
  events.on('anchors.updated', (event) => { state.following = event.anchors.length > 0; });
  events.on('anchor.lost', () => { state.following = false; });
  events.on('connection', ({ online, role, snapshot }) => {
    if (snapshot) {
      if (role && role !== state.role) { state.role = role; if (root.querySelector('.start')) home(); }
      Object.assign(state, { snapshot, camera: snapshot.camera.status, scene: snapshot.scene ?? null, following: (snapshot.anchors ?? []).length > 0 });
      capabilities();
    }
    showBanner(online, first);
    first = first && !online;
    document.documentElement.dataset.online = String(online);
  });
  events.open();
}

/** A person who walks away leaves a clean kiosk for the next one. */
function forgetOnIdle() {
  let timer = 0;
  const restart = () => { clearTimeout(timer); timer = setTimeout(() => { const { language } = sessionStorage; sessionStorage.clear(); if (language) sessionStorage.language = language; home(); }, app.config.idleSeconds * 1000); };
  if (!app.config.idleSeconds) return;
  for (const name of ['pointerdown', 'keydown']) document.addEventListener(name, restart, { capture: true, passive: true });
  for (const name of ['session.phase', 'annotation.selected', 'scan.invalid', 'scan.successful', 'scan.guide']) app.events.on(name, restart);
  restart();
}

try { Object.assign(app.config, await configuration()); } catch { /* the defaults serve until the kiosk answers */ }
chooseLanguage(app.config.language);
document.title = 'Waymark';
home();
listen();
forgetOnIdle();
