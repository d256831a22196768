// The pictures at the bottom of the scanner: they scroll sideways, fold away, and are shown only after a yes.
import { command, pictures, upload } from '../api.js';
import { openDialog } from '../dialog.js';
import { el, icon, printable } from '../dom.js';
import { t } from '../strings.js';

/** A reply to `gallery.scan` or to an upload, as the verdict that the live scan's events have. */
function verdictOf(reply) {
  const body = reply.successful?.[0] ?? reply.invalid ?? reply.unsuccessful ?? {};
  return { ...body, outcome: reply.outcome };
}

const CONSENT = 'picturesShown';

/** The roll. `onpicture()` is told that one was chosen, `onverdict(verdict)` receives what it gave. */
export function cameraRoll(app, { onpicture, onverdict }) {
  const strip = el('div', { class: 'strip', role: 'list', 'aria-label': t('roll.title') });
  const body = el('div', { id: 'roll-body' }, strip);
  let items = [];

  async function busy(button, work) {
    button.setAttribute('aria-busy', 'true');
    onpicture();
    let verdict;
    try { verdict = verdictOf(await work()); } catch (error) { verdict = { error: error.code ?? 'unavailable' }; }
    button.removeAttribute('aria-busy');
    onverdict(verdict);
  }

  const scanItem = (item, button) => busy(button, () => command('gallery.scan', { id: item.id }));

  const tile = (item, onclick, width) => {
    const button = el('button', { type: 'button', 'aria-label': t('roll.picture', { name: printable(item.name) }), onclick: () => onclick(item, button) },
      el('img', { src: pictures.gallery(item.id, width), alt: '', loading: 'lazy', decoding: 'async' }));
    return button;
  };

  async function load() {
    try { items = (await command('gallery.list', { limit: 50 })).pictures ?? []; } catch { items = []; }
    strip.replaceChildren(...items.map((item) => el('div', { role: 'listitem' }, tile(item, scanItem, 176))));
    if (!items.length) strip.replaceChildren(el('div', { role: 'listitem' }, el('p', {}, t('roll.empty'))));
  }

  function allowed() {
    sessionStorage.setItem(CONSENT, 'yes');
    body.replaceChildren(strip);
    return load();
  }

  const file = el('input', { type: 'file', accept: 'image/*', class: 'visually-hidden', tabIndex: -1, 'aria-hidden': 'true' });

  function openGallery() {
    const choose = () => openDialog({
      label: t('roll.gallery'), small: true,
      build: (dialog) => {
        const box = document.createDocumentFragment();
        const fromDevice = el('button', { class: 'button', type: 'button', onclick: () => file.click() }, icon('device'), t('roll.device'));
        file.onchange = () => {
          const chosen = file.files[0];
          file.value = '';
          if (chosen) { dialog.close(); busy(fromDevice, () => upload(chosen)); }
        };
        box.append(
          el('h2', {}, t('roll.gallery')), el('p', {}, t('roll.choose')),
          items.length ? el('div', { class: 'gallery-grid' }, ...items.map((item) => tile(item, (one, button) => { dialog.close(); scanItem(one, button); }, 240))) : el('p', {}, t('roll.empty')),
          el('div', { class: 'actions' }, app.config.upload ? fromDevice : null, el('button', { class: 'button', type: 'button', autofocus: true, onclick: () => dialog.close() }, t('common.close'))));
        return box;
      },
    });
    if (sessionStorage.getItem(CONSENT) || !app.state.gallery) return choose();
    return openDialog({
      label: t('roll.gallery'), small: true,
      build: (dialog) => el('div', {}, el('p', {}, t('roll.ask')), el('div', { class: 'actions' },
        el('button', { class: 'button', type: 'button', onclick: () => dialog.close() }, t('common.cancel')),
        el('button', { class: 'button primary', type: 'button', autofocus: true, onclick: async () => { dialog.close(); await allowed(); choose(); } }, t('roll.allow')))),
    });
  }

  const chevron = el('button', {
    class: 'button chevron', type: 'button', 'aria-controls': 'roll-body', 'aria-expanded': 'true', 'aria-label': t('roll.hide'),
    onclick: () => {
      const open = chevron.getAttribute('aria-expanded') !== 'true';
      chevron.setAttribute('aria-expanded', String(open));
      chevron.setAttribute('aria-label', t(open ? 'roll.hide' : 'roll.show'));
      body.hidden = !open;
    },
  }, icon('chevron'));

  if (!app.state.gallery) body.hidden = true;
  else if (sessionStorage.getItem(CONSENT)) load();
  else body.replaceChildren(el('div', { class: 'ask' }, el('p', {}, t('roll.ask')), el('button', { class: 'button', type: 'button', onclick: allowed }, t('roll.allow'))));

  return el('section', { class: 'roll', 'aria-label': t('roll.title') },
    el('div', { class: 'head' },
      app.state.gallery ? chevron : null, el('span', { class: 'grow' }),
      app.state.gallery || app.config.upload ? el('button', { class: 'button', type: 'button', onclick: openGallery }, icon('gallery'), t('roll.gallery')) : null),
    body, file);
}
