import { ORPHAN_GRACE_MS, STEP_MS } from '../limits.js';
import type { ListedPhone } from '../phones/phone-drivers.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import type { ConvergeContext } from './converge-context.js';

/**
 * Handles the phones of this host that none of its devices has.
 *
 * A phone without any device is an orphan. It is removed after a grace time, with a warning at each comparison. Nothing is removed while
 * no device of the host is known, as then the database is more likely the wrong one.
 *
 * A phone whose device belongs to another host was given up when this host was forgotten. It is stopped, as no caller can reach it or
 * pays for it. It is kept, as it is the only copy of its customer's data.
 */
export class UnownedPhones {
  readonly #context: Pick<ConvergeContext, 'devices' | 'drivers' | 'hostId' | 'clock' | 'log'>;
  /** When each orphan was first seen. */
  readonly #sinceMs = new Map<string, number>();

  constructor(context: Pick<ConvergeContext, 'devices' | 'drivers' | 'hostId' | 'clock' | 'log'>) {
    this.#context = context;
  }

  /** Removes or stops each of `phones` that is not in `known`, the phones of this host's devices. Throws when the database is away. */
  async seeTo(
    phones: ReadonlyMap<string, ListedPhone>,
    known: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { devices, hostId } = this.#context;
    const unowned = [...phones].filter(([phoneId]) => !known.has(phoneId));
    const unownedIds = new Set(unowned.map(([phoneId]) => phoneId));
    for (const phoneId of this.#sinceMs.keys()) if (!unownedIds.has(phoneId)) this.#sinceMs.delete(phoneId);
    if (unowned.length === 0) return;
    // Devices are read after the phones were listed. A device is inserted before its phone is made, so a phone without one now is an
    // orphan.
    const found = (await devices.findByIds([...unownedIds])).filter(({ gone }) => gone !== true);
    const hostOf = new Map(found.map(({ _id, hostId: of }) => [_id, of]));
    for (const [phoneId, phone] of unowned) {
      // A phone of unknown state would hold up the others for the whole time limit.
      if (phone.status.state === 'unknown') continue;
      const of = hostOf.get(phoneId);
      if (of === undefined) await this.#removeOrphan(phoneId, phone, known.size > 0, signal);
      else if (of !== hostId && !['stopped', 'absent'].includes(phone.status.state))
        await this.#stop(phoneId, phone, of, signal);
    }
  }

  async #removeOrphan(phoneId: string, { kind }: ListedPhone, mayRemove: boolean, signal: AbortSignal): Promise<void> {
    const { drivers, clock, log } = this.#context;
    const sinceMs = this.#sinceMs.get(phoneId) ?? clock.now();
    this.#sinceMs.set(phoneId, sinceMs);
    const removed = mayRemove && clock.now() - sinceMs >= ORPHAN_GRACE_MS;
    log.warn({ phone: phoneId, removed }, 'a phone belongs to no device');
    if (!removed) return;
    try {
      const driver = drivers.of({ driver: kind });
      await within(hostLimit(clock, STEP_MS.delete, signal), (limited) => driver.delete(phoneId, { signal: limited }));
    } catch (error) {
      log.warn({ phone: phoneId, err: error }, 'could not remove a phone that belongs to no device; trying again');
    }
  }

  async #stop(phoneId: string, { kind }: ListedPhone, host: string, signal: AbortSignal): Promise<void> {
    const { drivers, clock, log } = this.#context;
    log.warn({ phone: phoneId, host }, 'stopping a phone whose device belongs to another host: this one was forgotten');
    try {
      const driver = drivers.of({ driver: kind });
      await within(hostLimit(clock, STEP_MS.stop, signal), (limited) =>
        driver.stop(phoneId, 'save', { signal: limited }),
      );
    } catch (error) {
      log.warn({ phone: phoneId, err: error }, 'could not stop a phone of another host; trying again');
    }
  }
}
