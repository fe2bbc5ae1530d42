import { create } from '@bufbuild/protobuf';
import type { Clock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { type Caller, CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { keyDigest } from './key-text.js';
import { maySee } from '../../../kit/rpc/may-see.js';
import { callerOfMaker } from './group-rights.js';
import type { ShareDocument } from '../../store/shares.js';
import { shareTokenOf } from './share-token.js';
import type { AccountsContext } from '../accounts-context.js';

/** The stores from which the caller of a credential is made. */
export type CallerSources = Pick<
  AccountsContext,
  'accounts' | 'devices' | 'groups' | 'keys' | 'members' | 'people' | 'sessions' | 'shares' | 'lastUse' | 'clock'
>;

/**
 * Returns the caller of a share's token; undefined when the header has none, or the share has ended. Its rights end with the rights of
 * its maker: a share never allows more than its maker's key allows now. When the account is disabled, the share ends too, and its viewer
 * learns nothing of the account.
 */
export async function callerOfShare(context: CallerSources, authorization: string): Promise<Caller | undefined> {
  const token = shareTokenOf(authorization);
  if (token === undefined) return undefined;
  // The look-up is by digest, so its time reveals nothing about a token that is nearly right.
  const share = await context.shares.findByDigest(keyDigest(token));
  if (share === null || hasExpired(share, context.clock) || !(await isAllowed(context, share))) return undefined;
  context.lastUse.ofShare(share);
  return create(CallerSchema, {
    accountId: share.accountId,
    keyId: share._id,
    scope: share.access === 'read' ? Scope.READ : Scope.CONTROL,
    sharedPhoneId: share.phoneId,
    sharedBy: share.maker.id,
  });
}

/** Returns whether the share's time is over, even where the database has not removed it yet. */
export function hasExpired({ expiresAt }: ShareDocument, clock: Clock): boolean {
  return expiresAt.getTime() <= clock.now();
}

/** Returns whether the share's device exists and its maker may share it now. */
async function isAllowed(
  context: CallerSources,
  { accountId, phoneId, maker, handoverId }: ShareDocument,
): Promise<boolean> {
  const device = await context.devices.findById(phoneId);
  if (device === null || device.gone === true) return false;
  if (handoverId !== undefined && device.handover?.id !== handoverId) return false;
  try {
    return maySee(await callerOfMaker(context, accountId, maker), device);
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'unauthorized' || error.kind === 'forbidden')) return false;
    throw error;
  }
}
