// The users of the device, as `account.state` of the service reports them.
import { command } from './api.js';

/**
 * The accounts of the page: the state that the service reports, and the requests to change it. `send` resolves to the new state,
 * or to `null` if the service refused the request, which the screen shows as a problem.
 */
export class Account {
  state = null;
  policy = null;
  #changed;

  constructor(changed) { this.#changed = changed; }

  /** True if a user has to sign in, or to finish onboarding, before anything else. */
  get gated() { return Boolean(this.state) && !['off', 'signedIn', 'demo'].includes(this.state.phase); }

  /** The time at which the data of the signed-in user was last synchronized; null if it never was. @type {Date | null} */
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
      // Every new state comes as an event, and an answer may be older than the event that came before it.
      return await command(method, params);
    } catch (error) {
      if (this.state) { this.state = { ...this.state, problem: { code: error.code } }; this.#changed(); }
      return null;
    }
  }

  /** Signs the user out and leaves an unfinished step, as the visitor is gone. A device without passcodes keeps its user. */
  abandon() {
    const phase = this.state?.phase;
    if (!phase || ['off', 'signIn'].includes(phase) || (phase === 'signedIn' && !this.policy?.modules?.includes('passcode'))) return;
    if (phase === 'welcome' && this.state.purpose === 'first') return;
    command('account.leave').catch(() => {});
  }
}
