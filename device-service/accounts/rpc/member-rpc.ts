import type { ServiceImpl } from '@connectrpc/connect';
import { pageOf, cutPage } from '../../../kit/call/page.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { memberNoted } from '../audit/member-noted.js';
import { noteAccount } from '../audit/noted-account.js';
import { callerOf } from '../../../kit/rpc/context.js';
import type { InvitationService, MemberService } from '../../../proto/gen/cloudphone/access/v1/member_service_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { MAX_INVITATIONS } from '../limits.js';
import { acceptInvitation, findInvitation } from '../members/accept-invitation.js';
import { changeMember } from '../members/change-member.js';
import { invitationMessage } from '../members/invitation-message.js';
import { invitationDigest, invite } from '../members/invite.js';
import { listMembers } from '../members/list-members.js';
import { memberMessage } from '../members/member-message.js';
import { removeMember } from '../members/remove-member.js';
import { beginSignIn } from '../oidc/begin-sign-in.js';
import { SignInFailure } from '../oidc/sign-in-failure.js';
import { roleOf } from '../callers/role-words.js';
import { assertPasswordSignIn } from '../people/sign-in-methods.js';
import { addressOf } from './client-address.js';

/** Adapts the operations of members to their rpcs. */
export function memberRpc(parts: AccountsContext): ServiceImpl<typeof MemberService> {
  return {
    listMembers: (request, context) => listMembers(parts, callerOf(context).accountId, request),
    updateMember: async (request, context) => {
      const member = await changeMember(parts, callerOf(context), request);
      const person = await parts.people.find(member.personId);
      return person === null ? {} : { member: memberMessage(member, person) };
    },
    removeMember: async (request, context) => {
      await removeMember(parts, callerOf(context), request);
      return {};
    },
  };
}

/** Adapts the operations of invitations to their rpcs. */
export function invitationRpc(parts: AccountsContext): ServiceImpl<typeof InvitationService> {
  return {
    createInvitation: async (request, context) => {
      const { invitation, path } = await invite(parts, callerOf(context), request);
      return { invitation: invitationMessage(invitation, path) };
    },
    listInvitations: async (request, context) => {
      const { limit, after } = pageOf(request);
      // Twice as many as can be open: the database removes expired ones only once a minute.
      const all = await parts.invitations.list(callerOf(context).accountId, 2 * MAX_INVITATIONS);
      const open = all.filter(({ expiresAt }) => expiresAt.getTime() > parts.clock.now());
      const rest = open.filter(({ _id }) => after === undefined || _id < after);
      const { items, ...page } = cutPage(rest, limit, ({ _id }) => _id);
      return { invitations: items.map((invitation) => invitationMessage(invitation)), ...page };
    },
    deleteInvitation: async ({ id }, context) => {
      if (!(await parts.invitations.remove(callerOf(context).accountId, id)))
        throw new ApiError('not_found', `There is no invitation "${id}". GET /v1/account/invitations lists them.`);
      return {};
    },
    readInvitation: async ({ token }) => {
      const { invitation, account } = await findInvitation(parts, token);
      const { email, role } = invitation;
      const known = (await parts.people.findByEmail(email)) !== null;
      return { email, role: roleOf(role), account: account.email, known };
    },
    acceptInvitation: async (request, context) => {
      assertPasswordSignIn(parts);
      // A wrong password is a refused sign-in of the person. Where it is right, the account of the invitation gets the entry.
      const { email } = (await findInvitation(parts, request.token)).invitation;
      noteAccount(context, () => memberNoted(parts, email));
      const { member, person } = await acceptInvitation(parts, request, addressOf(context));
      const { accountId, _id: actorId, role } = member;
      noteAccount(context, () =>
        Promise.resolve({ accountId, actorKind: 'person', actorId, actorName: person.email, role }),
      );
      return { member: memberMessage(member, person) };
    },
    beginProviderInvitation: async ({ token }, context) => {
      if (parts.oidc === undefined)
        throw new ApiError('not_found', 'This service has no identity provider. Use POST /v1/invitations/accept.');
      await findInvitation(parts, token);
      const purpose = { returnTo: '/', invitationDigest: invitationDigest(token) };
      const { location, loginToken } = await beginSignIn(parts, parts.oidc, purpose, addressOf(context)).catch(
        (error: unknown) => {
          throw error instanceof SignInFailure ? apiErrorOf(error) : error;
        },
      );
      return { url: location, login: { token: loginToken } };
    },
  };
}

/** Returns the error of a sign-in that cannot begin. */
function apiErrorOf(failure: SignInFailure): ApiError {
  return failure.code === 'rate_limited'
    ? new ApiError('rate_limited', 'There are too many sign-ins just now. Wait a few minutes.', { cause: failure })
    : new ApiError('unavailable', 'The identity provider cannot be reached. Try again.', { cause: failure });
}
