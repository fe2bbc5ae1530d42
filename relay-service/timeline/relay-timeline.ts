import type { Clock } from '../../kit/async/clock.js';
import { newEntry } from '../../kit/timeline/new-entry.js';
import type { TimelineQueue } from '../../kit/timeline/timeline-queue.js';
import { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { CloseReason } from '../connection/session.js';
import type { RelayDocument } from '../store/relays.js';
import { keptCommand } from './kept-command.js';

/** Records the sessions and command lines of one relay in its device's timeline, where that is on. */
export class RelayTimeline {
  readonly #queue: Pick<TimelineQueue, 'add'>;
  readonly #clock: Clock;
  /**
   * Whether the timeline was on when the device service was last asked. The device service drops the entries of a timeline that has been
   * switched off since.
   */
  isOn = false;

  constructor({ queue, clock }: { queue: Pick<TimelineQueue, 'add'>; clock: Clock }) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /** Records a command line that went to the phone. */
  passed({ _id: phoneId, keyId }: Pick<RelayDocument, '_id' | 'keyId'>, command: string): void {
    if (!this.isOn) return;
    const atMs = this.#clock.now();
    const request = { command: keptCommand(command) };
    const make = () => newEntry({ phoneId, keyId, atMs, kind: TimelineKind.SHELL, request, outcome: 'done' });
    this.#queue.add({ phoneId, heldBytes: 0, make });
  }

  /** Records a session that was logged in and has ended. */
  ended(
    { _id: phoneId, keyId }: Pick<RelayDocument, '_id' | 'keyId'>,
    { address, connectedAt }: { address: string; connectedAt: Date },
    reason: CloseReason,
  ): void {
    if (!this.isOn) return;
    const atMs = connectedAt.getTime();
    const facts = { atMs, durationMs: this.#clock.now() - atMs, request: { address }, outcome: reason };
    const make = () => newEntry({ phoneId, keyId, kind: TimelineKind.ADB_SESSION, ...facts });
    this.#queue.add({ phoneId, heldBytes: 0, make });
  }
}
