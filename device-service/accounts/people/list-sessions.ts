import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { cutPage, pageOf } from '../../../kit/call/page.js';
import { type Session, SessionSchema } from '../../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import type { SessionDocument } from '../../store/sessions.js';
import { hasEnded } from '../callers/session-end.js';
import type { AccountsContext } from '../accounts-context.js';

/** Returns a page of the sessions of a person, newest first. `currentId` is the session of the request. */
export async function listSessions(
  { sessions, clock }: AccountsContext,
  personId: string,
  currentId: string,
  request: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ sessions: Session[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  // The database removes ended sessions only once a minute.
  const open = (await sessions.list(personId)).filter((session) => !hasEnded(session, clock));
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

/** Returns the place of a session; places sort in the reverse order of the list. */
function placeOf({ createdAt, id }: SessionDocument): string {
  return `${createdAt.toISOString()} ${id}`;
}
