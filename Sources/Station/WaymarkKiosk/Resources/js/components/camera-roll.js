// Pictures to read a code from: a strip that scrolls sideways and can be collapsed, and a gallery with albums. Neither is shown before the
// visitor has agreed.
import { command, pictures, upload } from '../api.js';
import { openDialog } from '../dialog.js';
import { announce, button, el, printable } from '../dom.js';
import { emptyState, skeleton } from '../elements/feedback.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { spokenMonth } from '../times.js';

const CONSENT = 'picturesShown';
/** The distance in pixels by which the roll must be pulled to collapse or expand. */
const PULL = 24;

/** Converts a reply to `gallery.scan` or to an upload to a verdict like those of the events of a live scan. */
function verdictOf(reply) {
  const body = reply.successful?.[0] ?? reply.invalid ?? reply.unsuccessful ?? {};
  return { ...body, outcome: reply.outcome, choices: reply.choices ?? [] };
}

/** Groups pictures into albums by month, the newest first: `[{ key, label, items }]`. */
export function albumsOf(items, language) {
  const albums = new Map();
  for (const item of items) {
    const date = new Date(item.modified);
    const known = !Number.isNaN(date.getTime());
    const key = known ? `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}` : '';
    const label = known ? spokenMonth(date, language) : t('roll.undated');
    if (!albums.has(key)) albums.set(key, { key, label, items: [] });
    albums.get(key).items.push(item);
  }
  return [...albums.values()].sort((a, b) => b.key.localeCompare(a.key));
}

/** A button with a picture, and a skeleton until the picture is loaded. */
function thumb(item, onclick, width, attributes = {}) {
  const waiting = skeleton();
  const image = el('img', { alt: '', loading: 'lazy', decoding: 'async', onload: () => { image.dataset.there = ''; waiting.remove(); }, onerror: () => waiting.remove() });
  image.src = pictures.gallery(item.id, width);
  const node = el('button', { class: 'thumb', type: 'button', 'aria-label': t('roll.picture', { name: printable(item.name) }), onclick: () => onclick(item, node), ...attributes }, waiting, image, el('span', { class: 'mark' }, icon('check')));
  return node;
}

/** Loads a picture to show it while the service reads it; null if the browser cannot decode it. */
async function bitmapOf(source) {
  try {
    const blob = source instanceof Blob ? source : await (await fetch(source)).blob();
    return await createImageBitmap(blob);
  } catch { return null; }
}

/** Cuts a part, given as shares, out of a visitor's picture, as only the part with the chosen code is to be read. */
async function part(file, [x, y, width, height]) {
  const bitmap = await createImageBitmap(file);
  const [w, h] = [bitmap.width, bitmap.height];
  const canvas = el('canvas', { width: Math.ceil(width * w), height: Math.ceil(height * h) });
  canvas.getContext('2d').drawImage(bitmap, x * w, y * h, width * w, height * h, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((resolve) => { canvas.toBlob(resolve); });
}

/**
 * The roll. `onbegin()` is called when a picture was chosen, `onpicture(bitmap)` once it can be shown, and `onverdict(verdict)`
 * with the result of reading it, whose `only(region)` reads a part of the picture alone. The node's `choose()` opens the gallery.
 * @param {import('../api.js').App} app
 */
export function cameraRoll(app, { onbegin, onpicture, onverdict }) {
  const strip = el('div', { class: 'strip', role: 'group', 'aria-label': t('roll.title') });
  const body = el('div', { id: 'roll-body' }, strip);
  let items = [];

  async function judge(node, source, work, region = null) {
    node?.setAttribute('aria-busy', 'true');
    onbegin();
    announce(t('roll.reading'));
    const shown = bitmapOf(source).then(onpicture);
    let verdict;
    try { verdict = verdictOf(await work(region)); } catch (error) { verdict = { error: error.code ?? 'unavailable' }; }
    await shown;
    node?.removeAttribute('aria-busy');
    onverdict({ ...verdict, only: (share) => judge(node, source, work, share) });
  }

  const scanItem = (item, node) => judge(node, pictures.gallery(item.id, 0), (region) => command('gallery.scan', { id: item.id, ...(region ? { region } : {}) }));

  async function load() {
    strip.replaceChildren(...Array.from({ length: 6 }, () => el('span', { class: 'thumb' }, skeleton())));
    try { items = (await command('gallery.list', { limit: 200 })).pictures ?? []; } catch { items = []; }
    strip.replaceChildren(...items.slice(0, 30).map((item) => thumb(item, scanItem, 176)));
    if (!items.length) strip.replaceChildren(el('p', {}, t('roll.empty')));
  }

  function allowed() {
    sessionStorage.setItem(CONSENT, 'yes');
    chevron.hidden = false;
    body.replaceChildren(strip);
    body.hidden = false;
    return load();
  }

  const file = el('input', { type: 'file', accept: 'image/*', class: 'visually-hidden', tabIndex: -1, 'aria-hidden': 'true' });
  file.onchange = () => {
    const chosen = file.files[0];
    file.value = '';
    // The corners in a part are not those in the whole picture.
    if (chosen) judge(null, chosen, async (region) => { if (!region) return upload(chosen); const reply = await upload(await part(chosen, region)); for (const one of [reply.successful?.[0], reply.invalid, reply.unsuccessful]) if (one) delete one.corners; return reply; });
  };

  /** Opens the gallery: albums above, pictures below; a picture is selected and then used. */
  function choose() {
    const albums = [{ key: 'all', label: t('roll.all'), items }, ...albumsOf(items, document.documentElement.lang)];
    let chosen = null;
    openDialog({
      label: t('roll.gallery'), kind: 'ask wide',
      build: (dialog) => {
        const use = button(t('roll.use'), () => { dialog.close(); scanItem(chosen, null); }, { kind: 'primary', disabled: true });
        const fromDevice = app.config.upload ? button(t('roll.device'), () => { dialog.close(); file.click(); }, { before: icon('device'), 'data-first': true }) : null;
        const grid = el('div', { class: 'grid', role: 'group', 'aria-label': t('roll.title') });
        const pick = (item, node) => {
          chosen = chosen === item ? null : item;
          for (const one of grid.querySelectorAll('.thumb')) one.setAttribute('aria-pressed', String(one === node && chosen !== null));
          use.disabled = chosen === null;
        };
        const tabs = albums.map((album) => button(`${album.label} (${album.items.length})`, () => fill(album), { 'aria-pressed': 'false' }));
        const fill = (album) => {
          chosen = null;
          use.disabled = true;
          tabs.forEach((tab, i) => tab.setAttribute('aria-pressed', String(albums[i] === album)));
          grid.replaceChildren(...(album.items.length ? album.items.map((item) => thumb(item, pick, 240, { 'aria-pressed': 'false' }))
            : [emptyState({ picture: 'gallery', title: t('roll.empty'), text: t(app.config.upload ? 'roll.empty.upload' : 'roll.empty.help') })]));
        };
        fill(albums[0]);
        return el('div', { class: 'gallery' }, el('div', {}, el('h2', {}, t('roll.gallery')), el('p', { class: 'soft' }, t('roll.choose'))),
          el('div', { class: 'albums', hidden: !items.length }, ...tabs), grid,
          el('div', { class: 'actions' }, button(t('common.close'), () => dialog.close()), fromDevice, items.length ? use : null));
      },
    });
  }

  async function openGallery() {
    if (app.state.gallery && !sessionStorage.getItem(CONSENT)) {
      const yes = await openDialog({
        label: t('roll.consent'),
        build: (dialog) => el('div', { class: 'column' }, el('h2', {}, t('roll.consent')), el('p', {}, t('roll.ask')), el('div', { class: 'actions' },
          button(t('roll.deny'), () => dialog.close(false)), button(t('roll.allow'), () => dialog.close(true), { kind: 'primary', 'data-first': true }))),
      }).closed;
      if (!yes) return;
      await allowed();
    }
    choose();
  }

  function unfold(open) {
    chevron.setAttribute('aria-expanded', String(open));
    chevron.setAttribute('aria-label', t(open ? 'roll.hide' : 'roll.show'));
    body.hidden = !open;
  }

  const chevron = button('', () => unfold(chevron.getAttribute('aria-expanded') !== 'true'), { kind: 'chevron', before: icon('chevron'), 'aria-controls': 'roll-body', 'aria-expanded': 'true', 'aria-label': t('roll.hide'), hidden: !sessionStorage.getItem(CONSENT) });

  /** Fills the roll with what the device offers: pictures of its gallery, or only the upload of a visitor's own. */
  function arrange() {
    const { gallery } = app.state;
    if (!gallery) body.hidden = true;
    else if (sessionStorage.getItem(CONSENT)) load();
    else body.hidden = true;

    const choice = gallery || app.config.upload;
    /** Where a pull began: pulling down collapses the roll, pulling up expands it. */
    let pulled = null;
    const head = el('div', {
      class: 'head', onpointerdown: (event) => { if (event.target.closest('button')) return; pulled = event.clientY; head.setPointerCapture(event.pointerId); },
      onpointerup: (event) => { if (pulled !== null && gallery && Math.abs(event.clientY - pulled) > PULL) unfold(event.clientY < pulled); pulled = null; },
      onpointercancel: () => { pulled = null; },
    }, gallery ? chevron : null, el('span', { class: 'grow' }),
        choice ? button(t('roll.gallery'), openGallery, { before: icon('gallery'), 'data-gallery': true }) : null);
    node.append(head, body, file);
    node.hidden = !choice;
  }

  const node = el('section', { class: 'roll', 'aria-label': t('roll.title'), hidden: true });
  // The view may be open before the service has reported whether there is a gallery.
  app.learned.then(arrange);
  return Object.assign(node, { choose: openGallery });
}
