import { timestampDate } from '@bufbuild/protobuf/wkt';
import { wordOf } from '../../../kit/text/wire-words.js';
import { CrashKindSchema } from '../../../proto/gen/cloudphone/device/v1/crash_pb.js';
import type { ReportedCrash } from '../../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import type { CrashDocument, CrashKindWord } from '../../store/crashes.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { HistoryContext } from '../history-context.js';
import { crashId, crashSlot, idFrom, idsAround, kindsLike } from './crash-id.js';

/** How many crashes a device has. Older ones are removed. The number is part of the contract. */
export const MAX_CRASHES = 100;

/**
 * Most crashes of a device that are stored, those included that are hidden and wait for their event to be published. While the webhook
 * service is away, further ones are not kept.
 */
export const MAX_STORED = 300;

/** How far a phone's clock may be ahead of ours while its crashes count as present ones, ms. */
const MAX_AHEAD_MS = 60_000;

type KeepParts = Pick<HistoryContext, 'crashes' | 'devices' | 'crashEvents' | 'clock' | 'log'>;

/**
 * Keeps crashes. Returns the id under which each is kept. Where its process has an earlier one of that minute, it is that one's. The id is
 * empty for a crash that is not kept. Keeping a crash again changes nothing. A crash and its event are inserted together, so that the end of the
 * process loses neither and makes none twice.
 */
export async function keepCrashes(context: KeepParts, reported: readonly ReportedCrash[]): Promise<string[]> {
  const { devices, crashEvents } = context;
  const found = await devices.findByIds([...new Set(reported.map(({ phoneId }) => phoneId))]);
  const present = new Map(found.flatMap((one) => (one.gone === true ? [] : [[one._id, one]])));
  const ids: string[] = [];
  for (const crash of reported) {
    const device = present.get(crash.phoneId);
    ids.push(device === undefined ? '' : await keepCrash(context, device, crash));
  }
  if (ids.some((id) => id !== '')) crashEvents.soon();
  return ids;
}

async function keepCrash(
  { crashes, clock, log }: KeepParts,
  device: DeviceDocument,
  reported: ReportedCrash,
): Promise<string> {
  const document = documentOf(reported, device);
  const { _id: id, phoneId, process, kind, at, slot } = document;
  if ((await crashes.find(id)) !== null) return id;
  const { afterId, beforeId } = idsAround(at.getTime());
  const near = await crashes.findBetween({ phoneId, process, kinds: kindsLike(kind) }, afterId, beforeId);
  if (near !== null) return near._id;
  let oldest = await crashes.findOldestOf(phoneId, MAX_CRASHES);
  const futureMs = clock.now() + MAX_AHEAD_MS;
  if (oldest !== undefined && at.getTime() < futureMs) {
    // The phone's clock was set back since, or the log was forged. Crashes of the future would keep out those of the present.
    await crashes.removeFrom(phoneId, idFrom(futureMs));
    oldest = await crashes.findOldestOf(phoneId, MAX_CRASHES);
  }
  // A log that is read again may have crashes that were removed since.
  if (oldest !== undefined && id < oldest._id) return '';
  if ((await crashes.count(phoneId, MAX_STORED)) >= MAX_STORED) {
    log.warn({ phone: phoneId }, 'a crash of an app is not kept, as too many events of the phone wait');
    return '';
  }
  // Another reporter may have been faster.
  if (!(await crashes.insert(document))) return (await crashes.findBySlot(slot))?._id ?? '';
  const kept = await crashes.findOldestOf(phoneId, MAX_CRASHES);
  if (kept !== undefined) await crashes.removeOfPhone(phoneId, kept._id);
  return id;
}

function documentOf(
  { phoneId, generation, at, kind: value, process, package: name, reason, trace }: ReportedCrash,
  { accountId, name: device, createdBy, labels }: DeviceDocument,
): CrashDocument {
  if (at === undefined) throw new Error('a crash without a time passed the validation');
  const date = timestampDate(at);
  const kind = wordOf(CrashKindSchema, value) as CrashKindWord;
  const identity = { phoneId, generation, kind, process, atMs: date.getTime() };
  return {
    _id: crashId(identity),
    ...{ accountId, phoneId, device, kind, process, reason, trace },
    deviceCreatedBy: createdBy,
    ...(labels !== undefined && { deviceLabels: labels }),
    at: date,
    package: name,
    slot: crashSlot(identity),
    eventPending: true,
  };
}
