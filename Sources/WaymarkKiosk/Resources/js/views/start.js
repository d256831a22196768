// The first view: what this kiosk offers.
import { el, icon } from '../dom.js';
import { otherLanguage, setLanguage, t } from '../strings.js';

const TILES = [['onboard', 'qr'], ['ar', 'cube'], ['field', 'barcode']];

/** What a kiosk shows that the service lets watch, but not operate. */
function onlyWatching() {
  return el('section', { class: 'empty', 'data-state': 'observer', role: 'status' },
    el('h2', {}, t('observer.title')), el('p', {}, t('observer.help')),
    el('button', { class: 'button primary', type: 'button', onclick: () => location.reload() }, t('common.again')));
}

/** The start view; `open(name)` is called with the tile that was chosen. */
export function startView(app) {
  return el('div', { class: 'start' },
    el('header', {}, el('img', { src: '/assets/icon.svg', alt: '' }), el('h1', {}, t('start.title'))),
    app.state.role === 'observer' ? onlyWatching() : el('div', { class: 'tiles' }, ...TILES.filter(([name]) => app.config.show.includes(name)).map(([name, symbol]) =>
      el('button', { class: 'tile', type: 'button', 'data-open': name, onclick: () => app.open(name) },
        icon(symbol), el('strong', {}, t(`start.${name}`)), el('span', {}, t(`start.${name}.help`))))),
    el('footer', {}, el('span', { class: 'grow' }),
      app.config.language ? null : el('button', {
        class: 'button quiet', type: 'button', lang: otherLanguage(),
        onclick: () => { setLanguage(otherLanguage()); sessionStorage.setItem('language', document.documentElement.lang); app.home(); },
      }, t('start.language'))));
}
