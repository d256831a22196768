// The document scanner: pages are held before the camera, captured automatically or by the shutter, corrected and saved.
import { command, handedNumber, pictures } from '../api.js';
import { assist, guidance } from '../components/assist.js';
import { cornerEditor } from '../components/corner-editor.js';
import { drawPage } from '../components/overlay.js';
import { openResult } from '../components/result.js';
import { reorderable } from '../components/reorder.js';
import { cameraStage } from '../components/stage.js';
import { ask, openDialog } from '../dialog.js';
import { announce, button, el, setText, still } from '../dom.js';
import { clearToasts, emptyState, indicator, toast } from '../elements/feedback.js';
import { openMenu } from '../elements/menu.js';
import { icon } from '../icons.js';
import { t, tOr } from '../strings.js';

const FILTERS = ['colour', 'grayscale', 'bw', 'photo'];
const RETRY_MS = 2000;
/** The milliseconds for which the correction of an automatically captured page is offered. */
const AFTER_MS = 6000;

const picture = (page, width, original = false) => pictures.document(page.id, { width, revision: page.revision, original });
/** Shows the message of an error, unless the view was left. */
const complain = (error) => { if (document.querySelector('dialog.view')) toast(tOr(`error.${error.code}`, 'error.unavailable'), { seconds: 7 }); };
/** Sends a command; shows its error and resolves to `null` if it fails. */
const attempt = (method, params = {}) => command(method, params).catch((error) => { complain(error); return null; });

/**
 * Opens the scanner; the dialog's promise gives what was saved, or `undefined`.
 * @param {import('../api.js').App} app
 */
export function openDocuments(app) {
  /** The session as the service reports it; null until this page has begun it. */
  let session = null;
  let done = false;
  let timer = 0;
  let sheet = null;
  let automatic = true;
  const offs = [];

  const words = el('span', {}, t('document.prompt'));
  const prompt = el('p', { class: 'prompt', 'data-state': 'idle' }, words);
  const after = el('div', { class: 'after', role: 'group', 'aria-label': t('document.after'), hidden: true });
  const area = el('div', { class: 'area' }, after);
  const hint = el('div', { class: 'hint' }, prompt);
  const pages = () => session?.pages ?? [];

  function say(text, state = 'idle') {
    if (prompt.dataset.state !== state) prompt.dataset.state = state;
    if (words.textContent !== text && state !== 'idle') announce(text);
    setText(words, text);
  }

  const camera = app.cameras.for('document');
  const stage = cameraStage(app, {
    label: t('document.title'), camera, area, whole: true, expectsOverlay: () => session !== null && !sheet,
    paint: (context, overlay, place) => {
      if (!overlay?.corners || sheet) return false;
      drawPage(context, overlay.corners.map((point) => place.viewport.toScreen(point, place.scale)), overlay);
      return false;
    },
  });

  const stuck = guidance({ area, picture: 'document', text: () => (!session || sheet ? '' : outlined ? t('document.press') : t('stuck.document')) });
  /** True while a page is outlined. */
  let outlined = false;
  let others = 0; // further pages in the picture that was captured last
  function outline(event) {
    if (event.session !== session?.session) return;
    stage.preview.overlay(event.frame.sequence, event);
    if (outlined !== Boolean(event.corners) || event.phase !== 'searching') stuck.moved();
    outlined = Boolean(event.corners);
    if (sheet) return;
    if (others && event.advice === 'nextPage') say(t('document.others'), 'done');
    else if (event.advice) say(tOr(`document.advice.${event.advice}`, 'document.prompt'), event.phase === 'waiting' ? 'done' : 'advice');
    else if (outlined && !automatic) say(t('document.press'), 'holding');
    else if (outlined || event.phase === 'holding') say(t('document.hold'), 'holding');
    else say(t(session.retake ? 'document.prompt.retake' : 'document.prompt'));
  }

  const count = el('span', { class: 'count', hidden: true });
  const image = el('img', { alt: '', 'data-there': true });
  const last = el('button', { class: 'thumb', type: 'button', disabled: true, 'data-pages': true, onclick: () => gallery() }, image, count);
  const shutter = el('button', { class: 'shutter', type: 'button', disabled: true, 'aria-label': t('document.shutter'), onclick: () => attempt('document.capture') }, el('i'));
  const save = button('', () => finish(), { kind: 'primary', 'data-save': true, disabled: true });
  const mode = button(t('document.automatic'), () => setMode(automatic ? 'manual' : 'automatic'), { kind: 'toggle', role: 'switch', 'data-mode': true });
  mode.append(el('i', { 'aria-hidden': 'true' }));
  const filter = button('', () => openMenu(filter, {
    label: t('document.filter'), items: FILTERS.map((name) => ({ label: t(`document.filter.${name}`), value: name, checked: name === (session?.filter ?? 'colour') })),
    onchoose: (name) => attempt('document.filter', { filter: name }),
  }), { 'data-filter': true, 'aria-haspopup': 'menu', 'aria-expanded': 'false' });

  function setMode(next) { automatic = next === 'automatic'; attempt('document.mode', { mode: next }); draw(); }

  function draw() {
    const all = pages();
    const newest = all.at(-1);
    shutter.disabled = !session;
    last.disabled = !newest;
    last.setAttribute('aria-label', t('document.pages', { count: all.length }));
    count.hidden = !newest;
    count.textContent = String(all.length);
    if (newest && image.dataset.shows !== `${newest.id}.${newest.revision}`) {
      image.dataset.shows = `${newest.id}.${newest.revision}`;
      image.src = picture(newest, 160);
    }
    image.hidden = !newest;
    save.disabled = !newest;
    save.setAttribute('aria-label', t('document.save', { count: all.length }));
    save.replaceChildren(icon('check'), el('span', {}, t('document.save', { count: all.length })));
    mode.setAttribute('aria-checked', String(automatic));
    const tone = t(`document.filter.${session?.filter ?? 'colour'}`);
    filter.replaceChildren(icon('tone'), el('span', {}, tone));
    filter.setAttribute('aria-label', `${t('document.filter')}: ${tone}`);
    sheet?.update();
  }

  function captured(event) {
    if (event.session !== session?.session || !event.page) return;
    announce(t('document.captured', { count: event.count }));
    others = event.others?.length ?? 0;
    flash(event.page);
    if (sheet) return;
    if (event.automatic) offer(event.page); else confirm(event.page);
  }

  let offered = 0;
  /** Offers to correct or to retake an automatically captured page. */
  function offer(page) {
    const hide = () => { clearTimeout(offered); after.hidden = true; };
    hide();
    after.replaceChildren(
      button(t('document.retake'), () => { hide(); attempt('document.retake', { page: page.id }); }, { kind: 'over', 'data-after': 'retake', before: icon('camera') }),
      button(t('document.adjust'), () => { hide(); correct(page); }, { kind: 'over', 'data-after': 'adjust', before: icon('corners') }));
    after.hidden = false;
    offered = window.setTimeout(hide, AFTER_MS);
  }

  async function correct(page) { await attempt('document.mode', { mode: 'paused' }); await adjust(page); if (!done) setMode(automatic ? 'automatic' : 'manual'); }

  /** Animates the captured page towards the thumbnail. */
  function flash(page) {
    if (still.matches) return;
    const to = last.getBoundingClientRect();
    const from = area.getBoundingClientRect();
    const flying = el('img', { class: 'flying', alt: '', src: picture(page, 320) });
    dialog.node.append(flying);
    flying.animate([
      { transform: `translate(${from.left + from.width / 2 - 80}px, ${from.top + from.height / 2 - 110}px)`, opacity: 1 },
      { transform: `translate(${to.left}px, ${to.top}px) scale(.4)`, opacity: .4 },
    ], { duration: 520, easing: 'ease-in' }).finished.finally(() => flying.remove());
  }

  /** Asks after the shutter whether to keep the page, to correct its corners, or to retake it. */
  async function confirm(page) {
    const choice = await ask({
      label: t('document.confirm'), picture: el('img', { class: 'page', alt: '', src: picture(page, 480) }),
      choices: [{ label: t('document.retake'), value: 'retake' }, { label: t('document.adjust'), value: 'adjust' }, { label: t('document.keep'), value: 'keep', primary: true }],
    });
    if (done) return;
    if (choice === 'retake') attempt('document.retake', { page: page.id });
    if (choice === 'adjust') correct(page);
  }

  /** Opens the editor of the four corners, over the captured picture. */
  function adjust(page) {
    const { width, height } = page;
    const whole = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]];
    const editor = cornerEditor({ source: picture(page, 1600, true), width, height, corners: page.corners ?? whole });
    return openDialog({
      label: t('document.adjust'), kind: 'view folio adjust', onclose: () => editor.stop(),
      build: (self) => {
        const go = async (snap) => {
          if (!editor.valid) { toast(t('document.corners.wrong')); return null; }
          return attempt('document.adjust', { page: page.id, corners: editor.value, ...(snap ? { snap: true } : {}) });
        };
        const box = document.createDocumentFragment();
        box.append(el('header', { class: 'bar' }, button(t('common.cancel'), () => self.close(), { kind: 'quiet leave' }), el('h2', {}, t('document.adjust')), el('span', {}, assist('corners'))),
        editor.node,
        el('div', { class: 'tools' }, button(t('document.whole'), () => editor.set(whole)),
          button(t('document.snap'), async () => { const next = await go(true); if (next?.corners) editor.set(next.corners); }),
          button(t('document.apply'), async () => { if (await go(false)) self.close(true); }, { kind: 'primary', 'data-first': true })));
        return box;
      },
    }).closed;
  }

  /** Opens all pages: a large one with its tools, and the others below it. */
  async function gallery(chosen = pages().at(-1)?.id) {
    if (sheet) return;
    const big = el('img', { class: 'page', alt: '' });
    const sight = button('', () => enlarge(!body.hasAttribute('data-zoomed')), { kind: 'round zoom', before: icon('zoom'), 'aria-label': t('document.enlarge'), 'aria-pressed': 'false' });
    const strip = el('div', { class: 'strip', role: 'group', 'aria-label': t('document.pages', { count: pages().length }) });
    const waiting = el('div', { class: 'waiting', 'aria-hidden': 'true' }, el('span', { class: 'spinner' }));
    const body = el('div', { class: 'big' }, big, sight, waiting);
    const tools = el('div', { class: 'tools' });
    const current = () => pages().find(({ id }) => id === chosen) ?? null;
    const place = () => pages().findIndex(({ id }) => id === chosen);

    /** Enlarges the page so that its text can be read, with the point (u, v), in shares of the page, in the middle. */
    function enlarge(on, [u, v] = [.5, .2]) {
      body.toggleAttribute('data-zoomed', on);
      sight.setAttribute('aria-pressed', String(on));
      if (on) body.scrollTo(big.offsetWidth * u - body.clientWidth / 2, big.offsetHeight * v - body.clientHeight / 2);
    }
    big.addEventListener('click', (event) => {
      const box = big.getBoundingClientRect();
      enlarge(!body.hasAttribute('data-zoomed'), [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]);
    });

    /** Removes the veil over the page, which is shown from the request of a change until the changed picture is loaded. */
    const changed = () => body.removeAttribute('aria-busy');
    async function change(method, params) {
      body.setAttribute('aria-busy', 'true');
      if (!await attempt(method, { page: chosen, ...params })) changed();
    }
    big.addEventListener('load', changed);
    big.addEventListener('error', changed);

    function update() {
      const all = pages();
      if (!current()) chosen = all.at(Math.min(all.length - 1, Math.max(0, at)))?.id;
      const page = current();
      at = place();
      strip.replaceChildren(...all.map((one, i) => el('button', {
        class: 'thumb', type: 'button', 'data-page': one.id, 'aria-label': t('document.page', { number: i + 1, count: all.length }), 'aria-pressed': String(one.id === chosen),
        onclick: () => { chosen = one.id; update(); },
      }, el('img', { alt: '', 'data-there': true, src: picture(one, 160) }), el('span', { class: 'count' }, String(i + 1)))));
      retake.hidden = !page;
      if (!page) { body.replaceChildren(emptyState({ picture: 'gallery', title: t('document.empty'), text: t('document.empty.help') })); tools.hidden = true; return; }
      if (!big.isConnected) body.replaceChildren(big, sight, waiting);
      tools.hidden = false;
      if (big.dataset.shows !== `${page.id}.${page.revision}`) { big.dataset.shows = `${page.id}.${page.revision}`; big.src = picture(page, 1600); for (const small of tools.querySelectorAll('.filters img')) small.src = picture(page, 160, true); }
      big.alt = t('document.page', { number: at + 1, count: all.length });
      for (const one of tools.querySelectorAll('[data-filter]')) one.setAttribute('aria-pressed', String(one.dataset.filter === page.filter));
      earlier.disabled = at <= 0;
      later.disabled = at >= all.length - 1;
    }

    reorderable(strip, {
      items: '[data-page]',
      onmove: (node, index) => {
        chosen = node.dataset.page;
        // The page stays at its new position while the service is asked.
        const others = [...strip.children].filter((one) => one !== node);
        strip.insertBefore(node, others[index] ?? null);
        attempt('document.reorder', { page: chosen, index }).then((done) => { if (!done) update(); });
      },
    });

    let at = 0;
    const tool = (name, work, more = {}) => button(t(`document.${name}`), work, { 'data-tool': name, ...more });
    const shift = (by) => attempt('document.reorder', { page: chosen, index: place() + by });
    const earlier = tool('earlier', () => shift(-1), { before: icon('back') });
    const later = tool('later', () => shift(1), { before: icon('forward') });
    const retake = tool('retake', async () => { if (await attempt('document.retake', { page: chosen })) self.close(); }, { kind: 'quiet', before: icon('camera') });
    tools.append(
      el('div', { class: 'filters' }, ...FILTERS.map((name) => button(t(`document.filter.${name}`), () => { if (current()?.filter !== name) change('document.filter', { filter: name }); }, { before: el('img', { alt: '' }), 'data-filter': name, 'aria-pressed': 'false' }))),
      el('div', { class: 'deeds' }, earlier, later,
      tool('adjust', () => adjust(current()), { before: icon('corners') }), tool('rotate', () => change('document.rotate', { degrees: 90 }), { before: icon('rotate') }),
      tool('delete', async () => {
        const gone = chosen;
        if (await attempt('document.delete', { page: gone })) toast(t('document.deleted'), { action: { label: t('document.undo'), onclick: () => attempt('document.restore', { page: gone }) } });
      }, { before: icon('trash') })));
    await attempt('document.mode', { mode: 'paused' });
    const self = openDialog({
      label: t('document.gallery'), kind: 'view folio pages',
      onclose: () => { sheet = null; if (!done) setMode(automatic ? 'automatic' : 'manual'); },
      build: (one) => {
        const box = document.createDocumentFragment();
        box.append(el('header', { class: 'bar' }, button(t('document.back'), () => one.close(), { kind: 'quiet leave', 'data-first': true, before: icon('back') }), el('h2', {}, t('document.gallery')), el('span', {}, retake, assist('pages'))), body, tools, strip);
        return box;
      },
    });
    sheet = { update };
    update();
  }

  /** Saves the pages as a file, and shows how to take it along. */
  async function finish() {
    if (save.dataset.state) return;
    // What is being saved can no longer be undone.
    clearToasts();
    save.dataset.state = 'processing';
    save.disabled = true;
    // Saving takes seconds, in which a dialog shows progress and prevents changes.
    const waiting = openDialog({
      label: t('document.saving'), mayClose: () => false,
      build: () => el('div', { class: 'column center', 'data-state': 'document-saving' }, indicator(t('document.saving')), el('p', { class: 'soft' }, t('document.saving.help', { count: pages().length }))),
    });
    announce(t('document.saving'));
    // The number is part of the file's name, and so of `document.saved`.
    const number = handedNumber();
    const saved = await attempt('document.save', { name: `document-${day(new Date())}-${number}` });
    waiting.close();
    delete save.dataset.state;
    draw();
    if (!saved || done) return;
    session = null;
    dialog.close(saved);
    savedSheet(app, saved, number);
  }

  /** Leaves the view; asks first if there are pages. */
  async function leave() {
    if (pages().length) {
      const yes = await ask({
        label: t('document.leave'), text: t('document.leave.help', { count: pages().length }),
        choices: [{ label: t('document.discard'), value: true }, { label: t('document.stay'), value: false, primary: true }],
      });
      if (!yes) return;
    }
    dialog.close();
  }

  async function begin() {
    clearTimeout(timer);
    if (done) return;
    try {
      session = await camera.command('document.begin', { mode: automatic ? 'automatic' : 'manual' });
      if (done) { command('document.discard').catch(() => {}); return; }
      say(t('document.prompt'));
      draw();
    } catch (error) {
      say(tOr(error.code === 'busy' ? 'document.busy' : `error.${error.code}`, 'error.unavailable'), 'error');
      timer = setTimeout(begin, RETRY_MS);
    }
  }

  const dialog = openDialog({
    label: t('document.title'), kind: 'view camera documents',
    mayClose: () => { if (!pages().length) return true; leave(); return false; },
    onclose: () => {
      done = true;
      clearTimeout(timer);
      clearTimeout(offered);
      stuck.stop();
      for (const off of offs) off();
      stage.stop();
      // The pages of a visitor are not kept for the next one.
      if (session) command('document.discard').catch(() => {});
    },
    build: () => {
      offs.push(app.events.on('document.outline', outline), app.events.on('document.captured', captured),
        app.events.on('document.changed', (event) => { if (session && event.document.session === session.session) { session = event.document; draw(); } }),
        app.events.on('document.failed', (event) => { if (event.session === session?.session) toast(tOr(`error.${event.code}`, 'error.unavailable'), { seconds: 7 }); }),
        app.events.on('connection', ({ online }) => { if (online) begin(); }));
      const box = document.createDocumentFragment();
      box.append(stage.node,
        el('header', { class: 'bar' }, button(t('common.cancel'), () => leave(), { kind: 'leave' }), el('h2', {}, t('document.title')), el('span', {}, stage.light, filter, mode, assist('document'))),
        hint, area, el('div', { class: 'tray' }, el('div', { class: 'shots' }, last, shutter, save)));
      return box;
    },
  });
  Object.assign(dialog.node, { holds: () => pages().length > 0 });
  stage.measure();
  draw();
  begin();
  return dialog;
}

/** Formats a local time for names of files, such as "2026-11-26-081500". */
const day = (time) => new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');

/** The dialog after saving: the number of the document and the ways to take it along. Returns to the start view after a time. */
function savedSheet(app, saved, number) {
  const [path = ''] = saved.paths ?? [];
  return openResult(app, { of: 'document', number, result: { document: path } }, {
    state: 'document-saved', title: t('document.saved'), text: t('document.saved.help', { count: saved.pages }), ondone: () => { app.forget(); app.home(); },
  });
}
