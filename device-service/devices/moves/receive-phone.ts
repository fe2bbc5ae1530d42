import type { Clock } from '../../../kit/async/clock.js';
import { within } from '../../../kit/async/within.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { type PhoneDriver, PhoneFailure } from '../../../phone/driver.js';
import type { PhoneMoves } from '../../../phone/moves/phone-moves.js';
import type { ReceivePhoneRequest, MovedPhone } from '../../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { DeviceDocument } from '../../store/devices.js';
import { RESERVE_DISK_MB } from '../../../phone/files/measure-capacity.js';
import type { DevicesContext } from '../devices-context.js';
import { MOVE_SILENT_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';
import { cannotMove } from './move-phone.js';

const MIB = 1024 * 1024;
/** An archive is somewhat larger than the files in it. */
const MAX_ARCHIVE_FACTOR = 1.5;
const MAX_ARCHIVE_EXTRA_BYTES = 64 * MIB;

/**
 * Unpacks a phone that moves to this host, and returns the checksum of what is on the disk. Nothing of it is a phone of this host yet, and
 * nothing in the database is changed. A try of a job begins when the one before has ended. `epoch` is that of this process's lease.
 */
export async function receivePhone(
  context: DevicesContext,
  epoch: number,
  requests: AsyncIterable<ReceivePhoneRequest>,
  signal: AbortSignal,
): Promise<{ checksum: string; epoch: number }> {
  const iterator = requests[Symbol.asyncIterator]();
  const first = await iterator.next();
  const phone = first.done === true ? undefined : first.value.phone;
  if (phone === undefined) throw new ApiError('bad_request', 'phone: missing in the first message');
  return context.receiving.run(phone.jobId, async () => {
    // The checks come after the wait. A try that was replaced meanwhile must not touch the copy of the one that replaced it.
    signal.throwIfAborted();
    const driver = context.drivers.of(await expected(context, phone));
    const { moves } = driver;
    if (moves === undefined) throw new ApiError('bad_request', cannotMove(driver.kind));
    await assertRoom(driver, phone);
    await prepare(moves, phone, signal);
    const content = bounded(iterator, phone, { clock: context.clock, signal });
    return { checksum: await moves.unpack(phone.jobId, content, { signal }), epoch };
  });
}

/** Returns the device, if its job moves it to this host. */
async function expected(
  { devices, hostId }: DevicesContext,
  { phoneId, jobId, fence }: MovedPhone,
): Promise<DeviceDocument> {
  const device = await devices.findById(phoneId);
  const move = device?.job?.id === jobId ? device.job.move : undefined;
  if (device?.fence === fence && move?.to === hostId && move.arrived !== true) return device;
  throw new ApiError('not_found', `The phone ${phoneId} is not on its way to the host "${hostId}".`);
}

async function assertRoom(driver: PhoneDriver, { sizeBytes }: MovedPhone): Promise<void> {
  const { freeDiskMb } = await driver.capacity();
  if (freeDiskMb >= sizeBytes / MIB + RESERVE_DISK_MB) return;
  throw new ApiError('unavailable', 'There is too little room on the disk of the host.');
}

async function prepare(moves: PhoneMoves, { needs }: MovedPhone, signal: AbortSignal): Promise<void> {
  try {
    await moves.prepare(needs, { signal });
  } catch (error) {
    if (!(error instanceof PhoneFailure)) throw error;
    throw new ApiError('bad_request', `The phone cannot move to this host: ${error.message}`, { cause: error });
  }
}

/** Yields the pieces that arrive. Throws when they are too many, or when none arrives for a while, as when the machine of the sender is gone. */
async function* bounded(
  requests: AsyncIterator<ReceivePhoneRequest>,
  { sizeBytes }: MovedPhone,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): AsyncIterable<Uint8Array> {
  const maxBytes = sizeBytes * MAX_ARCHIVE_FACTOR + MAX_ARCHIVE_EXTRA_BYTES;
  let bytes = 0;
  for (;;) {
    const next = await within(hostLimit(clock, MOVE_SILENT_MS, signal), () => requests.next());
    if (next.done === true) return;
    const { content } = next.value;
    bytes += content.length;
    if (bytes > maxBytes) throw new ApiError('bad_request', 'The phone is larger than its old host announced.');
    yield content;
  }
}
