import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { hasRole } from '../../../kit/rpc/caller.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole, Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { assertActive } from './active-account.js';
import type { GroupDocument, GroupMaker } from '../../store/groups.js';
import type { Stores } from '../../store/stores.js';
import { callerOfMemberId } from './callers-of-sessions.js';
import { callersOfKeys } from './callers-of-keys.js';
import { memberOfSession } from './member-of-session.js';

/** The stores that the rights of a maker are read from. */
export type MakerSources = Pick<Stores, 'accounts' | 'keys' | 'members' | 'people'> & { clock: Clock };

/** Returns the caller as the maker of a group, schedule or share. */
export function makerOf({ keyId, scope, memberId }: Caller): GroupMaker {
  return {
    id: keyId,
    isOwner: scope === Scope.PERSON,
    ...(scope === Scope.PERSON && memberId !== undefined && { memberId }),
  };
}

/**
 * Returns the maker of a group, schedule or share as a caller, with its present role, scope and devices. Throws where the account is not
 * active, or the maker has lost the right to control devices.
 */
export async function callerOfMaker(sources: MakerSources, accountId: string, maker: GroupMaker): Promise<Caller> {
  await assertActive(sources.accounts, accountId);
  const caller = maker.isOwner ? await callerOfPerson(sources, accountId, maker) : await callerOfKey(sources, maker.id);
  if (!hasRole(caller, MemberRole.OPERATOR))
    throw new ApiError('forbidden', 'The member who created this may only look at devices now.');
  return caller;
}

async function callerOfPerson(
  { accounts, members, people }: MakerSources,
  accountId: string,
  maker: GroupMaker,
): Promise<Caller> {
  const memberId = maker.memberId ?? (await memberOfSession({ accounts, members, people }, { accountId }))?.member._id;
  const caller =
    memberId === undefined ? undefined : await callerOfMemberId({ members, people }, accountId, memberId, maker.id);
  if (caller === undefined)
    throw new ApiError('unauthorized', 'The person who created this is no member of the account any more.');
  return caller;
}

async function callerOfKey(sources: MakerSources, id: string): Promise<Caller> {
  const [key] = await sources.keys.findGood([id], new Date(sources.clock.now()));
  const caller = key && (await callersOfKeys(sources, [key])).get(id);
  if (caller === undefined)
    throw new ApiError('unauthorized', 'The API key that created this was revoked or has expired.');
  if (caller.scope < Scope.CONTROL) throw new ApiError('forbidden', 'The API key that created this is read-only now.');
  return caller;
}

/**
 * Returns the maker of a group as the caller of the group's steps, which the service makes: the addresses of a key do not hold for them.
 * Throws as callerOfMaker does.
 */
export async function callerOfGroup(
  rights: MakerSources,
  { _id, accountId, maker }: Pick<GroupDocument, '_id' | 'accountId' | 'maker'>,
): Promise<Caller> {
  return { ...(await callerOfMaker(rights, accountId, maker)), allow: [], groupId: _id };
}

/**
 * Creates the credentials of one run of a group for other services: `Group <group id>.<token>`. Only the process of the run knows the
 * token. The database has the token's digest as the id of the run, so the token ends with the run.
 */
export function createRunToken(): { token: string; runId: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, runId: runIdOf(token) };
}

export function groupAuthorization(groupId: string, token: string): string {
  return `Group ${groupId}.${token}`;
}

const AUTHORIZATION = /^Group (grp_[0-9a-z]{25})\.([A-Za-z0-9_-]{43})$/;

/** Returns the caller of a header with such credentials. Undefined: the header has another form, or the run is over. */
export async function callerOfGroupRun(
  { groups, ...rights }: Pick<Stores, 'groups'> & MakerSources,
  authorization: string,
): Promise<Caller | undefined> {
  const [, groupId, token] = AUTHORIZATION.exec(authorization) ?? [];
  if (groupId === undefined || token === undefined) return undefined;
  const group = await groups.find(groupId);
  if (group?.runId !== runIdOf(token) || group.outcome !== undefined) return undefined;
  return callerOfGroup(rights, group);
}

function runIdOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
