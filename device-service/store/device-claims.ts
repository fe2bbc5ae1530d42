import type { Collection, Filter } from 'mongodb';
import { type DeviceChange, toUpdate } from './device-change.js';
import { type DeviceDocument, type DeviceStateWord, type Job, nameKey, type PlanWord } from './device-document.js';
import { mayChange } from './may-change.js';
import { type Seen, seenFilter } from './seen.js';

const UNSET = { $exists: false };

/**
 * Accepts jobs on devices. Each method is one conditional update that puts a job on an idle device, so of several callers one gets it. Each
 * returns undefined when the claim was lost.
 */
export class DeviceClaims {
  readonly #devices: Collection<DeviceDocument>;

  constructor(devices: Collection<DeviceDocument>) {
    this.#devices = devices;
  }

  /**
   * Claims a device that is in one of `from`. With `keyId`, only where that key or session may change it. A program in a session claims no
   * device that is handed over.
   */
  byId(
    phoneId: string,
    from: readonly DeviceStateWord[],
    job: Job,
    change: DeviceChange,
    { keyId, isProgram = false }: { keyId?: string | undefined; isProgram?: boolean } = {},
  ): Promise<DeviceDocument | undefined> {
    const may = keyId === undefined ? {} : mayChange(keyId);
    const free = isProgram ? { handover: UNSET } : {};
    return this.#claim({ _id: phoneId, ...free, ...may }, from, job, change);
  }

  /** Claims a running device for a stop, unless it was used, started or taken by another process since it was read. */
  unused(device: DeviceDocument, job: Job, change: DeviceChange): Promise<DeviceDocument | undefined> {
    const { _id, hostId, fence, generation, idleStopS = 0 } = device;
    const { usedAt = UNSET, adbLentUntil = UNSET } = device;
    const found = { _id, hostId, fence, generation, idleStopS, usedAt, adbLentUntil, lease: UNSET, handover: UNSET };
    return this.#claim(found, ['running'], job, change);
  }

  /** Claims a device for a job of the operator, unless its host, state or start has changed since it was read. */
  asRead(device: DeviceDocument, job: Job, change: DeviceChange): Promise<DeviceDocument | undefined> {
    const { _id, hostId, generation, state } = device;
    return this.#claim({ _id, hostId, generation }, [state], job, change);
  }

  /** Claims a device by name, which is not handed over, for a key or session; `seen` and `plan` limit the claim further. */
  byName(
    query: { accountId: string; name: string; keyId: string; seen: Seen | undefined; plan: PlanWord | undefined },
    from: readonly DeviceStateWord[],
    job: Job,
    change: DeviceChange,
  ): Promise<DeviceDocument | undefined> {
    const { accountId, name, keyId, seen, plan } = query;
    const named = { nameKey: nameKey(accountId, name), handover: UNSET, ...(plan !== undefined && { plan }) };
    return this.#claim({ $and: [named, mayChange(keyId), seenFilter(seen)] }, from, job, change);
  }

  async #claim(
    which: Filter<DeviceDocument>,
    from: readonly DeviceStateWord[],
    job: Job,
    change: DeviceChange,
  ): Promise<DeviceDocument | undefined> {
    const update = toUpdate(change);
    const claimed = await this.#devices.findOneAndUpdate(
      { ...which, state: { $in: [...from] }, gone: UNSET, job: UNSET },
      { ...update, $set: { ...update.$set, job } },
      { returnDocument: 'after' },
    );
    return claimed ?? undefined;
  }
}
