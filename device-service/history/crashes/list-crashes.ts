import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readPage } from '../../../kit/call/page.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Crash, CrashKindSchema, CrashSchema } from '../../../proto/gen/cloudphone/device/v1/crash_pb.js';
import type { ListCrashesRequest } from '../../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import type { CrashDocument } from '../../store/crashes.js';
import type { HistoryContext } from '../history-context.js';
import { MAX_CRASHES } from './keep-crashes.js';

/** Returns a page of the crashes of a device, newest first. */
export async function listCrashes(
  { devices, crashes }: Pick<HistoryContext, 'devices' | 'crashes'>,
  caller: Caller,
  request: ListCrashesRequest,
): Promise<{ crashes: Crash[]; nextCursor?: string }> {
  const { _id: phoneId } = await findVisibleDevice(devices, caller, request.name);
  const limit = Math.min(request.limit ?? MAX_CRASHES, MAX_CRASHES);
  const { items, ...page } = await readPage(
    { ...request, limit },
    (most, beforeId) => crashes.list(phoneId, most, beforeId),
    ({ _id }) => _id,
  );
  return { crashes: items.map(crashMessage), ...page };
}

function crashMessage({ _id: id, at, kind, package: name, reason, trace }: CrashDocument): Crash {
  return create(CrashSchema, {
    ...{ id, reason, trace, package: name },
    at: timestampFromDate(at),
    kind: enumOf(CrashKindSchema, kind),
  });
}
