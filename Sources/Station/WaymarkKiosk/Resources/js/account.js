// Whose device it is: the page's end of the service's `account.state`.
import { command } from './api.js';

/**
 * The accounts of the page: the state that the service reports, and the requests to change it. `send` gives the new state, or `null` where the
 * service refused, which is shown as a problem of the screen.
 */
export class Account {
  state = null;
  policy = null;
  #changed;

  constructor(changed) { this.#changed = changed; }

  /** Whether somebody has to sign in before anything else. */
  get gated() { return Boolean(this.state) && !['off', 'signedIn', 'demo'].includes(this.state.phase); }

  /** When the data of who is signed in was last synchronized. @type {Date | null} */
  get synced() { return this.state?.synced ? new Date(this.state.synced) : null; }

  async take(state, fresh = false) {
    const same = JSON.stringify(state ?? null) === JSON.stringify(this.state);
    this.state = state ?? null;
    const renew = Boolean(this.state) && (fresh || !this.policy);
    if (renew) this.policy = await command('account.policy').catch(() => null);
    if (!same || renew) this.#changed();
  }

  async send(method, params = {}) {
    try {
      // Every new state is told by an event, and an answer may be older than the event that came before it.
      return await command(method, params);
    } catch (error) {
      if (this.state) { this.state = { ...this.state, problem: { code: error.code } }; this.#changed(); }
      return null;
    }
  }

  /** Nobody is there any more: nobody stays signed in, nothing half done is left, but for a device without passcodes. */
  abandon() {
    const phase = this.state?.phase;
    if (!phase || ['off', 'signIn'].includes(phase) || (phase === 'signedIn' && !this.policy?.modules?.includes('passcode'))) return;
    if (phase === 'welcome' && this.state.purpose === 'first') return;
    command('account.leave').catch(() => {});
  }
}
