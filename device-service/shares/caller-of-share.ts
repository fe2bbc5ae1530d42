import { create } from '@bufbuild/protobuf';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { type Caller, CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { keyDigest } from '../access/key-text.js';
import type { LastUse } from '../access/last-use.js';
import { maySee } from '../access/visibility.js';
import { callerOfMaker } from '../groups/group-rights.js';
import type { AccountStore } from '../store/accounts.js';
import type { DeviceStore } from '../store/devices.js';
import type { KeyStore } from '../store/keys.js';
import type { ShareDocument, ShareStore } from '../store/shares.js';
import { shareTokenOf } from './share-token.js';

export interface CallerOfShareParts {
  accounts: AccountStore;
  devices: DeviceStore;
  keys: KeyStore;
  shares: ShareStore;
  lastUse: LastUse;
  clock: Clock;
}

/**
 * The caller of a share's token; undefined when the header has none, or the share has ended. Its rights end with those of its maker: a
 * share never allows more than the key that made it does now. That includes an account that is disabled, of which a viewer learns nothing.
 */
export async function callerOfShare(parts: CallerOfShareParts, authorization: string): Promise<Caller | undefined> {
  const token = shareTokenOf(authorization);
  if (token === undefined) return undefined;
  // Looked up by digest: the time of a comparison reveals nothing about a token that is nearly right.
  const share = await parts.shares.findByDigest(keyDigest(token));
  if (share === null || hasExpired(share, parts.clock) || !(await isAllowed(parts, share))) return undefined;
  parts.lastUse.ofShare(share);
  return create(CallerSchema, {
    accountId: share.accountId,
    keyId: share._id,
    scope: share.access === 'read' ? Scope.READ : Scope.CONTROL,
    sharedPhoneId: share.phoneId,
  });
}

/** Whether its time is over, also of one that the database has not removed yet. */
export function hasExpired({ expiresAt }: ShareDocument, clock: Clock): boolean {
  return expiresAt.getTime() <= clock.now();
}

/** Whether its device is there and its maker may share it now. */
async function isAllowed(parts: CallerOfShareParts, { accountId, phoneId, maker }: ShareDocument): Promise<boolean> {
  const device = await parts.devices.findById(phoneId);
  if (device === null || device.gone === true) return false;
  try {
    return maySee(await callerOfMaker(parts, accountId, maker), device);
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'unauthorized' || error.kind === 'forbidden')) return false;
    throw error;
  }
}
