import { ApiError, UNAUTHORIZED_MESSAGE } from '../../../kit/errors/api-error.js';
import type { Authenticate } from '../../../kit/rpc/caller.js';
import { worksFrom } from '../../../kit/rpc/works-from.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { SessionDocument } from '../../store/sessions.js';
import { callerOfGroupRun } from './group-rights.js';
import { callerOfShare, type CallerSources } from './caller-of-share.js';
import { assertActive } from './active-account.js';
import { isExpired, keyExpired } from './key-end.js';
import { keyDigest, keyTextOf } from './key-text.js';
import { callerOfMember } from './callers-of-sessions.js';
import { callersOfKeys } from './callers-of-keys.js';
import { memberOfSession } from './member-of-session.js';
import { hasEnded } from './session-end.js';
import { secondFactorOf } from './second-factor-of.js';
import { sessionDigest, sessionTokenOf } from './session-token.js';

/** Asks whoever signed the person in. */
export interface SessionConfirmation {
  /** Returns whether the session goes on. It may change the memberships of the person. */
  confirmSession: (session: SessionDocument, token: string) => Promise<boolean>;
}

/**
 * Returns the caller of an Authorization header, which has one of these forms:
 *
 * - `Bearer <API key>`
 * - `Bearer <token of a share>`
 * - `Session <token>`, with which the edge passes on a panel's cookie
 * - `Group <id>.<token>`, with which a run of a group calls other services
 *
 * A credential that is unknown or has ended is refused with one fixed text, which reveals nothing. A good key, session or run of a disabled
 * account gets another text. So does a key whose time is over. So does a run whose maker has lost the right to it.
 */
export function authenticateWith(context: CallerSources & SessionConfirmation): Authenticate {
  return async (authorization, address) => {
    const token = sessionTokenOf(authorization);
    const caller =
      token === undefined
        ? ((await byKey(context, authorization, address)) ??
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

async function byKey(
  context: CallerSources,
  authorization: string,
  address: string | undefined,
): Promise<Caller | undefined> {
  const text = keyTextOf(authorization);
  if (text === undefined) return undefined;
  // The look-up is by digest, so its time reveals nothing about a key that is nearly right.
  const key = await context.keys.findByDigest(keyDigest(text));
  if (key === null) return undefined;
  const caller = (await callersOfKeys(context, [key])).get(key._id);
  if (caller === undefined) return undefined;
  // Only the holder of the key learns that it has expired.
  if (isExpired(key, context.clock.now())) throw keyExpired(key);
  if (worksFrom(caller, address)) context.lastUse.ofKey(key, address);
  return caller;
}

async function bySession(context: CallerSources & SessionConfirmation, token: string): Promise<Caller | undefined> {
  const session = await context.sessions.find(sessionDigest(token));
  if (session === null || hasEnded(session, context.clock)) return undefined;
  if (!(await context.confirmSession(session, token))) return undefined;
  const found = await memberOfSession(context, session);
  if (found === undefined) return undefined;
  context.lastUse.ofSession(session, found.member);
  const caller = callerOfMember(found.member, found.person, session.id);
  return Object.assign(caller, await secondFactorOf(context.accounts, session, found.person));
}
