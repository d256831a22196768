// Synthesizes short cues: a rising pair for successful, a falling pair for invalid, a low note for unsuccessful, a tick for each counted
// code.
let context = null;
/** The timer that suspends the audio device two seconds after the last sound. */
let resting = 0;
const rest = () => { clearTimeout(resting); resting = window.setTimeout(() => { context.suspend().catch(() => {}); }, 2000); };
// Creating a context blocks the page for a while, so that it is done before a view scans.
(window.requestIdleCallback ?? setTimeout)(() => { try { context ??= new AudioContext(); rest(); } catch { /* Without sound, then. */ } });

/** True if sounds are off; they are on again for the next visitor. */
export const isMuted = () => sessionStorage.getItem('muted') === 'yes';
export function mute(on) { if (on) sessionStorage.setItem('muted', 'yes'); else sessionStorage.removeItem('muted'); }

const CUES = {
  successful: [[880, 0, .12], [1320, .12, .2]],
  invalid: [[440, 0, .14], [311, .15, .24]],
  counted: [[1175, 0, .06]],
  unsuccessful: [[294, 0, .25]],
};

/** Plays the cue of an outcome, as far as the browser lets pages make sound; what is shown does not wait for the sound. */
export function cue(outcome) { setTimeout(() => play(outcome)); }

function play(outcome) {
  if (isMuted()) return;
  try {
    context ??= new AudioContext();
    if (context.state === 'suspended') context.resume().catch(() => {});
    rest();
    for (const [frequency, at, length] of CUES[outcome] ?? []) {
      const start = context.currentTime + at;
      const tone = new OscillatorNode(context, { frequency, type: 'sine' });
      const gain = new GainNode(context, { gain: 0 });
      gain.gain.setValueAtTime(0, start);
      gain.gain.linearRampToValueAtTime(.2, start + .015);
      gain.gain.linearRampToValueAtTime(0, start + length);
      tone.connect(gain).connect(context.destination);
      tone.start(start);
      tone.stop(start + length + .02);
    }
  } catch { /* no audio device: the visible answer is enough */ }
  if (/** @type {any} */ (navigator).userActivation?.hasBeenActive) navigator.vibrate?.({ successful: 60, counted: 20 }[outcome] ?? [40, 60, 40]);
}
