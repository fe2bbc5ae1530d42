import { createHash, randomBytes } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { ApiError } from '../../kit/errors.js';
import { type Caller, CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { assertActive } from '../access/active-account.js';
import { callerOfKey } from '../access/caller-of-key.js';
import type { AccountStore } from '../store/accounts.js';
import type { GroupMaker, GroupStore } from '../store/groups.js';
import type { KeyStore } from '../store/keys.js';

/**
 * The caller that a maker of steps is now: a key with today's scope and devices, or the account's owner. Throws for a key that may
 * not do it any more.
 */
export async function callerOfMaker(
  { accounts, keys }: { accounts: AccountStore; keys: KeyStore },
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

/**
 * The credentials of one run of a group for the screen service: `Group <group id>.<token>`. The token is known to the process that runs it alone;
 * the database has its digest, as the run's id, so that it ends with the run.
 */
export function createRunToken(): { token: string; runId: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, runId: runIdOf(token) };
}

export function groupAuthorization(groupId: string, token: string): string {
  return `Group ${groupId}.${token}`;
}

const AUTHORIZATION = /^Group (grp_[0-9a-z]{25})\.([A-Za-z0-9_-]{43})$/;

/** The caller of such a header; undefined when it is none, or its run is over. */
export async function callerOfGroupRun(
  { groups, ...rights }: { groups: GroupStore; accounts: AccountStore; keys: KeyStore },
  authorization: string,
): Promise<Caller | undefined> {
  const [, groupId, token] = AUTHORIZATION.exec(authorization) ?? [];
  if (groupId === undefined || token === undefined) return undefined;
  const group = await groups.find(groupId);
  if (group?.runId !== runIdOf(token) || group.outcome !== undefined) return undefined;
  return callerOfMaker(rights, group.accountId, group.maker);
}

function runIdOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
