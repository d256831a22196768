// The style of the signature field. Colours and sizes are the page's tokens (css/tokens.css).

export const signatureStyle = new CSSStyleSheet();
signatureStyle.replaceSync(`
*, *::before, *::after { box-sizing: border-box; }
:host { display: block; color: var(--text); min-width: 0; scroll-margin-block: var(--s4); }
:host([hidden]), [hidden] { display: none !important; }
p { margin: 0; }
.cell { display: grid; gap: var(--s2); }
.header { display: flex; align-items: center; justify-content: space-between; gap: var(--s3); min-height: var(--target); }
.cell > div:first-child { display: grid; gap: var(--s2); }
.signer { overflow-wrap: anywhere; }
.label { font-weight: 600; }
:host([data-wrong]) .label, .star { color: var(--bad); }
.purpose { color: var(--text-soft); }
.box { position: relative; height: clamp(9rem, 26vh, 16rem); border: 2px solid var(--line-strong); border-radius: var(--radius-small); overflow: hidden; background: var(--code-paper); color: var(--code-ink); }
:host([data-wrong]) .box { border-color: var(--bad); }
:host([data-state="active"]) .box, :host([data-state="signed"]) .box { border-color: var(--accent); }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
/* Fingers scroll the page, except while the field is active: then they draw. */
:host([data-state="active"]) .tail, :host([data-state="signed"]) .tail { touch-action: none; cursor: crosshair; }
.line { position: absolute; left: 8%; right: 8%; bottom: 24%; border-bottom: 2px solid var(--line-strong); color: var(--line-strong); line-height: 1; padding-bottom: .2rem; font-size: 1.2rem; pointer-events: none; }
.scrim { position: absolute; inset: 0; width: 100%; border: 0; padding: 0; font: inherit; font-weight: 600; display: grid; place-content: center; background: var(--surface-sunken); color: var(--accent); cursor: pointer; }
.tap { display: inline-flex; align-items: center; gap: var(--s2); }
:host([data-state="saved"]) .box { background: var(--code-paper); border-style: dashed; }
:host([data-state="saved"]) canvas { opacity: .62; }
.footer { display: flex; flex-wrap: wrap; gap: var(--s3); justify-content: flex-end; }
.message { display: flex; gap: .4rem; align-items: start; min-height: 1.45em; font-size: .95rem; color: var(--text-soft); }
.message[data-kind="error"] { color: var(--bad); font-weight: 600; }
.message[data-kind="success"] { color: var(--good); font-weight: 600; }
.message .icon { width: 1.3em; height: 1.3em; margin-top: .08em; }
.icon { width: 1.5rem; height: 1.5rem; flex: none; display: block; }
.button { display: inline-flex; align-items: center; justify-content: center; gap: var(--s2); min-height: var(--target); min-width: var(--target); padding: var(--s2) var(--s5); border: 2px solid var(--line-strong); border-radius: var(--round); background: var(--surface-raised); color: var(--text); font: inherit; font-weight: 600; cursor: pointer; touch-action: manipulation; }
.button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
.button.quiet { background: transparent; border-color: transparent; color: var(--accent); padding-inline: var(--s3); }
.button:disabled { background: var(--surface-sunken); border-color: var(--line); color: var(--text-soft); cursor: default; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
.scrim:focus-visible { outline-offset: -5px; }
.cell > .button { justify-self: start; }
.add { width: 100%; }

:host([variant="full"]) { flex: 1; min-height: 0; display: flex; }
:host([variant="full"]) .cell { flex: 1; min-height: 0; grid-template-rows: auto 1fr auto auto; padding: var(--s3) max(var(--s5), env(safe-area-inset-left)) calc(var(--s3) + env(safe-area-inset-bottom)); }
:host([variant="form"]) .header { min-height: 0; }
:host([variant="full"]) .header { display: none; }
:host([variant="full"]) .box { height: auto; min-height: min(7rem, 24vh); grid-row: 2; }
:host([variant="full"]) .footer { grid-row: 3; }
:host([variant="full"]) .message { grid-row: 4; }
:host([variant="full"]) .message:empty { display: none; }
`);
