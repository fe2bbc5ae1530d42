import type { CloudPhone, components, Job } from '../client/src/index.js';
import type { CheckOptions } from './config.js';
import { CheckedPhone } from './checked-phone.js';
import { demand } from './demand.js';
import { statusOf } from './status-of.js';
import type { StockAdb } from './stock-adb.js';

export type Model = components['schemas']['Model'];

/** The service under the check, and the devices that rows of the check have made in it. */
export class CheckedPhones {
  readonly api: CloudPhone;
  readonly adb: StockAdb;
  readonly model: Model;
  readonly options: CheckOptions;
  /** Part of every name, so that two checks of one account do not meet. */
  readonly #run: string;
  readonly #made = new Map<string, CheckedPhone>();

  constructor(parts: { api: CloudPhone; adb: StockAdb; model: Model; options: CheckOptions; run: string }) {
    this.api = parts.api;
    this.adb = parts.adb;
    this.model = parts.model;
    this.options = parts.options;
    this.#run = parts.run;
  }

  /** The name of a device of this check: `check-<run>-<which>`. */
  nameOf(which: string): string {
    return `check-${this.#run}-${which}`;
  }

  /** The device that an earlier row made. Throws where that row failed. */
  get(which: string): CheckedPhone {
    const phone = this.#made.get(which);
    demand(phone !== undefined, `the phone "${which}" was not made, see above`);
    return phone;
  }

  /** Returns the status of GET of a device, which is 404 once it is gone. */
  statusOf(name: string): Promise<number> {
    return this.api.request('GET', `/v1/devices/${name}`).then(({ status }) => status, statusOf);
  }

  /** Makes a device and waits until it runs. */
  async create(which: string): Promise<CheckedPhone> {
    const { model, android } = this.options;
    const name = this.nameOf(which);
    const { job } = await this.api.post('/v1/devices', {
      body: { ...(await this.terms()), name, model, ...(android !== undefined && { android }) },
      params: { header: { 'Idempotency-Key': name } },
    });
    return this.made(which, name, job);
  }

  /** The plan and the exit of the check's devices. */
  async terms() {
    const { options } = await this.api.get('/v1/network/options');
    const offered = options.filter(({ drivers }) => drivers.includes(this.model.driver));
    const exit = offered.find(({ type }) => type === 'direct') ?? offered[0];
    demand(
      exit !== undefined && exit.type !== 'custom',
      `GET /v1/network/options lists no exit for driver ${this.model.driver}`,
    );
    return { plan: 'minute', network: { type: exit.type, country: exit.country } } as const;
  }

  /** Notes a device that a job makes, and waits for the job. The check deletes the device at its end, even when the job fails. */
  async made(which: string, name: string, job: Job): Promise<CheckedPhone> {
    const phone = new CheckedPhone(this.api, this.adb, name, this.options);
    this.#made.set(which, phone);
    await phone.wait(job);
    return phone;
  }

  /** Deletes a device; one that is gone is no error. */
  async delete(which: string): Promise<void> {
    const phone = this.get(which);
    await phone.delete();
    this.#made.delete(which);
  }

  /** Deletes the devices that are left; returns the names of devices that could not be deleted. */
  async deleteAll(): Promise<string[]> {
    const left: string[] = [];
    for (const which of [...this.#made.keys()]) {
      await this.delete(which).catch(() => left.push(this.nameOf(which)));
    }
    return left;
  }
}
