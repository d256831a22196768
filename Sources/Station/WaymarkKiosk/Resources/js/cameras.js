// The cameras of the device: which one a view uses, how it is, and what is followed in it.
import { command } from './api.js';

/** A camera: commands that go to it, and what is known of it. The only one of a device has no name. */
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

  /** Whether an event is of this camera. */
  isOf(event) { return this.name === null || event.camera === undefined || event.camera === this.name; }
}

export class Cameras {
  #all = [new Camera(null)];
  #told = false;
  /** The names of the cameras that views use, as the integrator has set them. @type {Record<string, string>} */
  views = {};

  /**
   * Takes over how the service says that things stand.
   * @param {import('waymark').Snapshot} snapshot
   */
  take({ camera, codes, cameras }) {
    this.#told = true;
    const known = new Map(this.#all.map((one) => [one.name, one]));
    const [first] = this.#all;
    this.#all = (cameras ?? [{ name: null, camera, codes }]).map((one, index) => {
      // A view keeps the camera that it holds.
      const kept = known.get(one.name) ?? (index === 0 && first.name === null ? first : new Camera(one.name));
      return Object.assign(kept, { name: one.name, status: one.camera.status, codes: new Map((one.codes ?? []).map((code) => [code.code, code])) });
    });
  }

  /** Takes over what `camera.list` tells of lights. */
  learn(devices) {
    for (const one of this.#all) one.torch = Boolean(devices.find((device) => (one.name === null ? device.selected : device.camera === one.name))?.torch);
  }

  /** The camera that an event is of. */
  of(event) { return this.#all.find(({ name }) => name === event.camera) ?? this.#all[0]; }

  /**
   * The camera that a view uses; the first one where neither the integrator nor `otherwise` names one that there is.
   * @param {string} view
   * @param {string} [otherwise]
   */
  for(view, otherwise) {
    const wanted = this.views[view] ?? otherwise;
    let found = this.#all.find(({ name }) => name !== null && name === wanted);
    // Before the service has told of its cameras, the integrator's word holds.
    if (!found && wanted && !this.#told) this.#all.push(found = new Camera(wanted));
    return found ?? this.#all[0];
  }
}
