import { create } from '@bufbuild/protobuf';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../../../kit/errors/api-error.js';
import type { Authenticate } from '../../../kit/rpc/caller.js';
import { type Caller, CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { callerOfGroupRun } from './group-rights.js';
import { callerOfShare, type CallerSources } from './caller-of-share.js';
import { assertActive } from './active-account.js';
import { keyDigest, keyTextOf } from './key-text.js';
import { callerOfKey } from './caller-of-key.js';
import { hasEnded } from './session-end.js';
import { sessionDigest, sessionTokenOf } from './session-token.js';

/**
 * Returns the caller of an Authorization header, which has one of these forms:
 *
 * - `Bearer <API key>`
 * - `Bearer <token of a share>`
 * - `Session <token>`, with which the edge passes on a panel's cookie
 * - `Group <id>.<token>`, with which a run of a group calls other services
 *
 * A credential that is unknown or has ended is refused with one fixed text, which reveals nothing. A good key, session or run of a disabled
 * account gets another text. So does a run whose maker has lost the right to it.
 */
export function authenticateWith(context: CallerSources): Authenticate {
  return async (authorization) => {
    const token = sessionTokenOf(authorization);
    const caller =
      token === undefined
        ? ((await byKey(context, authorization)) ??
          (await callerOfShare(context, authorization)) ??
          (await callerOfGroupRun(context, authorization)))
        : await bySession(context, token);
    if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    // The account of a share was checked together with the share. A second check could reveal to the share's viewer that the account was
    // disabled in between.
    if (caller.sharedPhoneId === undefined) await assertActive(context.accounts, caller.accountId);
    return caller;
  };
}

async function byKey({ keys, lastUse }: CallerSources, authorization: string): Promise<Caller | undefined> {
  const text = keyTextOf(authorization);
  if (text === undefined) return undefined;
  // The look-up is by digest, so its time reveals nothing about a key that is nearly right.
  const key = await keys.findByDigest(keyDigest(text));
  if (key === null) return undefined;
  lastUse.ofKey(key);
  return callerOfKey(key);
}

async function bySession({ sessions, lastUse, clock }: CallerSources, token: string): Promise<Caller | undefined> {
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
