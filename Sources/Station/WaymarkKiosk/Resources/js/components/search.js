// What a view with a guide has the service look for.

const RETRY_MS = 2000;
const SETTLE_MS = 250;

/**
 * One search at a time within the guide of a view: begun, started over when the guide comes to lie elsewhere in the frame, and tried again when
 * it cannot be had. Of two at a time it would be unclear which one counts.
 *
 * `begin(limits)` asks the service, with the guide as shares of the frame or `null`, and gives the search's id; `cancel(id)` takes one back
 * that nobody waits for any more; `take(event)` gets what the service tells as soon as it is known whose it is. Nothing is begun while
 * `isOver()`, nothing moved while `isShowing()`. `onarm()` comes before a search is begun, `onbegun()` after it, and `onfail(error)` when it was not.
 */
export function guidedSearch({ stage, frame, begin, cancel, take, isOver, isShowing, onarm = () => {}, onbegun = () => {}, onfail }) {
  let id = null;
  let limits = null;
  /** What came in while the answer to `begin` was on its way: only then is it known whose it is. */
  let early = null;
  let again = false;
  /** A part of the frame that is looked at instead of the guide. */
  let only = null;
  let stopped = false;
  let timer = 0;
  let settling = 0;

  const later = (work, ms) => { clearTimeout(timer); timer = setTimeout(work, ms); };

  /** Where the guide is, as shares of the frame: what lies outside of it does not count. */
  function region() {
    const live = stage.live;
    if (!live || !frame.getClientRects().length) return null;
    const outer = stage.node.getBoundingClientRect();
    const box = frame.getBoundingClientRect();
    const shares = live.shares({ left: box.left - outer.left, top: box.top - outer.top, width: box.width, height: box.height }, stage.size);
    return shares[2] > 0 && shares[3] > 0 ? shares : null;
  }

  async function arm() {
    clearTimeout(timer);
    if (stopped || isOver()) return;
    if (early) { again = true; return; }
    onarm();
    // The replaced scan is reported as cancelled and then ignored.
    id = null;
    limits = only ?? region();
    early = [];
    try {
      const begun = await begin(limits);
      if (stopped) { cancel(begun); return; }
      id = begun;
      onbegun();
      const came = early;
      early = null;
      if (again) { again = false; arm(); return; }
      for (const event of came) take(event);
      refit();
    } catch (error) {
      early = null;
      if (stopped) return;
      if (again) { again = false; arm(); return; }
      onfail(error);
      later(arm, RETRY_MS);
    }
  }

  /** The screen or the picture has another shape: the guide lies elsewhere in the frame. */
  function refit() {
    if (stopped || id === null || only || isShowing()) return;
    const now = region();
    if (now && JSON.stringify(now) !== JSON.stringify(limits)) arm();
  }

  const observer = new ResizeObserver(() => { clearTimeout(settling); settling = setTimeout(refit, SETTLE_MS); });

  return {
    /** The search that is this view's, or `null`; events of any other belong to somebody else. */
    get id() { return id; },
    /** Within what it looks, as shares of the frame. */
    get limits() { return limits; },
    /** Where the guide is, as shares of the frame. */
    get guide() { return region(); },
    arm,
    /** Whether a part of the frame is looked at alone. */
    get isNarrow() { return only !== null; },
    /** Looks at a part of the frame alone, as shares of it, or with `null` at the guide again. */
    narrow(part) { only = part; arm(); },
    refit,
    /** Does something after a while, instead of what was to be done then. */
    later,
    /** Nothing is to be done later. */
    wait() { clearTimeout(timer); },
    /** An event of the service. */
    hear(event) { if (early) early.push(event); else take(event); },
    /** The search has ended, or there is another one in its place. */
    replace(next = null) { id = next; },
    start() { observer.observe(frame); arm(); },
    stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(settling);
      observer.disconnect();
    },
  };
}
