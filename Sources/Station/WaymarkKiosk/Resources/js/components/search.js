// The search of the service within the guide of a view.

const RETRY_MS = 2000;
const SETTLE_MS = 250;

/**
 * Runs one search at a time within the guide of a view. The search is begun, begun again when the guide's position in the frame
 * changes, and retried when it fails.
 *
 * `begin(limits)` begins a search of the service, with the guide as shares of the frame or `null`, and resolves to its id;
 * `cancel(id)` ends one that is no longer needed; `take(event)` handles the events of the search. No search is begun while
 * `isOver()` is true, and none is moved while `isShowing()` is true. `onarm()` is called before a search is begun, `onbegun()`
 * after that, and `onfail(error)` if it failed.
 */
export function guidedSearch({ stage, frame, begin, cancel, take, isOver, isShowing, onarm = () => {}, onbegun = () => {}, onfail }) {
  let id = null;
  let limits = null;
  /** The events that arrive before the answer to `begin`, which contains the id of the search. */
  let early = null;
  let again = false;
  /** A part of the frame that is searched instead of the guide, as shares; null for the guide. */
  let only = null;
  let stopped = false;
  let timer = 0;
  let settling = 0;

  const later = (work, ms) => { clearTimeout(timer); timer = setTimeout(work, ms); };

  /** The guide as shares of the frame: codes outside of it are ignored. */
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

  /** Begins the search again if the guide's position in the frame has changed. */
  function refit() {
    if (stopped || id === null || only || isShowing()) return;
    const now = region();
    if (now && JSON.stringify(now) !== JSON.stringify(limits)) arm();
  }

  const observer = new ResizeObserver(() => { clearTimeout(settling); settling = setTimeout(refit, SETTLE_MS); });

  return {
    /** The id of this view's search, or `null`; events of other searches are ignored. */
    get id() { return id; },
    /** The part of the frame that is searched, as shares. */
    get limits() { return limits; },
    /** The guide as shares of the frame. */
    get guide() { return region(); },
    arm,
    /** True if only a part of the frame is searched. */
    get isNarrow() { return only !== null; },
    /** Searches only a part of the frame, given as shares, or with `null` the guide again. */
    narrow(part) { only = part; arm(); },
    refit,
    /** Calls a function after a time, instead of the one that was scheduled before. */
    later,
    /** Cancels the scheduled function. */
    wait() { clearTimeout(timer); },
    /** Handles an event of the service. */
    hear(event) { if (early) early.push(event); else take(event); },
    /** Sets the id after the search has ended, or was replaced by another one. */
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
