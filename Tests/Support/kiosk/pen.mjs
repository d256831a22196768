// Draws the strokes of Tests/Fixtures/Signature/pen.json with the page's pen and compares every line with the fixture, which the service's
// pen is compared with too (SignaturePenTests). `--write` makes the lines of the fixture anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { Ink } from '../../../Sources/Station/WaymarkKiosk/Resources/js/elements/signature-ink.js';

const file = new URL('../../Fixtures/Signature/pen.json', import.meta.url);
const fixture = JSON.parse(readFileSync(file, 'utf8'));

/** A drawing context that notes each line as [x, y, x, y, width]. */
const lines = [];
let from = [0, 0];
const context = {
  lineWidth: 0,
  beginPath() {},
  moveTo(x, y) { from = [x, y]; },
  lineTo(x, y) { lines.push([...from, x, y, this.lineWidth]); },
  stroke() {},
};

const ink = new Ink();
ink.strokes = fixture.strokes.map((stroke) => stroke.map(([x, y, t, p]) => ({ x, y, t, p })));
ink.drawAll(context, fixture.width, fixture.height);

if (process.argv.includes('--write')) {
  const text = (values) => values.map((each) => `    ${JSON.stringify(each)}`).join(',\n');
  const rounded = lines.map((line) => line.map((number) => Math.round(number * 1e6) / 1e6));
  writeFileSync(file, `{\n  "width": ${fixture.width},\n  "height": ${fixture.height},\n  "strokes": [\n${text(fixture.strokes)}\n  ],\n  "lines": [\n${text(rounded)}\n  ]\n}\n`);
} else {
  const isSame = lines.length === fixture.lines.length && lines.every((line, i) => line.every((number, k) => Math.abs(number - fixture.lines[i][k]) < 1e-5));
  if (!isSame) {
    console.error("The page's pen draws other lines than Tests/Fixtures/Signature/pen.json has.");
    process.exit(1);
  }
}
