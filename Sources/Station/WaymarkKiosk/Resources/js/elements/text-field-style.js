// The style of a text field. Colours and sizes are the page's tokens (css/tokens.css).

export const fieldStyle = new CSSStyleSheet();
fieldStyle.replaceSync(`
*, *::before, *::after { box-sizing: border-box; }
:host { display: block; font: inherit; color: var(--text); min-width: 0; }
:host([hidden]), [hidden] { display: none !important; }
.field { display: grid; gap: .35rem; }
label { font-weight: 600; }
label .soft { font-weight: 400; color: var(--text-soft); }
.star { color: var(--bad); }
label[data-kind="error"] { color: var(--bad); }
.box { display: flex; align-items: center; min-height: max(3.25rem, 52px); border: 2px solid var(--line-strong); border-radius: var(--radius-small); background: var(--surface-raised); overflow: hidden; transition: border-color var(--quick); }
.box:focus-within { outline: 3px solid var(--focus); outline-offset: 2px; border-color: var(--accent); }
.box[data-kind="error"] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.box[data-kind="warning"] { border-color: var(--warn); }
.box[data-kind="success"] { border-color: var(--good); }
.line { position: relative; flex: 1; min-width: 0; display: flex; }
input, textarea { flex: 1; min-width: 0; width: 100%; font: inherit; color: inherit; border: 0; background: transparent; padding: .7rem .9rem; outline: none; margin: 0; border-radius: 0; resize: none; overflow: hidden; line-height: 1.45; text-overflow: ellipsis; }
input:focus { text-overflow: clip; }
input[type="password"] { letter-spacing: .12em; }
::placeholder { color: var(--text-soft); opacity: 1; }
:host([group]) input, :host([currency]) input, :host([inputmode="numeric"]) input, :host([inputmode="decimal"]) input, :host([inputmode="tel"]) input { font-variant-numeric: tabular-nums; }
:host([readonly]) .box { background: var(--surface-sunken); border-style: dashed; }
:host(:disabled) .box, :host([disabled]) .box { background: var(--surface-sunken); border-color: var(--line); color: var(--text-soft); cursor: not-allowed; }
:host(:disabled) label, :host([disabled]) label { color: var(--text-soft); }
input:disabled, textarea:disabled { cursor: not-allowed; -webkit-text-fill-color: currentcolor; opacity: 1; }
.affix { color: var(--text-soft); white-space: pre; }
.box > .affix { padding-inline-start: .9rem; }
.box > .affix:not([hidden]) + .line input { padding-inline-start: .4rem; }
.box > .affix:not([hidden]) + .line .ghost { padding-inline-start: .4rem; }
.ghost { position: absolute; inset: 0; display: flex; align-items: center; padding-inline: .9rem; pointer-events: none; overflow: hidden; }
.ghost .copy { visibility: hidden; white-space: pre; overflow: hidden; flex: 0 1 auto; min-width: 0; }
.ghost .affix { flex: none; padding-inline-start: .35rem; }
button { flex: none; align-self: stretch; border: 0; background: transparent; color: var(--accent); min-width: max(3rem, 48px); min-height: max(3rem, 48px); display: grid; place-content: center; cursor: pointer; padding: 0; border-radius: .5rem; touch-action: manipulation; }
button.clear { color: var(--text-soft); }
.scan { justify-items: center; gap: .1rem; }
.word { font-size: .75rem; font-weight: 600; line-height: 1; }
button:focus-visible { outline: 3px solid var(--focus); outline-offset: -4px; }
button[aria-pressed="true"] { background: var(--accent-soft); }
.lock { padding-inline: .9rem; color: var(--text-soft); display: grid; }
.icon { width: 1.5rem; height: 1.5rem; display: block; }
.below { display: flex; flex-wrap: wrap; column-gap: .4rem; font-size: .95rem; color: var(--text-soft); min-height: 1.45em; align-items: start; }
.below .icon { width: 1.3em; height: 1.3em; margin-top: .08em; }
/* If message and count do not fit one line, the count gets its own. */
.message { flex: 1 1 11rem; min-width: 0; overflow-wrap: anywhere; }
.message:empty { flex-basis: 0; }
.count { flex: none; max-width: 100%; margin-inline-start: auto; font-variant-numeric: tabular-nums; }
.below[data-kind="error"] .sign, .message.error, .count.error { color: var(--bad); font-weight: 600; }
.below[data-kind="warning"] .sign, .below[data-kind="warning"] .message { color: var(--warn); font-weight: 600; }
.below[data-kind="success"] .sign, .below[data-kind="success"] .message { color: var(--good); font-weight: 600; }
.whole { margin: 0; font-size: .95rem; overflow-wrap: anywhere; padding: .5rem .75rem; border-radius: var(--radius-small); background: var(--bad-soft); color: var(--text); }
.whole bdi { display: block; font-family: ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap; }
.whole mark { background: transparent; color: var(--bad); font-weight: 700; text-decoration: underline; }

:host([variant="title"]) input { font-size: var(--type-title); font-weight: 700; padding-inline: 0; }
:host([variant="title"]) .box { border-width: 0 0 2px; border-radius: 0; background: transparent; }
:host([variant="title"]) label { font-size: var(--type-small); color: var(--text-soft); }
:host([variant="key-value"]) textarea { min-height: 3rem; }
:host([variant="key-value"]:not(:last-child)) textarea { height: calc(3 * 1.45em + 1.4rem); overflow: hidden auto; }
button.both { display: none; }
:host([variant="note"]) label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:host([variant="note"]) textarea { min-height: 7rem; }
:host([variant="note"]) .box, :host([variant="key-value"]) .box { align-items: start; }
:host([variant="note"]) button, :host([variant="key-value"]) button { align-self: start; }
:host([variant="key-value"]) { container-type: inline-size; }
@container (min-width: 34rem) {
  :host([variant="key-value"]) .field { grid-template-columns: minmax(8rem, 30%) 1fr; column-gap: 1rem; }
  :host([variant="key-value"]) label { padding-top: .75rem; }
  :host([variant="key-value"]) .below, :host([variant="key-value"]) .whole { grid-column: 2; }
}
/* On a phone one button opens a menu of both scanners, so that a number of 13 digits fits beside it. */
:host([scan~="barcode"][scan~="text"]) { container-type: inline-size; }
@container (max-width: 22rem) {
  :host([scan~="barcode"][scan~="text"]) button.scan:not(.both) { display: none; }
  button.both { display: grid; }
}
@media (prefers-reduced-motion: reduce) { .box { transition: none; } }
@media (forced-colors: active) { .box { border-color: FieldText; } .box[data-kind="error"] { border-width: 4px; } }
`);
