// The parts of the page beside the live picture: cameras, anchors, configuration, figures, log, report. Each has a `node`, and `show(…)` for new data.
import { button, el, printable, printableLines, setText } from '../../../../Station/WaymarkKiosk/Resources/js/dom.js';
import { call } from './gateway.js';

const part = (id, title, more, ...children) => el('section', { class: `part ${more}`.trim(), 'aria-labelledby': id }, el('h2', { id }, title), ...children);

const isNumber = (cell) => (typeof cell === 'number' ? 'number' : '');

/** A table in a region that scrolls, and can be reached with keys. Cells that are numbers are aligned to the right. */
const table = (caption, heads, rows) => el('div', { class: 'scroll', role: 'region', tabIndex: 0, 'aria-label': caption }, el('table', {}, el('caption', {}, caption),
  el('thead', {}, el('tr', {}, ...heads.map((head, i) => el('th', { scope: 'col', class: isNumber(rows[0]?.[i]) }, head)))),
  el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((cell) => el('td', { class: isNumber(cell) }, isNumber(cell) ? String(cell) : cell ?? '')))))));

/** Replaces the content of a node if its data has changed; otherwise the person's selection of text stays. */
function renew(node, data, make) {
  const text = JSON.stringify(data);
  if (node.dataset.shown === text) return;
  node.dataset.shown = text;
  node.replaceChildren(...make());
}

const milliseconds = (seconds) => Math.round(seconds * 10_000) / 10;
const word = (text, kind) => el('span', { class: 'word', 'data-kind': kind }, text);

export function camerasPart() {
  const [states, plugged] = [el('div', {}), el('div', {})];
  return {
    node: part('cameras', 'Cameras', '', states, plugged),
    show(status, { cameras }) {
      const running = status.cameras?.map(({ name, camera, scanner }) => ({ name, camera, scanner })) ?? [{ name: '', camera: status.camera, scanner: status.scanner }];
      renew(states, running.map(({ name, camera, scanner }) => [name, camera, scanner.message]), () => running.map(({ name, camera, scanner }) => el('div', {},
        el('p', {}, name && `${name}: `, word(camera.status, camera.status === 'streaming' ? 'good' : 'bad'), ` ${printable(camera.device ?? 'no source')}`,
          camera.format ? ` · ${camera.format} ${camera.width} × ${camera.height}${camera.rate ? ` at ${camera.rate}/s` : ''}` : ''),
        ...[camera, scanner].filter((one) => one.message).map((one) => el('p', { class: 'fault' }, `${one.message} ${one.hint ?? ''}`)))));
      renew(plugged, cameras, () => (cameras.length ? cameras : [null]).map((one) => (one ? table(
        `${printable(one.name)} (${one.device}${one.selected ? ', used' : ''})`, ['Format', 'Size', 'Pictures a second'],
        one.formats.map((format) => [format.format, `${format.width} × ${format.height}`, format.rates.join(', ')]))
        : el('p', { class: 'soft' }, 'No camera is plugged in.'))));
    },
  };
}

export function anchorsPart() {
  const body = el('div', {});
  return {
    node: part('anchors', 'Anchors', '', body),
    show(scene, seen) {
      renew(body, [scene, seen], () => [scene ? table(`Scene ${printable(scene.title ?? scene.scene)}`, ['Anchor', 'Quality', 'Width', 'In view'],
        scene.anchors.map((one) => [printable(one.anchor), one.code ? 'a code' : one.quality ?? '', one.physicalWidth ? `${one.physicalWidth} m` : 'not known', seen.includes(one.anchor) ? word('yes', 'good') : 'no']))
        : el('p', { class: 'soft' }, 'No scene is loaded.')]);
    },
  };
}

export function configurationPart(say) {
  const values = el('div', {});
  const waiting = el('p', { class: 'fault', hidden: true });
  const origin = el('p', {});
  const all = el('input', { type: 'checkbox', id: 'defaults', onchange: () => fill() });
  let result = { values: [], restart: [] };
  const fill = () => renew(values, [result, all.checked], () => [table('Values that apply', ['Key', 'Value', 'From'],
    result.values.filter((one) => all.checked || one.origin !== 'default').map((one) => [one.key, el('code', {}, printable(one.value)), printable(one.origin)]))]);

  const text = el('textarea', { id: 'changed', spellcheck: false, maxLength: 32_768, placeholder: 'scan:\n  rate: 5' });
  const findings = el('ul', {});
  const check = button('Check', async () => {
    findings.replaceChildren(el('li', {}, 'Checking …'));
    try {
      const { problems } = await call('config.check', { text: text.value });
      findings.replaceChildren(...(problems.length ? problems.map((one) => el('li', { class: 'fault' }, printable(`${one.message}. ${one.hint}`))) : [el('li', {}, word('No problems: the service would start with it.', 'good'))]));
    } catch (error) {
      findings.replaceChildren();
      say(error);
    }
  }, { kind: 'primary' });
  return {
    node: part('configuration', 'Configuration', 'wide', origin, waiting,
      el('label', { class: 'row', htmlFor: 'defaults' }, all, 'Show defaults, too'), values,
      el('h3', {}, 'Check a changed file'), el('label', { htmlFor: 'changed' }, 'The text of waymark.yaml; it is checked on this device and not used'), text,
      el('div', { class: 'row' }, check), el('div', { role: 'status' }, findings)),
    show(shown, inUse) {
      result = shown;
      setText(origin, inUse?.file ? `Read from ${inUse.file}${inUse.isDefault ? ' (the default file)' : ''}. ${(inUse.cautions ?? []).join(' ')}` : 'There is no file: the defaults apply.');
      waiting.hidden = !shown.restart.length;
      setText(waiting, `Changed, and not in use before a restart: ${shown.restart.join(', ')}.`);
      fill();
    },
  };
}

export function figuresPart() {
  const [line, lanes, hooks] = [el('p', {}), el('div', {}), el('div', {})];
  let before = null;
  return {
    node: part('figures', 'Figures', '', line, lanes, hooks),
    show({ statistics }, webhooks) {
      const load = before && statistics.uptime > before.uptime ? `${Math.round((statistics.cpu - before.cpu) / (statistics.uptime - before.uptime) * 100)} % of a core, ` : '';
      before = statistics;
      const { frames, workers } = statistics;
      setText(line, `Up ${Math.round(statistics.uptime / 60)} min, ${load}${Math.round(statistics.memory / 2 ** 20)} MiB, ${statistics.clients} clients, ${statistics.dropped} events lost by slow ones. `
        + `${frames.captured} frames, ${frames.bad} bad, ${frames.lost} lost.${workers ? ` Workers: ${workers.starts} started, ${workers.crashes} crashed, ${workers.hangs} hung.` : ''}`);
      const rows = (statistics.cameras ?? [{ name: '', lanes: statistics.lanes }]).flatMap(({ name, lanes: own }) => own.map((lane) => [name ? `${name}: ${lane.name}` : lane.name, lane.frames, lane.skipped, milliseconds(lane.p50), milliseconds(lane.p99)]));
      renew(lanes, rows, () => [table('Lanes', ['Lane', 'Frames', 'Skipped', 'Median ms', '99 % ms'], rows)]);
      renew(hooks, webhooks, () => (webhooks.length ? [table('Webhooks', ['Name', 'Waiting', 'Lost', 'Put aside', 'Last failure'], webhooks.map((one) => [one.name, one.waiting, one.lost, one.putAside, printable(one.failure ?? 'none')]))] : []));
    },
  };
}

export function logPart(say) {
  const lines = el('pre', { tabIndex: 0, role: 'log', 'aria-label': 'The last lines of the log', 'aria-live': 'off' });
  const report = button('Make a support report', async () => {
    report.disabled = true;
    setText(report.firstChild, 'Making the report …');
    try {
      const { text } = await call('report.make');
      const link = el('a', { href: URL.createObjectURL(new Blob([text], { type: 'text/plain' })), download: 'waymark-report.txt' });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (error) { say(error); }
    setText(report.firstChild, 'Make a support report');
    report.disabled = false;
  });
  return {
    node: part('log', 'Log', 'wide', lines, el('div', { class: 'row' }, report, el('p', { class: 'grow soft' }, 'Versions, cameras, configuration, figures and log, without secrets. Read it before you send it.'))),
    show(result) {
      const isAtEnd = lines.scrollTop + lines.clientHeight >= lines.scrollHeight - 4;
      setText(lines, printableLines(result.lines.join('\n')));
      if (isAtEnd) lines.scrollTop = lines.scrollHeight;
    },
  };
}
