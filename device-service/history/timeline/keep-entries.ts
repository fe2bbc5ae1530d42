import { timestampDate } from '@bufbuild/protobuf/wkt';
import { wordOf } from '../../../kit/text/wire-words.js';
import { TimelineKindSchema } from '../../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { NewTimelineEntry } from '../../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { TimelineDocument, TimelineKindWord } from '../../store/timeline.js';
import type { HistoryContext } from '../history-context.js';

/** Shown in place of a key's name when the service itself, or a person in the panel, was the maker. */
const SERVICE = 'service';
const PANEL = 'panel';

/** Bytes that an entry takes beside its texts and pictures: for names, times and index entries. */
const ENTRY_BYTES = 512;

/** Stores entries of devices whose timeline is on; drops the others. Storing an entry again changes nothing. */
export async function keepEntries(
  { devices, keys, timelineRoom }: Pick<HistoryContext, 'devices' | 'keys' | 'timelineRoom'>,
  entries: readonly NewTimelineEntry[],
): Promise<void> {
  const found = await devices.findByIds([...new Set(entries.map(({ phoneId }) => phoneId))]);
  const on = new Map(found.flatMap((one) => (one.timeline === true && one.gone !== true ? [[one._id, one]] : [])));
  const names = await keys.findNames([...new Set(entries.map(({ keyId }) => keyId))]);
  const ofAccounts = new Map<string, TimelineDocument[]>();
  for (const entry of entries) {
    const device = on.get(entry.phoneId);
    if (device === undefined) continue;
    const key = makerName(entry.keyId, names);
    const documents = ofAccounts.get(device.accountId) ?? [];
    ofAccounts.set(device.accountId, documents);
    documents.push(documentOf(entry, device, key));
  }
  for (const [accountId, documents] of ofAccounts) await timelineRoom.add(accountId, documents);
}

/** Returns the name of the maker that an entry shows. The id of a session or a share is never that of a key. */
function makerName(keyId: string, names: ReadonlyMap<string, string>): string {
  if (keyId === '') return SERVICE;
  return keyId.startsWith('shr_') ? `share ${keyId}` : (names.get(keyId) ?? PANEL);
}

function documentOf(entry: NewTimelineEntry, { accountId }: DeviceDocument, key: string): TimelineDocument {
  const { id, phoneId, at, request, outcome, durationMs, app, changed, settled, message, effectMs, stepsDone } = entry;
  if (at === undefined) throw new Error('an entry without a time passed the validation');
  const [before, after] = [Buffer.from(entry.before), Buffer.from(entry.after)];
  const touched = entry.touched.map(({ event, text, role }) => ({ event, text, role }));
  const words = touched.map(({ text }) => text);
  const texts = [request, app, changed ?? '', message ?? '', ...words].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
  return {
    _id: id,
    phoneId,
    accountId,
    at: timestampDate(at),
    kind: wordOf(TimelineKindSchema, entry.kind) as TimelineKindWord,
    key,
    request,
    outcome,
    durationMs,
    app,
    ...(changed !== undefined && { changed }),
    ...(settled !== undefined && { settled }),
    ...(message !== undefined && { message }),
    ...(touched.length > 0 && { touched }),
    ...(effectMs !== undefined && { effectMs }),
    ...(stepsDone !== undefined && { stepsDone }),
    ...(before.length > 0 && { before, hasBefore: true as const }),
    ...(after.length > 0 && { after, hasAfter: true as const }),
    bytes: ENTRY_BYTES + texts + before.length + after.length,
  };
}
