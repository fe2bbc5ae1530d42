import { readPage } from '../../../kit/call/page.js';
import type { Member } from '../../../proto/gen/cloudphone/access/v1/member_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { memberMessage } from './member-message.js';

/** Returns a page of the members of an account, those that came first before. */
export async function listMembers(
  { members, people }: AccountsContext,
  accountId: string,
  request: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ members: Member[]; nextCursor?: string }> {
  const { items, ...page } = await readPage(
    request,
    (limit, afterId) => members.list(accountId, limit, afterId),
    ({ _id }) => _id,
  );
  const found = await people.findByIds(items.map(({ personId }) => personId));
  const byId = new Map(found.map((person) => [person._id, person]));
  const shown = items.flatMap((member) => {
    const person = byId.get(member.personId);
    return person === undefined ? [] : [memberMessage(member, person)];
  });
  return { members: shown, ...page };
}
