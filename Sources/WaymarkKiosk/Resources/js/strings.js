// Every word the page shows, in one place. A new language is one more table with the same keys.

const en = {
  'start.title': 'What would you like to do?',
  'start.onboard': 'Connect this device', 'start.onboard.help': 'Hold up the QR code you were given.',
  'start.ar': 'Look at a machine', 'start.ar.help': 'Point the camera at a known picture and see its notes.',
  'start.field': 'Fill a field', 'start.field.help': 'Scan a barcode into a form.',
  'start.language': 'Deutsch',
  'common.cancel': 'Cancel', 'common.close': 'Close', 'common.back': 'Back', 'common.again': 'Try again',
  'common.exit': 'Exit', 'common.loading': 'Starting the camera …',
  'banner.offline': 'The scanning service cannot be reached. Reconnecting …', 'banner.online': 'Connected again.',
  'observer.title': 'This kiosk may only watch.',
  'observer.help': 'Whoever set up this device can let it operate: its user belongs under roles.operators.',
  'camera.gone': 'The camera is not there.', 'camera.gone.help': 'Plug it in; the picture comes back by itself.',
  'camera.stalled': 'The camera gives no picture.',
  'camera.stalled.help': 'It is being restarted. If this goes on, unplug it and plug it in again.',
  'scan.title': 'Scan', 'scan.flash': 'Flash', 'scan.prompt': 'Hold the QR code inside the frame',
  'scan.prompt.barcode': 'Hold the barcode inside the frame',
  'scan.successful': 'Code accepted', 'scan.connect': 'You will be connected to', 'scan.noHost': 'This code names no host.',
  'scan.continue': 'Continue', 'scan.kind': 'Kind of code: {kind}',
  'scan.invalid': 'This code cannot be used', 'scan.invalid.help': 'Hold up another code, or ask whoever gave it to you.',
  'scan.unsuccessful': 'No code was read',
  'scan.done': 'Handed over', 'scan.done.help': 'The device goes on with {host}.', 'scan.done.plain': 'The device goes on with this code.',
  'scan.busy': 'Another program is scanning at the moment. Please wait.',
  'advice.tooSmall': 'Come closer', 'advice.tooClose': 'Move back a little', 'advice.blurred': 'Hold still',
  'advice.cutOff': 'Show the whole code', 'advice.tooDark': 'More light, please', 'advice.tooBright': 'Too bright: tilt the code a little',
  'reason.tooLarge': 'It holds more data than is allowed.', 'reason.badEncoding': 'Its text cannot be read.',
  'reason.kindNotAllowed': 'It is not the kind of code that this device expects.',
  'reason.malformed': 'It looks like the right kind, but is incomplete or damaged.',
  'reason.signatureRequired': 'It is not signed.', 'reason.algorithmNotAllowed': 'It is signed in a way that is not accepted.',
  'reason.unknownKey': 'It was signed by someone this device does not know.', 'reason.badSignature': 'Its signature is wrong.',
  'reason.notYetValid': 'It is not valid yet.', 'reason.expired': 'It has expired. Ask for a new one.',
  'reason.wrongIssuer': 'It was issued by the wrong party.', 'reason.wrongAudience': 'It was made for something else.',
  'reason.hostNotAllowed': 'It leads to an address that is not allowed.',
  'reason.ambiguous': 'There are several different codes. Show one of them.', 'reason.replayed': 'It has been used before.',
  'reason.nothingFound': 'No code is to be seen.', 'reason.notQR': 'There is a code, but not a QR code.',
  'reason.incomplete': 'A part of the code is missing: show all parts.',
  'reason.codeNotReadable': 'There is a code, but it cannot be read. Come closer and hold still.',
  'error.offline': 'The scanning service cannot be reached.', 'error.busy': 'Another program is using the scanner.',
  'error.tooLarge': 'The picture is larger than 16 MB.', 'error.notPermitted': 'This page may not do that.',
  'error.unavailable': 'That did not work.', 'error.badPicture': 'This file is no picture that can be read.',
  'roll.title': 'Recent pictures', 'roll.hide': 'Hide pictures', 'roll.show': 'Show pictures', 'roll.gallery': 'Gallery',
  'roll.ask': 'Show the pictures of this device here?', 'roll.allow': 'Show pictures', 'roll.device': 'From your device',
  'roll.empty': 'There are no pictures.', 'roll.picture': 'Picture {name}', 'roll.choose': 'Choose a picture with a code on it.',
  'field.title': 'Goods received', 'field.material': 'Material number', 'field.material.help': 'Scan or type the number on the label.',
  'field.batch': 'Batch', 'field.batch.help': 'At most 10 characters.', 'field.note': 'Note', 'field.note.help': 'Longer notes are marked, not cut.',
  'field.plant': 'Plant', 'field.plant.value': '1000 Hamburg', 'field.scan': 'Scan into {label}', 'field.clear': 'Clear {label}',
  'field.required': 'required', 'field.missing': '{label} is needed.', 'field.over': '{count} characters too many.',
  'field.count': '{count} of {limit} characters', 'field.save': 'Save', 'field.saved': 'Saved.',
  'ar.title': 'AR scanner', 'ar.coach': 'Find this picture', 'ar.coach.help': 'Stand in front of it, so that it fills about half of the view.',
  'ar.beginScan': 'Begin Scan', 'ar.returnToScan': 'Return to Scan', 'ar.scanning': 'Point the camera at the picture',
  'ar.matched': 'Found', 'ar.lost': 'Out of sight: point the camera at the picture again', 'ar.guide': 'Show the instructions again',
  'ar.next': 'Next note', 'ar.previous': 'Previous note', 'ar.cards': 'Notes', 'ar.details': 'Details of {title}',
  'ar.noScene': 'No scene is loaded.', 'ar.noScene.help': 'Whoever set up this device can load one.',
  'ar.choose': 'Choose a scene', 'ar.done': 'Handed over to the app.', 'ar.loading': 'Preparing the scene …',
};

const de = {
  'start.title': 'Was möchten Sie tun?',
  'start.onboard': 'Dieses Gerät verbinden', 'start.onboard.help': 'Halten Sie den QR-Code hoch, den Sie bekommen haben.',
  'start.ar': 'Eine Maschine ansehen', 'start.ar.help': 'Richten Sie die Kamera auf ein bekanntes Bild und sehen Sie die Hinweise dazu.',
  'start.field': 'Ein Feld füllen', 'start.field.help': 'Scannen Sie einen Strichcode in ein Formular.',
  'start.language': 'English',
  'common.cancel': 'Abbrechen', 'common.close': 'Schließen', 'common.back': 'Zurück', 'common.again': 'Noch einmal',
  'common.exit': 'Beenden', 'common.loading': 'Die Kamera startet …',
  'banner.offline': 'Der Scandienst ist nicht erreichbar. Verbindung wird wieder aufgebaut …', 'banner.online': 'Wieder verbunden.',
  'observer.title': 'Dieser Kiosk darf nur zusehen.',
  'observer.help': 'Wer das Gerät eingerichtet hat, kann ihm mehr erlauben: sein Benutzer gehört unter roles.operators.',
  'camera.gone': 'Die Kamera ist nicht da.', 'camera.gone.help': 'Stecken Sie sie ein; das Bild kommt von selbst zurück.',
  'camera.stalled': 'Die Kamera liefert kein Bild.',
  'camera.stalled.help': 'Sie wird neu gestartet. Bleibt es dabei, ziehen Sie sie ab und stecken Sie sie wieder ein.',
  'scan.title': 'Scannen', 'scan.flash': 'Licht', 'scan.prompt': 'Halten Sie den QR-Code in den Rahmen',
  'scan.prompt.barcode': 'Halten Sie den Strichcode in den Rahmen',
  'scan.successful': 'Code angenommen', 'scan.connect': 'Sie werden verbunden mit', 'scan.noHost': 'Dieser Code nennt keine Adresse.',
  'scan.continue': 'Weiter', 'scan.kind': 'Art des Codes: {kind}',
  'scan.invalid': 'Dieser Code ist nicht verwendbar', 'scan.invalid.help': 'Zeigen Sie einen anderen Code oder fragen Sie nach, woher er kommt.',
  'scan.unsuccessful': 'Es wurde kein Code gelesen',
  'scan.done': 'Übergeben', 'scan.done.help': 'Das Gerät macht mit {host} weiter.', 'scan.done.plain': 'Das Gerät macht mit diesem Code weiter.',
  'scan.busy': 'Gerade scannt ein anderes Programm. Bitte warten Sie.',
  'advice.tooSmall': 'Kommen Sie näher', 'advice.tooClose': 'Etwas weiter weg', 'advice.blurred': 'Halten Sie still',
  'advice.cutOff': 'Zeigen Sie den ganzen Code', 'advice.tooDark': 'Bitte mehr Licht', 'advice.tooBright': 'Zu hell: kippen Sie den Code ein wenig',
  'reason.tooLarge': 'Er enthält mehr Daten als erlaubt.', 'reason.badEncoding': 'Sein Text ist nicht lesbar.',
  'reason.kindNotAllowed': 'Es ist nicht die Art von Code, die dieses Gerät erwartet.',
  'reason.malformed': 'Er sieht richtig aus, ist aber unvollständig oder beschädigt.',
  'reason.signatureRequired': 'Er ist nicht signiert.', 'reason.algorithmNotAllowed': 'Er ist auf eine Weise signiert, die nicht angenommen wird.',
  'reason.unknownKey': 'Er wurde von jemandem signiert, den dieses Gerät nicht kennt.', 'reason.badSignature': 'Seine Signatur ist falsch.',
  'reason.notYetValid': 'Er gilt noch nicht.', 'reason.expired': 'Er ist abgelaufen. Lassen Sie sich einen neuen geben.',
  'reason.wrongIssuer': 'Er wurde von der falschen Stelle ausgestellt.', 'reason.wrongAudience': 'Er ist für etwas anderes bestimmt.',
  'reason.hostNotAllowed': 'Er führt zu einer Adresse, die nicht erlaubt ist.',
  'reason.ambiguous': 'Es sind mehrere verschiedene Codes zu sehen. Zeigen Sie einen davon.', 'reason.replayed': 'Er wurde schon einmal benutzt.',
  'reason.nothingFound': 'Es ist kein Code zu sehen.', 'reason.notQR': 'Da ist ein Code, aber kein QR-Code.',
  'reason.incomplete': 'Ein Teil des Codes fehlt: zeigen Sie alle Teile.',
  'reason.codeNotReadable': 'Da ist ein Code, aber er ist nicht lesbar. Kommen Sie näher und halten Sie still.',
  'error.offline': 'Der Scandienst ist nicht erreichbar.', 'error.busy': 'Ein anderes Programm benutzt den Scanner.',
  'error.tooLarge': 'Das Bild ist größer als 16 MB.', 'error.notPermitted': 'Das darf diese Seite nicht.',
  'error.unavailable': 'Das hat nicht geklappt.', 'error.badPicture': 'Diese Datei ist kein lesbares Bild.',
  'roll.title': 'Letzte Bilder', 'roll.hide': 'Bilder ausblenden', 'roll.show': 'Bilder einblenden', 'roll.gallery': 'Galerie',
  'roll.ask': 'Die Bilder dieses Geräts hier zeigen?', 'roll.allow': 'Bilder zeigen', 'roll.device': 'Von Ihrem Gerät',
  'roll.empty': 'Es gibt keine Bilder.', 'roll.picture': 'Bild {name}', 'roll.choose': 'Wählen Sie ein Bild mit einem Code darauf.',
  'field.title': 'Wareneingang', 'field.material': 'Materialnummer', 'field.material.help': 'Scannen oder tippen Sie die Nummer auf dem Etikett.',
  'field.batch': 'Charge', 'field.batch.help': 'Höchstens 10 Zeichen.', 'field.note': 'Notiz', 'field.note.help': 'Längere Notizen werden markiert, nicht gekürzt.',
  'field.plant': 'Werk', 'field.plant.value': '1000 Hamburg', 'field.scan': 'In {label} scannen', 'field.clear': '{label} leeren',
  'field.required': 'erforderlich', 'field.missing': '{label} wird gebraucht.', 'field.over': '{count} Zeichen zu viel.',
  'field.count': '{count} von {limit} Zeichen', 'field.save': 'Sichern', 'field.saved': 'Gesichert.',
  'ar.title': 'AR-Scanner', 'ar.coach': 'Suchen Sie dieses Bild', 'ar.coach.help': 'Stellen Sie sich so davor, dass es etwa die halbe Ansicht füllt.',
  'ar.beginScan': 'Scan beginnen', 'ar.returnToScan': 'Zurück zum Scan', 'ar.scanning': 'Richten Sie die Kamera auf das Bild',
  'ar.matched': 'Gefunden', 'ar.lost': 'Außer Sicht: richten Sie die Kamera wieder auf das Bild', 'ar.guide': 'Anleitung noch einmal zeigen',
  'ar.next': 'Nächster Hinweis', 'ar.previous': 'Voriger Hinweis', 'ar.cards': 'Hinweise', 'ar.details': 'Einzelheiten zu {title}',
  'ar.noScene': 'Es ist keine Szene geladen.', 'ar.noScene.help': 'Wer dieses Gerät eingerichtet hat, kann eine laden.',
  'ar.choose': 'Szene wählen', 'ar.done': 'An die App übergeben.', 'ar.loading': 'Die Szene wird vorbereitet …',
};

const TABLES = { en, de };
let language = 'en';

/** Chooses the language: what the integrator fixed, what was chosen here, or what the browser prefers. */
export function chooseLanguage(preferred) {
  const wanted = [preferred, sessionStorage.getItem('language'), ...navigator.languages].map((tag) => String(tag ?? '').slice(0, 2));
  setLanguage(wanted.find((tag) => tag in TABLES) ?? 'en');
}

export function setLanguage(tag) { language = tag; document.documentElement.lang = tag; }

/** The other language, for the switch on the start view. */
export function otherLanguage() { return language === 'en' ? 'de' : 'en'; }

/** The text of a key with `{name}` filled in; a key that is not there shows itself, so that it is noticed. */
export function t(key, values = {}) {
  return (TABLES[language][key] ?? en[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

/** The text of a key, or of a fallback where that key does not exist. */
export function tOr(key, fallback) { return key in en ? t(key) : t(fallback); }

/** All tables, so that a test can compare their keys. */
export const tables = TABLES;
