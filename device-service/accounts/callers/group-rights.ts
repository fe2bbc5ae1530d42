import { createHash, randomBytes } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { ApiError } from '../../../kit/errors/api-error.js';
import { type Caller, CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { assertActive } from './active-account.js';
import { callerOfKey } from './caller-of-key.js';
import type { GroupDocument, GroupMaker } from '../../store/groups.js';
import type { AccountsContext } from '../accounts-context.js';

/**
 * Returns the maker of a group, schedule or share as a caller: the account's owner, or a key with its present scope and devices. Throws
 * where the account is not active, or the key was revoked or is read-only now.
 */
export async function callerOfMaker(
  { accounts, keys }: Pick<AccountsContext, 'accounts' | 'keys'>,
  accountId: string,
  maker: GroupMaker,
): Promise<Caller> {
  await assertActive(accounts, accountId);
  if (maker.isOwner) return create(CallerSchema, { accountId, keyId: maker.id, scope: Scope.OWNER, allDevices: true });
  const [key] = await keys.findGood([maker.id]);
  if (key === undefined) throw new ApiError('unauthorized', 'The API key that created this was revoked.');
  if (key.scope !== 'control') throw new ApiError('forbidden', 'The API key that created this is read-only now.');
  return callerOfKey(key);
}

/** Returns the maker of a group as the caller of the group's steps. Throws as callerOfMaker does. */
export async function callerOfGroup(
  rights: Pick<AccountsContext, 'accounts' | 'keys'>,
  { _id, accountId, maker }: Pick<GroupDocument, '_id' | 'accountId' | 'maker'>,
): Promise<Caller> {
  return { ...(await callerOfMaker(rights, accountId, maker)), groupId: _id };
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
  { groups, ...rights }: Pick<AccountsContext, 'accounts' | 'groups' | 'keys'>,
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
