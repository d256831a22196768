// The texts of the page. A new language is another table with the same keys. The texts that the start view does not need are in strings/,
// and are added by texts.js with the code of the other views.
import { everything } from './dom.js';

const en = {
  'start.title': 'What would you like to do?',
  'start.lead': 'Choose one to begin. The camera starts by itself.',
  'start.onboard': 'Connect this device',
  'start.onboard.help': 'Show the camera the QR code you were given.',
  'start.ar': 'Explore a machine',
  'start.ar.help': 'Point the camera at a poster or plate and see the notes that belong to it.',
  'start.ar.help.fixed': 'Hold a poster or plate up to the camera and see the notes that belong to it.',
  'start.field': 'Record goods',
  'start.field.help': 'Fill in a form by scanning the labels.',
  'start.document': 'Scan documents',
  'start.document.help': 'Show your papers to the camera and save them as one PDF.',
  'error.noSpace': 'There is no room left to store pages. Please tell a member of staff; nothing was lost.',
  'error.tooManyPages': 'The document is full. Save it, then continue.',
  'error.notWritten': 'The page could not be stored. Please try again.',
  'start.count': 'Count a shelf',
  'start.count.fixed': 'Count goods',
  'start.count.help': 'Move the camera along it. Every code is counted once.',
  'start.count.help.fixed': 'Hold the goods up to the camera. Every code is counted once.',
  'account.demo': 'Demo mode: nothing that you do is kept',
  'account.signedIn': 'Signed in: {name}',
  'account.signOut': 'Sign out',
  'about.title': 'About this device',
  'ar.noScene': 'Nothing to explore yet',
  'start.begin': 'Begin',
  'start.languages': 'Language',
  'today.connections': 'devices connected today',
  'today.connections.one': 'device connected today',
  'today.documents': 'documents today',
  'today.documents.one': 'document today',
  'today.counts': 'counts today',
  'today.counts.one': 'count today',
  'today.forms': 'forms today',
  'today.forms.one': 'form today',
  'today.title': 'Done here today',
  'profile.sound': 'Sounds',
  'profile.contrast': 'More contrast',
  'profile.size': 'Size of the letters',
  'profile.title': 'Profile and settings',
  'gone.title': 'Not available at the moment',
  'gone.help': 'The scanning service does not answer. If this lasts, please tell a member of staff.',
  'gone.trying': 'Trying again …',
  'attract.title': 'Ready when you are',
  'attract.text': 'Connect a device or explore a machine. It takes less than a minute.',
  'attract.begin': 'Touch to begin',
  'help.title': 'Help and language',
  'help.staff': 'If you get stuck, a member of staff will be glad to help.',
  'help.start': 'Touch what you would like to do. Nothing happens before you have seen it and confirmed it.',
  'idle.title': 'Are you still there?',
  'idle.text': 'If not, everything you entered is cleared and this screen starts over.',
  'idle.stay': 'I’m still here',
  'layer.title': 'Messages',
  'common.cancel': 'Cancel',
  'common.close': 'Close',
  'common.home': 'Home',
  'common.again': 'Try again',
  'common.start': 'Back to the start',
  'common.exit': 'Leave',
  'common.stop': 'Stop',
  'common.dismiss': 'Dismiss this message',
  'common.loading': 'Starting the camera …',
  'common.loading.long': 'The camera takes longer than usual. You can wait, or go back and try again later.',
  'banner.offline': 'The connection is interrupted',
  'banner.offline.help': 'Please wait a moment. It comes back by itself.',
  'banner.offline.kept': 'Please wait a moment. It comes back by itself; what you entered stays.',
  'banner.online': 'Connected again',
  'banner.more': '{count} messages: show all',
  'observer.title': 'This screen is not open yet',
  'observer.help': 'Please ask a member of staff to unlock it.',
  'camera.gone': 'The camera is disconnected',
  'camera.gone.help': 'The picture comes back by itself. If it does not, please tell a member of staff.',
  'camera.stalled': 'The camera is not responding',
  'camera.stalled.help': 'It is being restarted. If this takes longer than a minute, please tell a member of staff.',
  'error.offline': 'The connection is interrupted. Wait a moment and try again.',
  'error.busy': 'The scanner is in use. Wait a moment and try again.',
  'error.tooLarge': 'The picture is larger than 16 MB. Choose a smaller one.',
  'error.notPermitted': 'This screen is locked. Please ask a member of staff.',
  'error.unavailable': 'The scanner did not do this. Try again, or ask a member of staff.',
  'error.badPicture': 'This file is not a picture. Choose a photo of the code.',
  'error.noCamera': 'The camera is disconnected. Please tell a member of staff.',
  'error.notFound': 'It is no longer there. Choose something else.',
  'error.torch': 'The light cannot be switched right now.',
  'error.notSupported': 'This camera has no light.',
  'error.stopping': 'The service is restarting. Wait a moment and try again.',
  'error.noScene': 'There is nothing to explore at the moment. Please ask a member of staff.',
  'error.wrongPhase': 'Just a moment, then try again.',
  'error.full': 'No more entries can be stored at the moment. Please ask a member of staff.',
};

const de = {
  'start.title': 'Was möchten Sie tun?',
  'start.lead': 'Wählen Sie etwas aus. Die Kamera startet von selbst.',
  'start.onboard': 'Dieses Gerät verbinden',
  'start.onboard.help': 'Zeigen Sie der Kamera den QR-Code, den Sie bekommen haben.',
  'start.ar': 'Eine Maschine erkunden',
  'start.ar.help': 'Richten Sie die Kamera auf ein Plakat oder Schild und sehen Sie die Hinweise dazu.',
  'start.ar.help.fixed': 'Halten Sie ein Plakat oder Schild vor die Kamera und sehen Sie die Hinweise dazu.',
  'start.field': 'Waren erfassen',
  'start.field.help': 'Füllen Sie ein Formular aus, indem Sie die Etiketten scannen.',
  'start.document': 'Dokumente scannen',
  'start.document.help': 'Zeigen Sie der Kamera Ihre Papiere und speichern Sie sie als PDF.',
  'error.noSpace': 'Es ist kein Platz mehr für Seiten. Bitte sagen Sie dem Personal Bescheid; nichts ging verloren.',
  'error.tooManyPages': 'Das Dokument ist voll. Speichern Sie es und scannen Sie dann weiter.',
  'error.notWritten': 'Die Seite konnte nicht gespeichert werden. Bitte versuchen Sie es noch einmal.',
  'start.count': 'Regal zählen',
  'start.count.fixed': 'Waren zählen',
  'start.count.help': 'Führen Sie die Kamera daran entlang. Jeder Code zählt einmal.',
  'start.count.help.fixed': 'Halten Sie die Ware vor die Kamera. Jeder Code zählt einmal.',
  'account.demo': 'Demomodus: nichts, was Sie tun, wird gespeichert',
  'account.signedIn': 'Angemeldet: {name}',
  'account.signOut': 'Abmelden',
  'about.title': 'Über dieses Gerät',
  'ar.noScene': 'Noch nichts zu erkunden',
  'start.begin': 'Starten',
  'start.languages': 'Sprache',
  'today.connections': 'Geräte heute verbunden',
  'today.connections.one': 'Gerät heute verbunden',
  'today.documents': 'Dokumente heute',
  'today.documents.one': 'Dokument heute',
  'today.counts': 'Zählungen heute',
  'today.counts.one': 'Zählung heute',
  'today.forms': 'Formulare heute',
  'today.forms.one': 'Formular heute',
  'today.title': 'Heute hier erledigt',
  'profile.sound': 'Töne',
  'profile.contrast': 'Mehr Kontrast',
  'profile.size': 'Größe der Schrift',
  'profile.title': 'Profil und Einstellungen',
  'gone.title': 'Zurzeit nicht verfügbar',
  'gone.help': 'Der Scandienst antwortet nicht. Dauert das an, sagen Sie bitte dem Personal Bescheid.',
  'gone.trying': 'Es wird wieder versucht …',
  'attract.title': 'Willkommen',
  'attract.text': 'Verbinden Sie ein Gerät oder erkunden Sie eine Maschine. Es dauert keine Minute.',
  'attract.begin': 'Zum Starten berühren',
  'help.title': 'Hilfe und Sprache',
  'help.staff': 'Wenn Sie nicht weiterkommen, hilft Ihnen das Personal gern.',
  'help.start': 'Berühren Sie, was Sie tun möchten. Nichts geschieht, bevor Sie es gesehen und bestätigt haben.',
  'idle.title': 'Sind Sie noch da?',
  'idle.text': 'Wenn nicht, wird alles gelöscht, was Sie eingegeben haben, und der Bildschirm beginnt von vorn.',
  'idle.stay': 'Ich bin noch da',
  'layer.title': 'Meldungen',
  'common.cancel': 'Abbrechen',
  'common.close': 'Schließen',
  'common.home': 'Startseite',
  'common.again': 'Noch einmal versuchen',
  'common.start': 'Zurück zum Anfang',
  'common.exit': 'Verlassen',
  'common.stop': 'Anhalten',
  'common.dismiss': 'Diese Meldung schließen',
  'common.loading': 'Die Kamera startet …',
  'common.loading.long': 'Die Kamera braucht länger als sonst. Sie können warten oder zurückgehen und es später noch einmal versuchen.',
  'banner.offline': 'Die Verbindung ist unterbrochen',
  'banner.offline.help': 'Bitte warten Sie einen Moment. Sie kommt von selbst zurück.',
  'banner.offline.kept': 'Bitte warten Sie einen Moment. Sie kommt von selbst zurück; Ihre Eingaben bleiben erhalten.',
  'banner.online': 'Wieder verbunden',
  'banner.more': '{count} Meldungen: alle zeigen',
  'observer.title': 'Dieser Bildschirm ist noch gesperrt',
  'observer.help': 'Bitte lassen Sie ihn vom Personal freischalten.',
  'camera.gone': 'Die Kamera ist nicht angeschlossen',
  'camera.gone.help': 'Das Bild kommt von selbst zurück. Wenn nicht, sagen Sie bitte dem Personal Bescheid.',
  'camera.stalled': 'Die Kamera antwortet nicht',
  'camera.stalled.help': 'Sie wird neu gestartet. Dauert das länger als eine Minute, sagen Sie bitte dem Personal Bescheid.',
  'error.offline': 'Die Verbindung ist unterbrochen. Warten Sie kurz und versuchen Sie es noch einmal.',
  'error.busy': 'Der Scanner wird gerade benutzt. Warten Sie kurz und versuchen Sie es noch einmal.',
  'error.tooLarge': 'Das Bild ist größer als 16 MB. Wählen Sie ein kleineres.',
  'error.notPermitted': 'Dieser Bildschirm ist gesperrt. Bitte wenden Sie sich an das Personal.',
  'error.unavailable': 'Der Scanner hat das nicht ausgeführt. Versuchen Sie es noch einmal oder wenden Sie sich an das Personal.',
  'error.badPicture': 'Diese Datei ist kein Bild. Wählen Sie ein Foto des Codes.',
  'error.noCamera': 'Die Kamera ist nicht angeschlossen. Sagen Sie bitte dem Personal Bescheid.',
  'error.notFound': 'Das gibt es nicht mehr. Wählen Sie etwas anderes.',
  'error.torch': 'Das Licht lässt sich gerade nicht schalten.',
  'error.notSupported': 'Diese Kamera hat kein Licht.',
  'error.stopping': 'Der Dienst startet neu. Warten Sie kurz und versuchen Sie es noch einmal.',
  'error.noScene': 'Im Moment gibt es nichts zu erkunden. Bitte wenden Sie sich an das Personal.',
  'error.wrongPhase': 'Einen Moment, dann noch einmal.',
  'error.full': 'Im Moment kann nichts mehr gespeichert werden. Bitte wenden Sie sich an das Personal.',
};

/** @type {Record<string, Record<string, string>>} */
const TABLES = { en, de };
/** The integrator's texts, by language. @type {Record<string, Record<string, string>>} */
let words = {};

/** Adds tables of a part of the page; the integrator's texts stay. */
export function include(...parts) {
  for (const part of parts) for (const tag of ['en', 'de']) for (const [key, text] of Object.entries(part[tag])) if (!(key in TABLES[tag]) && !(key.endsWith('.fixed') && key.slice(0, -6) in (words[tag] ?? {}))) TABLES[tag][key] = text;
}

const NAMES = { en: 'English', de: 'Deutsch' };

let language = 'en';
/** The language that the integrator fixed. @type {string | null} */
let fixedLanguage = null;
let offered = ['en', 'de'];
/** True if the screen cannot be moved, so that things are held up to its camera. */
let fixed = false;
/** The translations of texts of scenes and of the provider, by the text in any of its languages. */
const others = new Map();

/** The languages among which a visitor can choose, with their own names; empty if the integrator fixed one, or offers a single one. */
export const languageChoices = () => (fixedLanguage || offered.length < 2 ? [] : offered).map((tag) => ({ tag, name: NAMES[tag] ?? tag }));

/**
 * Applies the integrator's texts, further languages, the selection of languages, and translations of texts from other sources.
 * @param {{ fixed?: boolean, language?: string | null, page?: any }} config
 */
export function configureWords({ fixed: stands = false, language: given = null, page = {} }) {
  fixed = stands;
  fixedLanguage = given;
  words = page.words ?? {};
  for (const [tag, some] of Object.entries(words)) {
    // If the integrator replaces a text, the page's own variant for fixed screens is removed.
    const own = TABLES[tag] ?? {};
    TABLES[tag] = { ...Object.fromEntries(Object.entries(own).filter(([key]) => !(key.endsWith('.fixed') && key.slice(0, -6) in some))), ...some };
    if (some.language) NAMES[tag] = some.language;
  }
  offered = page.languages ?? [...new Set([...offered, ...Object.keys(words)])];
  for (const { text } of page.texts ?? []) for (const one of Object.values(typeof text === 'string' ? {} : text)) others.set(one, text);
}

/** The texts that were made since the last visitor, with the functions that make them in the language of the page. @type {Map<string, () => string>} */
const made = new Map();
const MOST = 2000;
function noted(text, again) {
  if (made.size >= MOST) made.clear();
  if (text) made.set(text, again);
  return text;
}

/** Removes all texts of a visitor from the memory of `retranslate`. */
export const forgetTexts = () => made.clear();

/** A text that was made before the language was changed, in the language of the page now. */
export const now = (text) => made.get(text)?.() ?? text;

const SPOKEN = ['aria-label', 'label', 'helper', 'prompt', 'placeholder', 'title', 'suffix', 'purpose', 'alt', 'text-pattern'];

/** Replaces the texts below a node by those of the page's new language. What was entered, scanned or counted stays. */
export function retranslate(root) {
  const before = new Map(made);
  const next = (text) => before.get(text)?.();
  for (const node of [root, ...everything(root)]) {
    for (const name of SPOKEN) { const text = node.getAttribute?.(name); const other = text && next(text); if (other) node.setAttribute(name, other); }
    for (const child of node.childNodes) if (child.nodeType === Node.TEXT_NODE && child.data) { const other = next(child.data); if (other) child.data = other; }
    if (node.matches?.('[data-language]')) node.setAttribute('aria-pressed', String(node.dataset.language === language));
  }
}

/** A text of the integrator, which is one string or a table of languages, in the page's language. Known strings are translated. */
export function said(text) {
  const known = typeof text === 'string' ? others.get(text) ?? text : text;
  if (!known || typeof known === 'string') return known ?? '';
  return noted(known[language] ?? known.en ?? Object.values(known)[0] ?? '', () => said(known));
}

/**
 * Sets the language: the one that the integrator fixed, else the visitor's choice, else the browser's. The choice is kept in the
 * history's state, because the first view would have to wait for session storage.
 */
export function chooseLanguage() {
  const wanted = [fixedLanguage, history.state?.language, ...navigator.languages].map((tag) => String(tag ?? '').split('-')[0]);
  setLanguage(wanted.find((tag) => tag in TABLES) ?? 'en');
}

/** Keeps the visitor's language over a reload; null forgets it. */
export function keepLanguage(tag) { history.replaceState(tag ? { language: tag } : null, ''); }

export function setLanguage(tag) {
  language = tag;
  document.documentElement.lang = tag;
  document.getElementById('layer')?.setAttribute('aria-label', t('layer.title'));
}

/**
 * The text of a key with its placeholders filled in; an unknown key is returned itself, so that it is noticed. With a `count`, the text of
 * its plural category, such as `key.one`, is used where there is one.
 */
export function t(key, values = {}) {
  const table = TABLES[language];
  const plural = typeof values.count === 'number' ? table[`${key}.${new Intl.PluralRules(language).select(values.count)}`] : undefined;
  const text = (plural ?? (fixed ? table[`${key}.fixed`] : undefined) ?? table[key] ?? TABLES.en[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
  // A value that is the whole text is not made again of itself.
  return noted(text, () => t(key, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === text ? value : now(value)]))));
}

/** The text of a key, or of `fallback` if the key does not exist. */
export function tOr(key, fallback) { return key in TABLES.en ? t(key) : t(fallback); }

/** All tables, so that a test can compare their keys. */
export const tables = TABLES;
