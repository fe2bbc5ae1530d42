import { createClient, type Transport } from '@connectrpc/connect';
import type { Clock } from '../../../kit/async/clock.js';
import type { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Log } from '../../../kit/log/log.js';
import { type PhoneDriver, PhoneFailure } from '../../../phone/driver.js';
import type { Moved, PhoneMoves } from '../../../phone/moves/phone-moves.js';
import { HostService } from '../../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { JobMove } from '../../store/device-document.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import type { SnapshotStore } from '../../store/snapshots.js';
import { JobFailure } from '../jobs/job-failure.js';
import { MAX_MOVE_TRIES, MOVE_COPY_MS, STEP_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import type { Pace } from './pace.js';

export interface MoverParts {
  devices: DeviceStore;
  snapshots: SnapshotStore;
  hostId: string;
  /** Returns the way to another host's device service; undefined when it cannot be reached now. */
  wayTo: (hostId: string) => Promise<Transport | undefined>;
  /** Runs work on what arrives under a name after the work on it before. A try whose time is over goes on until its files are in place. */
  receiving: KeyedLock;
  pace: Pace;
  clock: Clock;
  log: Log;
}

/** How a try to send a phone ended: at the other host, or with the reason for which the phone stays. */
export type Sent = { arrival: { hostId: string; epoch: number } } | { refused: NonNullable<JobMove['refused']> };

/**
 * The steps of a job that moves a phone to another host. The old host does the job until the device is the new host's, and the new host
 * from then on (ADR 90):
 *
 * 1. `send`: the phone is off. Its folders go to a folder of the new host that belongs to this job. The new host reads them back from its
 *    disk, and the old host compares the checksums.
 * 2. One update gives the device to the new host (`movedTo`). Until then the old host has the phone, and from then on the new one.
 * 3. `arrive`: the new host puts the copy among its phones, and its snapshots with it.
 * 4. The end of the job notes that the old host still has files (`leftAt`). That host removes them (remove-left.ts).
 *
 * A crash before 2 leaves a copy that is overwritten by the next try, or removed once the job is over (sweep-arrivals.ts). A crash after 2
 * leaves the job with the new host's next process, which puts the copy in place. Every step may be repeated.
 */
export class Mover {
  readonly #parts: MoverParts;

  constructor(parts: MoverParts) {
    this.#parts = parts;
  }

  /**
   * Sends a phone that is off to its new host. Returns a refusal for a reason that stays, and after some failed tries. Throws other errors,
   * after which the step is tried again.
   */
  async send(
    device: DeviceDocument,
    driver: PhoneDriver,
    options: { signal: AbortSignal; onProgress: (percent: number) => void },
  ): Promise<Sent> {
    const { clock, log } = this.#parts;
    try {
      const limit = hostLimit(clock, MOVE_COPY_MS, options.signal);
      return { arrival: await within(limit, (signal) => this.#send(device, driver, { ...options, signal })) };
    } catch (error) {
      options.signal.throwIfAborted();
      const tries = (device.job?.retries ?? 0) + 1;
      const refused = refusalOf(error) ?? (tries >= MAX_MOVE_TRIES ? afterTries(error, tries) : undefined);
      if (refused === undefined) throw error;
      log.warn({ device: device.name, job: device.job?.id, err: error }, 'a phone could not be moved; it stays');
      return { refused };
    }
  }

  /**
   * Puts the copy of a phone among the phones of this host, with its snapshots. A driver that moves no phones has no copy: the device came
   * here when its new host was forgotten.
   */
  async arrive(device: DeviceDocument, driver: PhoneDriver, signal: AbortSignal): Promise<void> {
    const { snapshots, hostId, receiving, clock } = this.#parts;
    const { job } = device;
    if (job === undefined) throw new Error('a phone arrives by a job');
    const arrive = (): Promise<void> => receiving.run(job.id, async () => driver.moves?.arrive(job.id));
    await within(hostLimit(clock, STEP_MS.arrive, signal), arrive);
    await snapshots.movePhone(device._id, hostId);
  }

  async #send(
    device: DeviceDocument,
    driver: PhoneDriver,
    { signal, onProgress }: { signal: AbortSignal; onProgress: (percent: number) => void },
  ): Promise<{ hostId: string; epoch: number }> {
    const { snapshots, wayTo } = this.#parts;
    const { _id: phoneId, job } = device;
    if (job?.move === undefined) throw new Error('a phone is sent by a job that moves it');
    const moves = movesOf(driver);
    const way = await wayTo(job.move.to);
    if (way === undefined) throw new ApiError('unavailable', `The host "${job.move.to}" cannot be reached.`);
    const ready = (await snapshots.findOfPhone(phoneId)).filter(({ state }) => state === 'ready');
    // A snapshot of a host that is gone may be in the object store alone.
    const here = new Set(await driver.snapshots?.list());
    const moved: Moved = { phoneId, snapshotIds: ready.map(({ _id }) => _id).filter((id) => here.has(id)) };
    const needs = await moves.needs(phoneId);
    const { sizeBytes, checksum } = await moves.describe(moved, { signal });
    const content = this.#parts.pace.through(moves.pack(moved, { signal }), signal, (bytes) =>
      onProgress(Math.min(1, bytes / Math.max(1, sizeBytes)) * SENT_PERCENT),
    );
    const jobId = job.id;
    const { fence } = device;
    async function* messages() {
      yield { phone: { phoneId, jobId, needs, sizeBytes, fence } };
      for await (const piece of content) yield { content: piece };
    }
    const received = await createClient(HostService, way).receivePhone(messages(), { signal });
    if (received.checksum !== checksum) throw new Error('the copy of a phone differs from the phone');
    return { hostId: job.move.to, epoch: received.epoch };
  }
}

/** The progress when all bytes are sent. After that, the new host reads them back. */
const SENT_PERCENT = 80;

export function movesOf(driver: PhoneDriver): PhoneMoves {
  if (driver.moves === undefined) throw new PhoneFailure(cannotMove(driver.kind));
  return driver.moves;
}

/** Returns why phones of a kind do not move. */
export function cannotMove(kind: string): string {
  if (kind === 'attached') return 'Attached phones do not move: list the phone in the PHONES_FILE of the other host.';
  if (kind === 'kubernetes')
    return 'Phones in Kubernetes do not move: their volumes belong to the cluster of this host.';
  return `Phones of the kind "${kind}" do not move.`;
}

/** Returns the refusal that an error means; undefined where another try may succeed. */
function refusalOf(error: unknown): JobMove['refused'] {
  if (error instanceof JobFailure) return error.error;
  if (error instanceof PhoneFailure) return { error: 'unavailable', message: error.message };
  const isFinal = error instanceof ApiError && FINAL.has(error.kind);
  return isFinal ? { error: 'unavailable', message: error.message } : undefined;
}

/** Another try would end like the one before: it would take too long again, too. */
const FINAL = new Set(['bad_request', 'not_found', 'timeout']);

function afterTries(error: unknown, tries: number): NonNullable<JobMove['refused']> {
  const why = error instanceof ApiError ? ` ${error.message}` : '';
  const message = `The phone could not be copied to the other host in ${tries} tries.${why} It stays where it is; try again later.`;
  return { error: 'unavailable', message };
}
