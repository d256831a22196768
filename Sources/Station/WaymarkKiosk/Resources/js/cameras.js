// The cameras of the device: the camera of each view, its status, and the codes that are followed in it.
import { command } from './api.js';

/** A camera: its commands and its state. The name is null if the device has only one camera. */
export class Camera {
  status = 'closed';
  torch = false;
  /** The codes that are followed in it, by their numbers. @type {Map<number, import('waymark').CodeFound>} */
  codes = new Map();

  /** @param {string | null} name */
  constructor(name) { this.name = name; }

  /**
   * Sends a command of this camera.
   * @template {keyof import('waymark').Methods} Method
   * @param {Method} method
   * @param {Omit<import('waymark').Methods[Method]['params'], 'camera'>} [params]
   */
  command(method, params) { return command(method, this.name === null ? params : { ...params, camera: this.name }); }

  /** True if an event is about this camera. */
  isOf(event) { return this.name === null || event.camera === undefined || event.camera === this.name; }
}

export class Cameras {
  #all = [new Camera(null)];
  #isReported = false;
  /** The names of the cameras that views use, as the integrator has set them. @type {Record<string, string>} */
  views = {};

  /**
   * Applies the state that the service reports.
   * @param {import('waymark').Snapshot} snapshot
   */
  take({ camera, codes, cameras }) {
    this.#isReported = true;
    const known = new Map(this.#all.map((one) => [one.name, one]));
    const [first] = this.#all;
    this.#all = (cameras ?? [{ name: null, camera, codes }]).map((one, index) => {
      // A view keeps the camera that it holds.
      const kept = known.get(one.name) ?? (index === 0 && first.name === null ? first : new Camera(one.name));
      return Object.assign(kept, { name: one.name, status: one.camera.status, codes: new Map((one.codes ?? []).map((code) => [code.code, code])) });
    });
  }

  /** Notes which cameras have a light, from the result of `camera.list`. */
  learn(devices) {
    for (const one of this.#all) one.torch = Boolean(devices.find((device) => (one.name === null ? device.selected : device.camera === one.name))?.torch);
  }

  /** The camera that an event is about. */
  of(event) { return this.#all.find(({ name }) => name === event.camera) ?? this.#all[0]; }

  /**
   * The camera of a view: the one that the integrator set, else `otherwise`; the first camera if that does not exist.
   * @param {string} view
   * @param {string} [otherwise]
   */
  for(view, otherwise) {
    const wanted = this.views[view] ?? otherwise;
    let found = this.#all.find(({ name }) => name !== null && name === wanted);
    // Until the service has reported its cameras, the integrator's setting holds.
    if (!found && wanted && !this.#isReported) this.#all.push(found = new Camera(wanted));
    return found ?? this.#all[0];
  }
}
