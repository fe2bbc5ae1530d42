import { ApiError } from '../../../kit/errors/api-error.js';
import { assertRole } from '../../../kit/rpc/caller.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { KeysOfMember, type RemoveMemberRequest } from '../../../proto/gen/cloudphone/access/v1/member_service_pb.js';
import { MemberRole } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { changedMeanwhile, findMember, leaveOwners } from './change-member.js';
import { dropMember } from './drop-member.js';

/**
 * Removes a member from the account, or lets the caller leave it. The member's own keys are revoked, or stay with the limits that they have.
 *
 * The keys come first: after a crash, the member is still there, and the same request goes on.
 */
export async function removeMember(
  context: AccountsContext,
  caller: Caller,
  { id, keys }: RemoveMemberRequest,
): Promise<void> {
  const { accountId } = caller;
  const isOneself = id === caller.memberId;
  if (!isOneself) assertRole(caller, MemberRole.ADMIN);
  const member = await findMember(context, accountId, id);
  if (!isOneself && member.role === 'owner') assertRole(caller, MemberRole.OWNER);
  await assertChoiceOfKeys(context, id, keys);
  await leaveOwners(context, member);
  if (keys === KeysOfMember.REVOKE) await context.keys.revokeOfMember(id, new Date(context.clock.now()));
  if (keys === KeysOfMember.KEEP) {
    const { role, devices, devicesLabel } = member;
    await context.keys.keepOfMember(id, { role, devices, ...(devicesLabel !== undefined && { devicesLabel }) });
  }
  if (!(await dropMember(context, member))) throw changedMeanwhile(id);
  // A key may have been made in between.
  await context.keys.revokeOfMember(id, new Date(context.clock.now()));
  context.forgetCallers();
}

async function assertChoiceOfKeys(
  { keys }: AccountsContext,
  id: string,
  choice: KeysOfMember | undefined,
): Promise<void> {
  if (choice !== undefined || !(await keys.existOfMember(id))) return;
  throw new ApiError(
    'bad_request',
    'keys: the member has API keys. Add ?keys=revoke, or ?keys=keep to leave them to the account.',
  );
}
