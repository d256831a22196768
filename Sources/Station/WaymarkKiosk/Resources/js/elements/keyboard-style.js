// The style of the on-screen keyboard. Colours and sizes are the page's tokens (css/tokens.css).

export const keyboardStyle = new CSSStyleSheet();
keyboardStyle.replaceSync(`
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
:host { position: fixed; inset: auto 0 0 0; width: 100%; max-width: none; margin: 0; border: 0; padding: var(--s2) max(var(--s1), env(safe-area-inset-right)) calc(var(--s2) + env(safe-area-inset-bottom)) max(var(--s1), env(safe-area-inset-left)); background: var(--surface-sunken); color: var(--text); border-top: 1px solid var(--line-strong); overflow: visible; font: inherit; user-select: none; -webkit-user-select: none; }
:host(:popover-open) { animation: up var(--quick) var(--out); }
@keyframes up { from { transform: translateY(20%); } }
.keys { display: grid; gap: .375rem; width: min(100%, 64rem); margin: 0 auto; }
.row { display: flex; gap: .25rem; justify-content: center; }
.key { flex: 1 1 0; min-width: 0; max-width: 7rem; min-height: max(3rem, 48px); padding: 0 .1rem; border: 1px solid var(--line-strong); border-radius: .5rem; background: var(--surface-raised); color: var(--text); font: inherit; font-size: 1.2rem; line-height: 1; display: grid; place-content: center; cursor: pointer; touch-action: none; position: relative; overflow: hidden; }
.key.other { font-size: 1rem; font-weight: 600; background: var(--surface); flex-grow: 1.4; max-width: 9rem; }
.key.wide { flex-grow: 2; }
.key.go { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
.key.space { flex-grow: 5; max-width: none; font-size: .9rem; color: var(--text-soft); }
.key.none { visibility: hidden; }
.key.once, .key.lock { background: var(--accent-soft); border-color: var(--accent); }
.key.lock { box-shadow: inset 0 -.25rem 0 var(--accent); }
.key.down { background: var(--accent-soft); border-color: var(--accent); }
.key.go.down { background: var(--accent-strong); }
.key[data-more]::after { content: ""; position: absolute; right: .25rem; top: .25rem; width: .25rem; height: .25rem; border-radius: 50%; background: var(--line-strong); }
.keys[data-layer="numeric"], .keys[data-layer="decimal"], .keys[data-layer="tel"] { width: min(100%, 34rem); }
.keys:is([data-layer="numeric"], [data-layer="decimal"], [data-layer="tel"]) .key { flex: 1 1 0; max-width: none; }
.held { position: absolute; display: flex; gap: .25rem; padding: .375rem; border-radius: .625rem; background: var(--surface-raised); border: 2px solid var(--accent); box-shadow: var(--high); }
.held .key { min-width: max(3rem, 48px); }
.icon { width: 1.5rem; height: 1.5rem; display: block; }
@media (max-height: 31rem) { :host { padding-block: .25rem; } .keys { gap: .2rem; } .keys[data-layer="letters"] .row:first-child { display: none; } }
@media (max-height: 24rem) { .key { min-height: 2.4rem; } }
@media (max-width: 40rem) { .row { gap: .1875rem; } .key { border-radius: .375rem; font-size: 1.1rem; } .key.other { font-size: .85rem; } }
@media (prefers-reduced-motion: reduce) { :host(:popover-open) { animation: none; } }
`);
