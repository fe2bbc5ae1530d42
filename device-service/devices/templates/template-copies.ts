import { createClient, type Transport } from '@connectrpc/connect';
import type { Clock } from '../../../kit/async/clock.js';
import type { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { SharedWork } from '../../../kit/async/shared-work.js';
import { Cancellation, within } from '../../../kit/async/within.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Log } from '../../../kit/log/log.js';
import { type OperationOptions, type PhoneDriver, PhoneFailure } from '../../../phone/driver.js';
import { RESERVE_DISK_MB } from '../../../phone/files/measure-capacity.js';
import { NoRoom } from '../../../phone/files/no-room.js';
import type { PhoneMoves } from '../../../phone/moves/phone-moves.js';
import { HostService } from '../../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { HostStore } from '../../store/hosts.js';
import { hasHost, type TemplateDocument, type TemplateStore } from '../../store/templates.js';
import { isAlive } from '../hosts/is-alive.js';
import { JobFailure } from '../jobs/job-failure.js';
import { MAX_TEMPLATE_COPY_TRIES, MOVE_SILENT_MS, TEMPLATE_COPY_RETRY_MS } from '../limits.js';
import type { Pace } from '../moves/pace.js';
import { hostLimit } from '../phones/host-limit.js';
import { type PhoneDrivers, snapshotsOf } from '../phones/phone-drivers.js';

const MIB = 1024 * 1024;
/** An archive is somewhat larger than the files in it. */
const MAX_ARCHIVE_FACTOR = 1.5;
const MAX_ARCHIVE_EXTRA_BYTES = 64 * MIB;

export interface TemplateCopiesParts {
  templates: TemplateStore;
  hosts: HostStore;
  drivers: PhoneDrivers;
  hostId: string;
  /** Locks by arrival, so that nothing removes what is being unpacked. */
  receiving: KeyedLock;
  pace: Pace;
  /** Returns the way to another host's device service; undefined when it cannot be reached now. */
  wayTo: (hostId: string) => Promise<Transport | undefined>;
  clock: Clock;
  log: Log;
}

/**
 * The ways of a template's files between hosts. A host that is to make a phone of a template gets the files once, however many phones wait
 * for them, from a host that has them. They count when their checksum is that of the saved template.
 *
 * A crash leaves a folder of arrivals, which is overwritten or removed (sweep-arrivals.ts), or files that the record does not name yet. The
 * sweep notes those.
 */
export class TemplateCopies {
  readonly #parts: TemplateCopiesParts;
  readonly #fetches = new SharedWork();

  constructor(parts: TemplateCopiesParts) {
    this.#parts = parts;
  }

  /** Gets the files of a template to this host. Does nothing where they are here. `onPulling` is called before a copy. */
  async fetch(template: TemplateDocument, driver: PhoneDriver, options: OperationOptions): Promise<void> {
    if (await snapshotsOf(driver).has(template._id)) return;
    options.onPulling?.();
    await this.#fetches.join(template._id, options, ({ signal, onProgress }) =>
      this.#parts.receiving.run(template._id, () => this.#fetch(template, driver, { signal, onProgress })),
    );
  }

  /** Yields an archive of the files, for another host. */
  async *send(templateId: string, signal: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const { templates, drivers, hostId, pace } = this.#parts;
    const template = await templates.find(templateId);
    const { moves, snapshots } = template === null ? {} : drivers.of(template);
    const isHere = hasHost(template, hostId) && (await snapshots?.has(templateId)) === true;
    if (!isHere || moves === undefined)
      throw new ApiError('not_found', `The host "${hostId}" does not have the template ${templateId}.`);
    yield* pace.through(moves.pack({ snapshotIds: [templateId] }, { signal }), signal);
  }

  async #fetch(
    template: TemplateDocument,
    driver: PhoneDriver,
    { signal, onProgress }: Pick<OperationOptions, 'signal' | 'onProgress'>,
  ): Promise<void> {
    const { templates, hostId, clock, log } = this.#parts;
    const { _id: id, archive, image, model } = template;
    const { moves } = driver;
    const files = snapshotsOf(driver);
    signal?.throwIfAborted();
    if (await files.has(id)) return;
    if (moves === undefined || archive === undefined) throw notHere(template);
    if (image !== undefined) await files.assertImage?.(model, image, { signal });
    const { freeDiskMb } = await driver.capacity();
    if (freeDiskMb < archive.sizeBytes / MIB + RESERVE_DISK_MB)
      throw new PhoneFailure(`There is too little room on the disk of the host for the template "${template.name}".`);
    for (let tries = 1; ; tries++) {
      for (const source of await this.#sources(id)) {
        try {
          await this.#copyFrom(source, { id, archive, moves }, { signal, onProgress });
          if (await templates.addHost(id, hostId)) return;
          await files.delete(id);
          throw notHere(template);
        } catch (error) {
          signal?.throwIfAborted();
          if (error instanceof JobFailure || error instanceof PhoneFailure || error instanceof NoRoom) throw error;
          log.warn({ template: id, from: source, err: error }, 'a template could not be copied; trying again');
        }
      }
      if (tries >= MAX_TEMPLATE_COPY_TRIES) throw notHere(template);
      await clock.sleep(TEMPLATE_COPY_RETRY_MS * 2 ** (tries - 1), signal);
    }
  }

  /** Returns the other hosts that have the files, and are alive. */
  async #sources(id: string): Promise<string[]> {
    const { templates, hosts, hostId, clock } = this.#parts;
    const template = await templates.find(id);
    const alive = (await hosts.list()).filter((host) => isAlive(host, hostId, clock.now()));
    return alive.map(({ _id }) => _id).filter((host) => host !== hostId && hasHost(template, host));
  }

  async #copyFrom(
    source: string,
    { id, archive, moves }: { id: string; archive: Archive; moves: PhoneMoves },
    { signal: outer, onProgress }: Pick<OperationOptions, 'signal' | 'onProgress'>,
  ): Promise<void> {
    const way = await this.#parts.wayTo(source);
    if (way === undefined) throw new ApiError('unavailable', `The host "${source}" cannot be reached.`);
    // It ends the other host's work too, when the unpacking has failed.
    const cancellation = new Cancellation([outer]);
    const { signal } = cancellation;
    try {
      const responses = createClient(HostService, way).readTemplate({ templateId: id }, { signal });
      const content = this.#bounded(responses, archive, { signal, onProgress });
      const checksum = await moves.unpack(id, content, { signal });
      if (checksum !== archive.checksum) {
        await moves.discard(id);
        throw new Error('the files of a template are not as they were saved');
      }
      await moves.arrive(id);
    } finally {
      cancellation.abort();
    }
  }

  /** Yields the pieces that arrive. Throws when they are too many, or when none arrives for a while. */
  async *#bounded(
    responses: AsyncIterable<{ content: Uint8Array }>,
    { sizeBytes }: Archive,
    { signal, onProgress }: Pick<OperationOptions, 'signal' | 'onProgress'>,
  ): AsyncGenerator<Uint8Array> {
    const maxBytes = sizeBytes * MAX_ARCHIVE_FACTOR + MAX_ARCHIVE_EXTRA_BYTES;
    const iterator = responses[Symbol.asyncIterator]();
    for (let bytes = 0; ;) {
      const next = await within(hostLimit(this.#parts.clock, MOVE_SILENT_MS, signal), () => iterator.next());
      if (next.done === true) return;
      const { content } = next.value;
      bytes += content.length;
      if (bytes > maxBytes) throw new Error('the files of a template are larger than what was saved');
      yield content;
      onProgress?.(Math.min(1, bytes / Math.max(1, sizeBytes)) * COPIED_PERCENT);
    }
  }
}

type Archive = NonNullable<TemplateDocument['archive']>;

/** The progress when all bytes have arrived. After that, the files are read back. */
const COPIED_PERCENT = 90;

function notHere({ name }: TemplateDocument): JobFailure {
  const message =
    `The files of the template "${name}" are not on this host, and could not be had from another one: the hosts that have them ` +
    'are away, or it was deleted. Delete the device, and try again once they are back.';
  return new JobFailure({ error: 'unavailable', message });
}
