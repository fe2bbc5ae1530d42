import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ApiError } from '../../../kit/errors/api-error.js';
import { readPage } from '../../../kit/call/page.js';
import type { ListAuditRequest } from '../../../proto/gen/cloudphone/access/v1/audit_service_pb.js';
import { type AuditDocument, type AuditStore, END_SEQ } from '../../store/audit.js';
import { seqOf } from '../../store/ledger.js';

/** Ids of actors begin with one of these; any other text is a name. */
const ACTOR_ID = /^(key|mem|shr|grp|ses)_/;

/** Returns a page of the audit log of an account, newest first. */
export async function listAudit(
  store: AuditStore,
  accountId: string,
  request: ListAuditRequest,
): Promise<{ items: AuditDocument[]; nextCursor?: string }> {
  const { actor, action, device } = request;
  const isId = actor !== undefined && ACTOR_ID.test(actor);
  const filter = { ...(isId ? { actorId: actor } : { actorName: actor }), action, device };
  const [first, end] = await Promise.all([
    request.from === undefined ? 1 : firstSince(store, accountId, timestampDate(request.from)),
    request.to === undefined ? END_SEQ : firstSince(store, accountId, timestampDate(request.to)),
  ]);
  const before = Math.min(end, request.before === undefined ? END_SEQ : Number(request.before));
  return readPage(
    request,
    async (limit, after) => {
      const seq = after === undefined ? END_SEQ : seqOf(accountId, after);
      if (seq === undefined) throw new ApiError('bad_request', 'cursor: not a next_cursor of this list');
      const range = { first, end: Math.min(before, seq) };
      return range.first >= range.end ? [] : store.list(accountId, filter, range, limit);
    },
    ({ _id }) => _id,
  );
}

async function firstSince(store: AuditStore, accountId: string, at: Date): Promise<number> {
  return (await store.firstSince(accountId, at)) ?? END_SEQ;
}
