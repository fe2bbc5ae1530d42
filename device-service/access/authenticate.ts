import { create } from '@bufbuild/protobuf';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors.js';
import type { Authenticate } from '../../kit/rpc/caller.js';
import { type Caller, CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { callerOfGroupRun } from '../groups/group-rights.js';
import { callerOfShare, type CallerOfShareParts } from '../shares/caller-of-share.js';
import type { GroupStore } from '../store/groups.js';
import type { SessionStore } from '../store/sessions.js';
import { assertActive } from './active-account.js';
import { keyDigest, keyTextOf } from './key-text.js';
import { callerOfKey } from './caller-of-key.js';
import { hasEnded } from './session-end.js';
import { sessionDigest, sessionTokenOf } from './session-token.js';

export interface AuthenticateParts extends CallerOfShareParts {
  groups: GroupStore;
  sessions: SessionStore;
}

/**
 * Returns the caller of an Authorization header: `Bearer <API key>`; `Bearer <token of a share>`; `Session <token>`, which is how the edge
 * passes a panel's cookie on; or `Group <id>.<token>`, with which a run of a group calls the screen service.
 * One text for every reason of refusal, so that it reveals nothing, except to those who have a good key of a disabled account.
 */
export function authenticateWith(parts: AuthenticateParts): Authenticate {
  return async (authorization) => {
    const token = sessionTokenOf(authorization);
    const caller =
      token === undefined
        ? ((await byKey(parts, authorization)) ??
          (await callerOfShare(parts, authorization)) ??
          (await callerOfGroupRun(parts, authorization)))
        : await bySession(parts, token);
    if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    // The account of a share was looked at with the share, whose viewer learns nothing of it, also when it is disabled in between.
    if (caller.sharedPhoneId === undefined) await assertActive(parts.accounts, caller.accountId);
    return caller;
  };
}

async function byKey({ keys, lastUse }: AuthenticateParts, authorization: string): Promise<Caller | undefined> {
  const text = keyTextOf(authorization);
  if (text === undefined) return undefined;
  // Looked up by digest: the time of a comparison reveals nothing about a key that is nearly right.
  const key = await keys.findByDigest(keyDigest(text));
  if (key === null) return undefined;
  lastUse.ofKey(key);
  return callerOfKey(key);
}

async function bySession({ sessions, lastUse, clock }: AuthenticateParts, token: string): Promise<Caller | undefined> {
  const session = await sessions.find(sessionDigest(token));
  if (session === null || hasEnded(session, clock)) return undefined;
  lastUse.ofSession(session);
  return create(CallerSchema, {
    accountId: session.accountId,
    keyId: session.id,
    scope: Scope.OWNER,
    allDevices: true,
  });
}
