import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../../../kit/errors/api-error.js';
import { assertRole } from '../../../kit/rpc/caller.js';
import { createId } from '../../../kit/text/ids.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { CreateInvitationRequest } from '../../../proto/gen/cloudphone/access/v1/member_service_pb.js';
import { MemberRole } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { InvitationDocument } from '../../store/invitations.js';
import type { AccountsContext } from '../accounts-context.js';
import { INVITATION_LIFETIME_S, MAX_INVITATIONS } from '../limits.js';
import { isMailAddress } from '../mail/mail-address.js';
import { roleWord } from '../callers/role-words.js';
import { devicesForRole } from './devices-for-role.js';

/**
 * Invites a person to the caller's account. Another invitation of the address is replaced, after this one exists: a crash in between leaves
 * two, and either works.
 */
export async function invite(
  context: AccountsContext,
  caller: Caller,
  request: CreateInvitationRequest,
): Promise<{ invitation: InvitationDocument; path?: string }> {
  const { clock, devices, invitations, throttle } = context;
  const { accountId } = caller;
  if (request.role === MemberRole.OWNER) assertRole(caller, MemberRole.OWNER);
  throttle.invite(accountId);
  const email = request.email.toLowerCase();
  await assertNoMember(context, accountId, email);
  await assertRoom(context, accountId, email);
  const visible = (await devicesForRole(devices, accountId, roleWord(request.role), request)) ?? { devices: ['*'] };
  const token = `inv_${randomBytes(32).toString('base64url')}`;
  const now = clock.now();
  const invitation: InvitationDocument = {
    _id: createId('inv', now),
    digest: invitationDigest(token),
    accountId,
    email,
    role: roleWord(request.role),
    ...visible,
    invitedBy: caller.name,
    ...(caller.memberId !== undefined && { memberId: caller.memberId }),
    mailed: false,
    createdAt: new Date(now),
    expiresAt: new Date(now + INVITATION_LIFETIME_S * 1000),
  };
  await invitations.insert(invitation);
  await invitations.removeOthers(invitation);
  if (await mailInvitation(context, invitation, token)) return { invitation: { ...invitation, mailed: true } };
  // The token is in the fragment, which browsers send to no server, so it is in no log and no Referer.
  return { invitation, path: `/invitation#${token}` };
}

/**
 * Queues the mail with the link. Returns false where the service sends no mail, or a bound of mails is reached: the response has the link
 * then. After a crash in between, the invitation is shown as not mailed, although it may be.
 */
async function mailInvitation(
  { mailQueue, accounts, invitations }: AccountsContext,
  { _id, accountId, email, role, invitedBy }: InvitationDocument,
  token: string,
): Promise<boolean> {
  const account = mailQueue === undefined ? null : await accounts.find(accountId);
  if (mailQueue === undefined || account === null) return false;
  // The name of a key is any text, which must not be put into the mouth of the service.
  const by = isMailAddress(invitedBy) ? invitedBy : `A member of ${account.email}`;
  const data = { invitedBy: by, account: account.email, role };
  if ((await mailQueue.add({ kind: 'invitation', to: email, accountId, data, token })) !== 'queued') return false;
  await invitations.setMailed(_id);
  return true;
}

/** Returns the stored form of an invitation's token: its lower-case hex SHA-256. */
export function invitationDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

async function assertNoMember({ members, people }: AccountsContext, accountId: string, email: string): Promise<void> {
  const person = await people.findByEmail(email);
  if (person === null || (await members.findPerson(accountId, person._id)) === null) return;
  throw new ApiError(
    'bad_request',
    `email: "${email}" is a member already. Change the role: PATCH /v1/account/members/{id}.`,
  );
}

async function assertRoom({ invitations, clock }: AccountsContext, accountId: string, email: string): Promise<void> {
  const open = (await invitations.list(accountId, MAX_INVITATIONS + 1)).filter(
    (invitation) => invitation.email !== email && invitation.expiresAt.getTime() > clock.now(),
  );
  if (open.length < MAX_INVITATIONS) return;
  throw new ApiError(
    'forbidden',
    `The account has ${MAX_INVITATIONS} open invitations, the most that are possible. Withdraw one: DELETE /v1/account/invitations/{id}.`,
  );
}
