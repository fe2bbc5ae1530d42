import { create, type JsonObject } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../../kit/text/wire-words.js';
import {
  type TimelineEntry,
  TimelineEntrySchema,
  TimelineKindSchema,
} from '../../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { ListedEntry } from '../../store/timeline.js';

/** Returns an entry as callers see it, with the name that its device has now. */
export function entryMessage(entry: ListedEntry, device: string): TimelineEntry {
  const {
    _id: id,
    at,
    kind,
    key,
    request,
    outcome,
    durationMs,
    app,
    changed,
    settled,
    message,
    touched = [],
    effectMs,
    stepsDone,
  } = entry;
  const path = `/v1/devices/${device}/timeline/${id}`;
  return create(TimelineEntrySchema, {
    id,
    at: timestampFromDate(at),
    kind: enumOf(TimelineKindSchema, kind),
    key,
    request: JSON.parse(request) as JsonObject,
    outcome,
    durationMs,
    app,
    before: entry.hasBefore && `${path}/before`,
    after: entry.hasAfter && `${path}/after`,
    changed,
    settled,
    message,
    touched,
    effectMs,
    stepsDone,
  });
}
