import { timestampDate } from '@bufbuild/protobuf/wkt';
import { wordOf } from '../../kit/wire-words.js';
import { TimelineKindSchema } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { NewTimelineEntry } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { KeyStore } from '../store/keys.js';
import type { TimelineDocument, TimelineKindWord } from '../store/timeline.js';
import type { TimelineRoom } from './timeline-room.js';

export interface KeepEntriesParts {
  devices: DeviceStore;
  keys: KeyStore;
  room: TimelineRoom;
}

/** Shown in place of the name of a key. */
const SERVICE = 'service';
const PANEL = 'panel';

/** What an entry takes beside its texts and pictures, bytes: names, times and its lines in the indexes. */
const ENTRY_BYTES = 512;

/** Keeps entries of devices whose timeline is on; drops the others. Keeping one again changes nothing. */
export async function keepEntries(
  { devices, keys, room }: KeepEntriesParts,
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
  for (const [accountId, documents] of ofAccounts) await room.add(accountId, documents);
}

/** The name by which an entry shows who did it. Ids of sessions and shares are no ids of keys. */
function makerName(keyId: string, names: ReadonlyMap<string, string>): string {
  if (keyId === '') return SERVICE;
  return keyId.startsWith('shr_') ? `share ${keyId}` : (names.get(keyId) ?? PANEL);
}

function documentOf(entry: NewTimelineEntry, { accountId }: DeviceDocument, key: string): TimelineDocument {
  const { id, phoneId, at, request, outcome, durationMs, app, changed, settled, message } = entry;
  if (at === undefined) throw new Error('an entry without a time passed the validation');
  const [before, after] = [Buffer.from(entry.before), Buffer.from(entry.after)];
  const texts = [request, app, changed ?? '', message ?? ''].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
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
    ...(before.length > 0 && { before, hasBefore: true as const }),
    ...(after.length > 0 && { after, hasAfter: true as const }),
    bytes: ENTRY_BYTES + texts + before.length + after.length,
  };
}
