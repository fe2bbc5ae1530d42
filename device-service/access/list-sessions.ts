import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Clock } from '../../kit/clock.js';
import { cutPage, pageOf } from '../../kit/page.js';
import { type Session, SessionSchema } from '../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import type { SessionDocument, SessionStore } from '../store/sessions.js';
import { hasEnded } from './session-end.js';

/** A page of the sessions of an account, newest first, as its owner sees them; `currentId` is the one of the request. */
export async function listSessions(
  { sessions, clock }: { sessions: SessionStore; clock: Clock },
  accountId: string,
  currentId: string,
  request: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ sessions: Session[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  // The database removes sessions that are over only once a minute.
  const open = (await sessions.list(accountId)).filter((session) => !hasEnded(session, clock));
  const rest = open.filter((session) => after === undefined || placeOf(session) < after);
  const { items, ...more } = cutPage(rest, limit, placeOf);
  const shown = items.map(({ id, createdAt, usedAt, address }) =>
    create(SessionSchema, {
      id,
      createdAt: timestampFromDate(createdAt),
      lastUsedAt: timestampFromDate(usedAt),
      address,
      current: id === currentId,
    }),
  );
  return { sessions: shown, ...more };
}

/** Sorts as the list does, the other way round. */
function placeOf({ createdAt, id }: SessionDocument): string {
  return `${createdAt.toISOString()} ${id}`;
}
