import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { AcceptInvitationRequest } from '../../../proto/gen/cloudphone/access/v1/member_service_pb.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { InvitationDocument } from '../../store/invitations.js';
import type { MemberDocument, RoleWord } from '../../store/members.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { MAX_MEMBERS, MAX_OWN_ACCOUNTS } from '../limits.js';
import { findPerson } from '../people/find-person.js';
import { checkPassword } from '../people/sign-in.js';
import { dropMember } from './drop-member.js';
import { invitationDigest } from './invite.js';

/** An invitation that can be accepted, and its account. */
interface OpenInvitation {
  invitation: InvitationDocument;
  account: AccountDocument;
}

/** Returns the open invitation of a token. Throws not_found, with one text, for every other token. */
export async function findInvitation(context: AccountsContext, token: string): Promise<OpenInvitation> {
  // The look-up is by digest, so its time reveals nothing about a token that is nearly right.
  const found = await openInvitation(context, invitationDigest(token));
  if (found === undefined) throw noSuchInvitation();
  return found;
}

/**
 * Returns the open invitation of a digest; undefined where it was used or withdrawn, or is too old, or its account is disabled. It counts no
 * more once the member who invited has lost the right to.
 */
export async function openInvitation(
  { accounts, invitations, members, clock }: AccountsContext,
  digest: string,
): Promise<OpenInvitation | undefined> {
  const invitation = await invitations.findByDigest(digest);
  if (invitation === null || invitation.expiresAt.getTime() <= clock.now()) return undefined;
  const { accountId, memberId, role } = invitation;
  const inviter = memberId === undefined ? undefined : await members.find(accountId, memberId);
  if (inviter !== undefined && !mayInvite(inviter?.role, role)) return undefined;
  const account = await accounts.find(accountId);
  return account === null || account.disabledAt !== undefined ? undefined : { invitation, account };
}

function mayInvite(of: RoleWord | undefined, role: RoleWord): boolean {
  return of === 'owner' || (of === 'admin' && role !== 'owner');
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
  const { invitation } = await findInvitation(context, request.token);
  const person = await personOf(context, invitation, request, address);
  if (request.name !== undefined) await context.people.setName(person._id, request.name);
  return join(context, invitation, person);
}

/** Makes a person a member of the account of an invitation, which is used up by it. Throws not_found where it was withdrawn meanwhile. */
export async function join(
  context: AccountsContext,
  invitation: InvitationDocument,
  person: PersonDocument,
): Promise<{ member: MemberDocument; person: PersonDocument }> {
  const { accounts, invitations, members, people, forgetCallers, clock } = context;
  const { accountId, email, role, devices, devicesLabel } = invitation;
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
  await people.setLastAccount(person._id, accountId);
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
