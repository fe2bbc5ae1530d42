import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { AcceptInvitationRequest } from '../../../proto/gen/cloudphone/access/v1/member_service_pb.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { InvitationDocument } from '../../store/invitations.js';
import type { MemberDocument } from '../../store/members.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { MAX_MEMBERS, MAX_OWN_ACCOUNTS } from '../limits.js';
import { findPerson } from '../people/find-person.js';
import { checkPassword } from '../people/sign-in.js';
import { dropMember } from './drop-member.js';
import { invitationDigest } from './invite.js';

/** Returns the open invitation of a token, and its account. Throws not_found, with one text, for every other token. */
export async function findInvitation(
  { accounts, invitations, clock }: AccountsContext,
  token: string,
): Promise<{ invitation: InvitationDocument; account: AccountDocument }> {
  // The look-up is by digest, so its time reveals nothing about a token that is nearly right.
  const invitation = await invitations.findByDigest(invitationDigest(token));
  const account = invitation === null ? null : await accounts.find(invitation.accountId);
  if (invitation !== null && account?.disabledAt === undefined && invitation.expiresAt.getTime() > clock.now()) {
    if (account !== null) return { invitation, account };
  }
  throw noSuchInvitation();
}

/**
 * Joins the account of an invitation, as the person with the invited address. Someone new is made, with a password of their choice.
 *
 * The person comes first, then the member, and the invitation goes last. After a crash, the same request goes on: the person
 * is known by then, with the password of the request. A member that exists stays as it is.
 */
export async function acceptInvitation(
  context: AccountsContext,
  request: AcceptInvitationRequest,
  address: string,
): Promise<{ member: MemberDocument; person: PersonDocument }> {
  const { accounts, invitations, members, people, forgetCallers, clock } = context;
  const { invitation, account } = await findInvitation(context, request.token);
  const { accountId, email, role, devices, devicesLabel } = invitation;
  const person = await personOf(context, invitation, request, address);
  if (request.name !== undefined) await people.setName(person._id, request.name);
  await assertRoom(context, accountId, person._id);
  const member: MemberDocument = {
    _id: createId('mem', clock.now()),
    accountId,
    personId: person._id,
    role,
    ...{ devices, ...(devicesLabel !== undefined && { devicesLabel }) },
    createdAt: new Date(clock.now()),
  };
  const isNew = await members.insert(member);
  if (isNew && role === 'owner') await accounts.addOwner(accountId, member._id);
  // Two requests with the link at the same time make one member. So an invitation that is gone was withdrawn meanwhile.
  if (!(await invitations.remove(accountId, invitation._id)) && isNew) {
    await dropMember(context, member);
    await accounts.forgetOwner(accountId, member._id);
    throw noSuchInvitation();
  }
  await people.setLastAccount(person._id, account._id);
  forgetCallers();
  const known = isNew ? member : await members.findPerson(accountId, person._id);
  const named = await people.find(person._id);
  if (known === null || named === null) throw new Error(`the member for ${email} was removed while it joined`);
  return { member: known, person: named };
}

async function personOf(
  context: AccountsContext,
  { email }: InvitationDocument,
  { password }: AcceptInvitationRequest,
  address: string,
): Promise<PersonDocument> {
  const { people, passwords, throttle, clock } = context;
  if ((await findPerson(context, email)) !== null) return checkPassword(context, { email, password }, address);
  throttle.signUp(address);
  const person: PersonDocument = {
    _id: createId('per', clock.now()),
    email,
    passwordHash: await passwords.hash(password, address),
    createdAt: new Date(clock.now()),
  };
  // Another request with the same link may have made the person just now, with a password of its own.
  return (await people.insert(person)) ? person : checkPassword(context, { email, password }, address);
}

async function assertRoom({ members }: AccountsContext, accountId: string, personId: string): Promise<void> {
  if ((await members.list(accountId, MAX_MEMBERS)).length >= MAX_MEMBERS)
    throw new ApiError('forbidden', `The account has ${MAX_MEMBERS} members, the most that are possible.`);
  if ((await members.ofPerson(personId, MAX_OWN_ACCOUNTS)).length >= MAX_OWN_ACCOUNTS)
    throw new ApiError(
      'forbidden',
      `You are in ${MAX_OWN_ACCOUNTS} accounts, the most that are possible. Leave one first.`,
    );
}

function noSuchInvitation(): ApiError {
  return new ApiError(
    'not_found',
    'This invitation does not exist, was used or withdrawn, or is older than 7 days. Ask for another one.',
  );
}
