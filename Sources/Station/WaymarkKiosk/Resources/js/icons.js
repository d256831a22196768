// Line icons on a grid of 24, two wide with round ends, for the page and for markers on the canvas alike.

/** The `d` of each icon's path, by the icon's name. They include the names that scenes use for markers. */
export const PATHS = {
  close: 'M6 6l12 12M18 6L6 18',
  flash: 'M13 3L5 14h6l-1 7 8-11h-6z',
  gallery: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9v.01',
  chevron: 'M6 9l6 6 6-6',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  clock: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.5 2',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7L7 17',
  question: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.01',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18h2',
  cube: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  barcode: 'M4 6v12M7 6v12M10 6v12M12 6v12M15 6v12M17 6v12M20 6v12',
  text: 'M4 8V5h3M17 5h3v3M20 16v3h-3M7 19H4v-3M8 9h8M12 9v7',
  eye: 'M2.5 12s3.5-6 9.5-6 9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6zM12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  error: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7.5v5.5M12 16.5v.01',
  good: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM8 12.5l3 3 5-6',
  pen: 'M4 20l1-4L16 5l3 3L8 19zM13.5 7.5l3 3M13 20h7',
  expand: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  corners: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5M8 8h8v8H8z',
  rotate: 'M19 5v5h-5M19 10a8 8 0 1 0 1 4',
  camera: 'M4 7h4l2-3h4l2 3h4v12H4zM12 9.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z',
  zoom: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M15.5 15.5L20 20M10.5 8v5M8 10.5h5',
  minus: 'M5 12h14',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  shift: 'M12 4l8 9h-4v6H8v-6H4z',
  erase: 'M8 5h13v14H8l-6-7zM12 9l5 6M17 9l-5 6',
  hide: 'M4 4h16v10H4zM7 7.5h.01M12 7.5h.01M17 7.5h.01M8 11h8M9 18l3 3 3-3',
  device: 'M12 16V4M7 9l5-5 5 5M4 20h16',
  sound: 'M4 10v4h3l5 4V6l-5 4zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11',
  mute: 'M4 10v4h3l5 4V6l-5 4zM16 10l5 5M21 10l-5 5',
  person: 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4.5 20c.6-4 3.5-6 7.5-6s6.9 2 7.5 6',
  tone: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18M12 8h6M12 12h8M12 16h6',
  crosshair: 'M12 2v7M12 15v7M2 12h7M15 12h7',
  sort: 'M4 7h14M4 12h10M4 17h6M18 11v8M15 16l3 3 3-3',
  funnel: 'M4 5h16l-6 8v6l-4-2v-4z',
  scan: 'M4 9V4h5M15 4h5v5M4 15v5h5M15 20h5v-5M4 12h16',
  circle: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z',
  sync: 'M20 11a8 8 0 0 0-14.5-4M5 3v4h4M4 13a8 8 0 0 0 14.5 4M19 21v-4h-4',
  alert: 'M12 8v5M12 16.5v.01M12 3l9.5 17h-19z',
  // Markers and the actions of cards
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  video: 'M4 6h11v12H4zM15 11l5-3v8l-5-3',
  phone: 'M6 3h3l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3z',
  custom: 'M4 12h13M12 6l6 6-6 6',
  info: 'M12 11v6M12 7v.01',
  wrench: 'M14.5 6.5a4 4 0 0 1 5-3l-2.6 2.6 1 1.9 1.9 1L22 6.5a4 4 0 0 1-5.4 4.6L9 18.7a2.1 2.1 0 0 1-3-3l7.6-7.6a4 4 0 0 1 .9-1.6z',
  gauge: 'M4 17a8.5 8.5 0 1 1 16 0M12 15l4-5M12 15v.01',
  bolt: 'M12 3l7.5 4.5v9L12 21l-7.5-4.5v-9zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
  warning: 'M12 9v5M12 17.5v.01',
  valve: 'M3 9l9 5-9 5zM21 9l-9 5 9 5zM12 14V5M8 5h8',
  chart: 'M4 4v16h16M7 15l4-5 3 3 5-7',
  hand: 'M7 12V6.5a1.5 1.5 0 0 1 3 0V11V5a1.5 1.5 0 0 1 3 0v6V6a1.5 1.5 0 0 1 3 0v7-3a1.5 1.5 0 0 1 3 0v5a6 6 0 0 1-11 3.5L4.5 14a1.6 1.6 0 0 1 2.5-2z',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  thermometer: 'M10 14V5a2 2 0 0 1 4 0v9a4 4 0 1 1-4 0z',
  drop: 'M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11z',
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
};

const SVG = 'http://www.w3.org/2000/svg';

/** A node of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** A line icon; decoration only, so it is hidden from screen readers. */
export function icon(name) {
  return svg('svg', {
    viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round',
    'stroke-linejoin': 'round', 'aria-hidden': 'true', class: 'icon',
  }, svg('path', { d: PATHS[name] ?? PATHS.question }));
}

const INK = 'var(--art-ink)', PAPER = 'var(--art-paper)', SHADE = 'var(--art-shade)', SUN = 'var(--art-sun)', LEAD = 'var(--accent)';
const box = (x, y, width, height, fill, more = {}) => svg('rect', { x, y, width, height, fill, ...more });
const line = (d, stroke = INK, width = 4, more = {}) => svg('path', { d, stroke, fill: 'none', 'stroke-width': width, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', ...more });

/** A drawing of a QR code without contents: three finder patterns and a few modules. */
function code(x, y, size) {
  const m = size / 11;
  const eye = (a, b) => [box(x + a * m, y + b * m, 4 * m, 4 * m, INK, { rx: m * .5 }), box(x + (a + 1) * m, y + (b + 1) * m, 2 * m, 2 * m, PAPER, { rx: m * .3 })];
  const dots = [[5, 0], [5, 2], [4, 5], [0, 5], [2, 5], [6, 4], [8, 5], [10, 5], [5, 7], [7, 7], [9, 7], [6, 9], [8, 9], [10, 10], [5, 10], [7, 5], [10, 8]];
  return [...eye(0, 0), ...eye(7, 0), ...eye(0, 7), ...dots.map(([a, b]) => box(x + a * m, y + b * m, m, m, INK))];
}

const corners = (x, y, w, h, r, stroke) => [[x, y, 1, 1], [x + w, y, -1, 1], [x + w, y + h, -1, -1], [x, y + h, 1, -1]]
  .map(([a, b, s, t]) => line(`M${a + s * r} ${b}H${a + s * 8}Q${a} ${b} ${a} ${b + t * 8}V${b + t * r}`, stroke, 5));

const PICTURES = {
  onboard: () => [svg('circle', { cx: 250, cy: 52, r: 26, fill: SUN }), box(108, 22, 104, 136, PAPER, { rx: 12, stroke: INK, 'stroke-width': 4 }), ...code(127, 38, 66),
    line('M128 122h64M128 138h40', SHADE, 7), ...corners(86, 10, 148, 122, 26, LEAD), line('M66 180c10-26 26-36 44-30', INK)],
  ar: () => [box(46, 24, 176, 116, PAPER, { rx: 8, stroke: INK, 'stroke-width': 4 }), svg('circle', { cx: 106, cy: 84, r: 34, fill: SHADE, stroke: INK, 'stroke-width': 4 }), line('M106 84l16-20M106 50v8M140 84h-8M72 84h8'),
    box(158, 52, 44, 10, SHADE), box(158, 72, 44, 10, SHADE), box(158, 92, 28, 10, SHADE), svg('circle', { cx: 132, cy: 62, r: 13, fill: LEAD, stroke: PAPER, 'stroke-width': 4 }),
    line('M140 74L206 128', LEAD, 4), box(190, 112, 104, 52, PAPER, { rx: 10, stroke: LEAD, 'stroke-width': 4 }), line('M206 130h66', INK, 6), line('M206 146h44', SHADE, 6)],
  field: () => [box(52, 30, 216, 44, PAPER, { rx: 10, stroke: LEAD, 'stroke-width': 4 }), line('M70 52h84', INK, 6), ...[0, 7, 12, 20, 25, 33].map((x, i) => line(`M${212 + x} 41v22`, INK, i % 2 ? 2 : 4)),
    box(52, 92, 216, 44, PAPER, { rx: 10, stroke: INK, 'stroke-width': 3 }), line('M70 114h56', SHADE, 6), box(172, 150, 96, 24, LEAD, { rx: 12 })],
  document: () => [box(96, 16, 128, 148, PAPER, { rx: 6, stroke: INK, 'stroke-width': 4, transform: 'rotate(4 160 90)' }), line('M122 48h76M120 66h76M118 84h52M117 102h74M116 120h60', SHADE, 7, { transform: 'rotate(4 160 90)' }),
    ...corners(74, 4, 172, 170, 30, LEAD)],
  count: () => [box(36, 20, 248, 140, PAPER, { rx: 10, stroke: INK, 'stroke-width': 4 }), line('M36 88h248M36 156h248', INK, 4),
    ...[[58, 40], [130, 40], [202, 40], [58, 108], [130, 108]].flatMap(([x, y]) => [box(x, y, 54, 48, SHADE, { rx: 4 }), ...[0, 6, 10, 17, 22].map((dx, i) => line(`M${x + 16 + dx} ${y + 14}v20`, INK, i % 2 ? 2 : 4))]),
    svg('circle', { cx: 236, cy: 126, r: 30, fill: LEAD }), line('M222 127l10 10 18-22', PAPER, 6)],
  person: () => [svg('circle', { cx: 236, cy: 52, r: 26, fill: SUN }), box(84, 20, 152, 144, PAPER, { rx: 14, stroke: INK, 'stroke-width': 4 }), svg('circle', { cx: 160, cy: 66, r: 24, fill: SHADE, stroke: INK, 'stroke-width': 4 }),
    svg('path', { d: 'M116 132c4-26 20-38 44-38s40 12 44 38z', fill: SHADE, stroke: INK, 'stroke-width': 4, 'stroke-linejoin': 'round' }), line('M128 148h64', LEAD, 7)],
  consent: () => [svg('circle', { cx: 86, cy: 128, r: 26, fill: SUN }), box(88, 14, 124, 152, PAPER, { rx: 10, stroke: INK, 'stroke-width': 4 }), line('M110 44h80M110 64h66M110 84h80M110 104h40', SHADE, 7),
    svg('path', { d: 'M214 78l40 14v30c0 24-16 38-40 48-24-10-40-24-40-48V92z', fill: LEAD, stroke: PAPER, 'stroke-width': 5, 'stroke-linejoin': 'round' }), line('M197 122l13 13 23-27', PAPER, 6)],
  lock: () => [svg('circle', { cx: 226, cy: 56, r: 28, fill: SUN }), line('M124 82V58a36 36 0 0 1 72 0v24', INK, 8), box(98, 78, 124, 88, PAPER, { rx: 16, stroke: INK, 'stroke-width': 4 }),
    ...[128, 149, 170, 191].map((cx, i) => svg('circle', { cx, cy: 122, r: 8, fill: i < 3 ? LEAD : SHADE }))],
  ready: () => [svg('circle', { cx: 248, cy: 48, r: 26, fill: SUN }), box(92, 14, 136, 152, PAPER, { rx: 16, stroke: INK, 'stroke-width': 4 }), line('M148 30h24', SHADE, 6), svg('circle', { cx: 160, cy: 94, r: 40, fill: LEAD }), line('M141 95l14 14 26-30', PAPER, 7)],
  sync: () => [svg('circle', { cx: 160, cy: 60, r: 30, fill: SUN }), box(46, 46, 88, 104, PAPER, { rx: 12, stroke: INK, 'stroke-width': 4 }), line('M64 74h52M64 92h36', SHADE, 7), box(186, 46, 88, 104, PAPER, { rx: 12, stroke: INK, 'stroke-width': 4 }),
    line('M204 74h52M204 92h36', SHADE, 7), line('M126 112h62M176 100l12 12-12 12', LEAD, 6), line('M194 134h-62M144 122l-12 12 12 12', INK, 6)],
  attract: () => [svg('circle', { cx: 262, cy: 44, r: 30, fill: SUN }), box(96, 18, 128, 148, PAPER, { rx: 14, stroke: INK, 'stroke-width': 4 }), ...code(118, 38, 84), line('M120 140h80', SHADE, 8), ...corners(74, 6, 172, 130, 30, LEAD), line('M84 34h152', LEAD, 4, { class: 'beam' })],
  welcome: () => [svg('circle', { cx: 160, cy: 92, r: 52, fill: SUN }), ...Array.from({ length: 12 }, (_, i) => { const [x, y] = [Math.cos(i * Math.PI / 6), Math.sin(i * Math.PI / 6)]; return line(`M${160 + x * 62} ${92 + y * 62}l${x * 12} ${y * 12}`, SUN, 5); }),
    box(112, 48, 96, 108, PAPER, { rx: 16, stroke: INK, 'stroke-width': 4 }), svg('circle', { cx: 142, cy: 88, r: 6, fill: LEAD }), svg('circle', { cx: 178, cy: 88, r: 6, fill: LEAD }), line('M136 112q24 24 48 0', LEAD, 6),
    ...[[62, 40, 20], [40, 104, -15], [84, 150, 40], [252, 32, -30], [276, 96, 10], [238, 148, 55]].map(([x, y, turn], i) => box(x, y, 14, 14, i % 2 ? LEAD : SHADE, { rx: 3, transform: `rotate(${turn} ${x} ${y})` }))],
  gallery: () => [box(70, 36, 150, 104, SHADE, { rx: 12, transform: 'rotate(-5 145 88)' }), box(98, 46, 150, 104, PAPER, { rx: 12, stroke: INK, 'stroke-width': 4 }), svg('circle', { cx: 136, cy: 80, r: 12, fill: SUN }), line('M108 140l40-36 26 22 28-26 36 34', INK)],
  offline: () => [line('M30 92h66', INK, 6), box(96, 66, 42, 52, PAPER, { rx: 10, stroke: INK, 'stroke-width': 4 }), line('M138 80h18M138 104h18', INK, 6), box(196, 66, 42, 52, PAPER, { rx: 10, stroke: INK, 'stroke-width': 4 }), line('M238 92h52', INK, 6), line('M170 60l6-16M178 92h.1M170 124l6 16', SUN, 6)],
  camera: () => [box(70, 50, 180, 104, PAPER, { rx: 18, stroke: INK, 'stroke-width': 4 }), svg('circle', { cx: 160, cy: 102, r: 34, fill: SHADE, stroke: INK, 'stroke-width': 4 }), box(132, 36, 56, 18, INK, { rx: 6 }), line('M78 164L242 32', SUN, 7)],
  trouble: () => [svg('path', { d: 'M160 30l86 130H74z', fill: SUN, stroke: INK, 'stroke-width': 4, 'stroke-linejoin': 'round' }), line('M160 78v40M160 138v.1', INK, 8)],
  waiting: () => [svg('circle', { cx: 160, cy: 92, r: 62, fill: PAPER, stroke: INK, 'stroke-width': 4 }), line('M160 54v38l24 16', LEAD, 6), ...[0, 1, 2, 3].map((k) => line(`M${160 + 54 * Math.cos(k * Math.PI / 2)} ${92 + 54 * Math.sin(k * Math.PI / 2)}l.1 0`, INK, 6))],
};

/**
 * An illustration in the page's colours. `size` is its width in pixels at the smallest font size: 320 for a page of its own,
 * 160 in a panel, 92 in a list, 64 and 48 beside a line. Without it the style of the parent sets the size.
 * @param {string} name
 * @param {320 | 160 | 92 | 64 | 48 | null} [size]
 */
export function art(name, size = null) {
  return svg('svg', { viewBox: '0 0 320 180', class: 'art', ...(size ? { 'data-size': size } : {}), 'aria-hidden': 'true', preserveAspectRatio: 'xMidYMid meet' }, ...(PICTURES[name] ?? PICTURES.trouble)());
}
