// Language and help, behind one button in the bar of every screen, and a drawing of the next step when nothing is recognised for a while.
import { openDialog } from '../dialog.js';
import { announce, button, el } from '../dom.js';
import { art, icon } from '../icons.js';
import { keepLanguage, languageChoices, setLanguage, t, tOr } from '../strings.js';

/** The milliseconds after which a view that has recognised nothing shows a drawing of the next step. */
const STILL_MS = 7000;
/** The milliseconds before the first explanation, in which what is in sight already is recognised. */
const FIRST_MS = 900;

/** The buttons of the languages, with the languages' own names; that of the current one is pressed. The page shows itself again on the event `language`. */
export function languages() {
  const choices = languageChoices();
  return choices.length === 0 ? null : el('div', { class: 'languages actions', role: 'group', 'aria-label': t('start.languages') }, ...choices.map(({ tag, name }) =>
    button(name, () => { setLanguage(tag); keepLanguage(tag); document.dispatchEvent(new Event('language')); },
      { kind: 'quiet', lang: tag, 'data-language': tag, 'aria-pressed': String(document.documentElement.lang === tag) })));
}

/**
 * The button that opens the help of a view: what to do here, the languages, and that staff helps. A change of the language keeps what was
 * entered, scanned and counted.
 * @param {string} view
 */
export function assist(view) {
  return button('', () => openDialog({
    label: t('help.title'),
    build: (dialog) => el('div', { class: 'column', 'data-state': 'help' }, el('h2', {}, t('help.title')), el('p', {}, tOr(`help.${view}`, 'help.other')), el('p', { class: 'soft' }, t('help.staff')),
      languages(), el('div', { class: 'actions' }, button(t('common.close'), () => dialog.close(), { kind: 'primary', 'data-first': true }))),
  }), { kind: 'quiet round help', 'aria-label': t('help.title'), 'data-help': view, before: icon('question') });
}

/**
 * Shows a drawing and a sentence in `area` when a visitor opens the view for the first time, unless it `explains` itself, and once nothing was
 * recognised for `STILL_MS`: `picture` is the illustration, `text()` the sentence. `moved()` hides them until as long again has passed; `stop()`
 * ends it.
 * @param {{ area: HTMLElement, picture: string, text: () => string, explains?: boolean }} options
 */
export function guidance({ area, picture, text, explains = false }) {
  const words = el('p', {});
  const node = el('div', { class: 'stuck', hidden: true }, art(picture, 92), words);
  area.append(node);
  let timer = 0;
  /** The key under which the visit notes that the view was explained; the end of the visit removes it. */
  const known = `explained-${picture}`;
  const isNew = () => !explains && sessionStorage.getItem(known) === null;
  function show() {
    words.textContent = text();
    node.hidden = !words.textContent;
    if (node.hidden) return;
    announce(words.textContent);
    sessionStorage.setItem(known, '');
  }
  const wait = () => { timer = window.setTimeout(show, isNew() ? FIRST_MS : STILL_MS); };
  wait();
  return {
    moved() { clearTimeout(timer); node.hidden = true; wait(); },
    stop() { clearTimeout(timer); node.hidden = true; },
  };
}
