import type { Clock } from '../../kit/clock.js';
import type { DeviceDocument } from '../store/devices.js';

type Lost = Pick<DeviceDocument, '_id' | 'lostAt'>;

/** The times at which phones that no longer run were last known to run. Kept in memory, for the runs that ended unnoticed. */
export class LostPhones {
  readonly #clock: Clock;
  readonly #seenBefore: Date | undefined;
  readonly #lostMs = new Map<string, number>();

  /** `seenBefore`: when the host's last process was last alive; undefined: it had none. */
  constructor({ clock, seenBefore }: { clock: Clock; seenBefore: Date | undefined }) {
    this.#clock = clock;
    this.#seenBefore = seenBefore;
  }

  has({ _id, lostAt }: Lost): boolean {
    return lostAt !== undefined || this.#lostMs.has(_id);
  }

  /** Returns when the phone was first missed; with `restarted`, when its host's last process was alive. Undefined: not known. */
  find({ _id, lostAt }: Lost, restarted: boolean): number | undefined {
    return lostAt?.getTime() ?? this.#lostMs.get(_id) ?? (restarted ? this.#seenBefore?.getTime() : undefined);
  }

  /** Records a phone as missed, unless it is already, and returns when it was first missed. */
  note(phone: Lost, restarted: boolean): number {
    const lostMs = this.find(phone, restarted) ?? (restarted ? 0 : this.#clock.now());
    if (!this.has(phone)) this.#lostMs.set(phone._id, lostMs);
    return lostMs;
  }

  forget(phoneId: string): void {
    this.#lostMs.delete(phoneId);
  }
}
