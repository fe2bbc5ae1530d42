import type { Collection } from 'mongodb';
import type { ConditionWord, PhoneConditions } from '../../phone/conditions.js';
import type { DeviceDocument } from './device-document.js';

/** The conditions that change. null removes a condition, so that the phone's own value is in force again. */
export type ConditionsChange = { [K in ConditionWord]?: NonNullable<PhoneConditions[K]> | null };

/** What owners set on devices without a job: labels, timeline, idle time and conditions. Proxies, too, where a new key seals them. */
export class DeviceSettings {
  readonly #devices: Collection<DeviceDocument>;

  constructor(devices: Collection<DeviceDocument>) {
    this.#devices = devices;
  }

  /** Replaces the labels that a device had when it was read. Returns false where it has other labels by now, or has gone. */
  async replaceLabels({ _id, labels }: Pick<DeviceDocument, '_id' | 'labels'>, wanted: string[]): Promise<boolean> {
    const { matchedCount } = await this.#devices.updateOne(
      { _id, gone: { $exists: false }, labels: labels ?? { $exists: false } },
      wanted.length === 0 ? { $unset: { labels: '' } } : { $set: { labels: wanted } },
    );
    return matchedCount === 1;
  }

  /** Switches the timeline of a device on or off. */
  async setTimeline(phoneId: string, isOn: boolean): Promise<void> {
    await this.#devices.updateOne({ _id: phoneId }, isOn ? { $set: { timeline: true } } : { $unset: { timeline: '' } });
  }

  /** Sets the idle time of a device, s, which begins now; 0 removes it. Returns undefined where the device has gone. */
  async setIdleStop(phoneId: string, idleStopS: number, now: Date): Promise<DeviceDocument | undefined> {
    const changed = await this.#devices.findOneAndUpdate(
      { _id: phoneId, gone: { $exists: false } },
      idleStopS === 0 ? { $unset: { idleStopS: '', usedAt: '' } } : { $set: { idleStopS, usedAt: now } },
      { returnDocument: 'after' },
    );
    return changed ?? undefined;
  }

  /**
   * Sets conditions of a device, and removes those that are null; others stay. Returns undefined where the state or start of the device
   * has changed since it was read, or another process drives it.
   */
  async changeConditions(device: DeviceDocument, change: ConditionsChange): Promise<DeviceDocument | undefined> {
    const { _id, hostId, fence, state, generation } = device;
    const set = Object.entries(change).filter(([, value]) => value !== null);
    const unset = Object.entries(change).filter(([, value]) => value === null);
    const changed = await this.#devices.findOneAndUpdate(
      { _id, hostId, fence, state, generation, gone: { $exists: false } },
      {
        ...(set.length > 0 && { $set: Object.fromEntries(set.map(([name, value]) => [`conditions.${name}`, value])) }),
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map(([name]) => [`conditions.${name}`, ''])) }),
      },
      { returnDocument: 'after' },
    );
    return changed ?? undefined;
  }

  /**
   * Replaces the stored proxies of customers, also the one that a job is to give to a device. Each is replaced by one update of the proxy
   * that was read, so that a change at the same time wins. `by` returns undefined for a proxy that stays.
   */
  async replaceProxies(by: (phoneId: string, proxy: string) => string | undefined): Promise<void> {
    // A job that ends meanwhile moves its proxy to the device, so the device's is read last.
    for (const field of ['job.work.exit.proxy', 'exit.proxy'] as const) {
      const stored = this.#devices.find({ [field]: { $exists: true } }, { projection: { exit: 1, job: 1 } });
      for await (const { _id, exit, job } of stored) {
        const ofJob = job?.work?.kind === 'network' ? job.work.exit.proxy : undefined;
        const proxy = field === 'exit.proxy' ? exit.proxy : ofJob;
        const replaced = proxy === undefined ? undefined : by(_id, proxy);
        if (replaced !== undefined)
          await this.#devices.updateOne({ _id, [field]: proxy }, { $set: { [field]: replaced } });
      }
    }
  }
}
