import { ApiError } from '../../../kit/errors/api-error.js';
import { assertRole } from '../../../kit/rpc/caller.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { UpdateMemberRequest } from '../../../proto/gen/cloudphone/access/v1/member_service_pb.js';
import { MemberRole } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { MemberDocument, RoleWord } from '../../store/members.js';
import type { AccountsContext } from '../accounts-context.js';
import { roleWord } from '../callers/role-words.js';
import { devicesForRole } from './devices-for-role.js';

/**
 * Changes the role of a member, or the devices that the member sees. Only owners change owners and make some.
 *
 * An owner is removed from the account's owners before the role changes, and added after it. After a crash between the two, the list has one
 * owner less than there are, so the last one still cannot leave; the same request goes on.
 */
export async function changeMember(
  context: AccountsContext,
  caller: Caller,
  request: UpdateMemberRequest,
): Promise<MemberDocument> {
  const { accounts, members, forgetCallers } = context;
  const { accountId } = caller;
  const member = await findMember(context, accountId, request.id);
  const role = request.role === undefined ? member.role : roleWord(request.role);
  if (member.role === 'owner' || role === 'owner') assertRole(caller, MemberRole.OWNER);
  const visible = await devicesForRole(context.devices, accountId, role, request);
  if (role !== 'owner') await leaveOwners(context, member);
  const changed = await members.change(member, { role, ...visible });
  if (changed === null) throw changedMeanwhile(member._id);
  if (role === 'owner') {
    await accounts.addOwner(accountId, member._id);
    // Someone may have removed the member in between, before the member was among the owners.
    if ((await members.find(accountId, member._id)) === null) await accounts.forgetOwner(accountId, member._id);
  }
  forgetCallers();
  return changed;
}

/** Removes the member from the account's owners. Throws busy where it is the last one. */
export async function leaveOwners(
  { accounts }: AccountsContext,
  { _id, accountId, role }: { _id: string; accountId: string; role: RoleWord },
): Promise<void> {
  if (role !== 'owner' || (await accounts.removeOwner(accountId, _id))) return;
  throw new ApiError(
    'busy',
    'This is the last owner of the account. Make someone else an owner first: PATCH /v1/account/members/{id} {"role": "owner"}.',
  );
}

export async function findMember({ members }: AccountsContext, accountId: string, id: string): Promise<MemberDocument> {
  const member = await members.find(accountId, id);
  if (member !== null) return member;
  throw new ApiError('not_found', `There is no member "${id}". GET /v1/account/members lists them.`);
}

export function changedMeanwhile(id: string): ApiError {
  return new ApiError('busy', `The member "${id}" was changed by another request just now. Try again.`);
}
