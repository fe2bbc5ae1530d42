import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type NewTimelineEntry,
  NewTimelineEntrySchema,
} from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { createId } from '../text/ids.js';

/** Longest request that is kept, bytes of JSON. */
const MAX_REQUEST_BYTES = 16_384;

/** Most touched elements of an entry. */
const MAX_TOUCHED = 50;

/** Longest texts of an entry, characters. */
const MAX_CHARS = { outcome: 40, app: 300, changed: 4_000, message: 1_000 } as const;

/** An entry of a timeline as its sender describes it. */
export interface EntryFacts extends Omit<
  MessageInitShape<typeof NewTimelineEntrySchema>,
  '$typeName' | 'id' | 'at' | 'request'
> {
  phoneId: string;
  /** Wall clock, ms since the epoch. */
  atMs: number;
  /** An object that JSON can represent. */
  request: unknown;
  /** Absent: a new one. */
  id?: string;
}

/** Makes an entry, with every part within its bound. */
export function newEntry({ atMs, request, id, ...facts }: EntryFacts): NewTimelineEntry {
  const json = JSON.stringify(request);
  return create(NewTimelineEntrySchema, {
    ...facts,
    id: id ?? createId('tl', atMs),
    at: timestampFromMs(atMs),
    request: Buffer.byteLength(json) > MAX_REQUEST_BYTES ? '{"too_large":true}' : json,
    outcome: cut(facts.outcome ?? '', MAX_CHARS.outcome),
    app: cut(facts.app ?? '', MAX_CHARS.app),
    durationMs: Math.max(0, Math.min(2_147_483_647, Math.round(facts.durationMs ?? 0))),
    ...(facts.changed !== undefined && { changed: cut(facts.changed, MAX_CHARS.changed) }),
    ...(facts.touched !== undefined && { touched: facts.touched.slice(0, MAX_TOUCHED) }),
    ...(facts.message !== undefined && { message: cut(facts.message, MAX_CHARS.message) }),
  });
}

/** The beginning of a text, without half of a surrogate pair at its end, which UTF-8 cannot represent. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '');
}
