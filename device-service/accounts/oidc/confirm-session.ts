import { createHash } from 'node:crypto';
import { ResponseBodyError } from 'openid-client';
import { SecretBox } from '../../../kit/text/secret-box.js';
import type { SessionDocument, SessionOfProvider } from '../../store/sessions.js';
import type { AccountsContext } from '../accounts-context.js';
import { sessionDigest } from '../callers/session-token.js';
import { applyGroups } from './apply-groups.js';
import type { Oidc } from './oidc.js';
import type { Answer } from './provider.js';
import { wantedRoles } from './wanted-roles.js';

/** How long the provider's word about a person counts, ms. */
export const CONFIRMED_MS = 3_600_000;
/** How much longer a session works while the provider is away, ms. */
export const GRACE_MS = 15 * 60_000;
/** How long one confirmation has before another may begin, ms: more than the answers that it waits for. */
const CLAIM_MS = 60_000;

/** Returns what a new session stores about the provider. Its refresh token opens only with the session's token. */
export function sessionOfProvider(
  { clock }: Pick<AccountsContext, 'clock'>,
  { claims: { subject }, refreshToken }: Answer,
  token: string,
): SessionOfProvider {
  return {
    subject,
    ...(refreshToken !== undefined && { refreshToken: boxOf(token).seal(refreshToken, sessionDigest(token)) }),
    confirmedAt: new Date(clock.now()),
    dueAt: new Date(clock.now() + CONFIRMED_MS),
  };
}

/**
 * Returns whether a session goes on. After an hour, the provider is asked by its first use, and the groups are applied. A refusal ends the
 * session. While the provider is away, the session works for the grace, and waits without ending after it.
 */
export async function confirmSession(
  context: AccountsContext,
  oidc: Oidc | undefined,
  session: SessionDocument,
  token: string,
): Promise<boolean> {
  const { sessions, clock } = context;
  const { provider, _id } = session;
  if (provider === undefined) return true;
  const inGrace = provider.confirmedAt.getTime() + CONFIRMED_MS + GRACE_MS > clock.now();
  if (provider.dueAt.getTime() > clock.now()) return inGrace;
  const refreshToken = provider.refreshToken && boxOf(token).open(provider.refreshToken, _id);
  if (oidc === undefined || refreshToken === undefined || refreshToken === '') return end(context, session);
  // Requests that come meanwhile do not wait.
  if (!(await sessions.claimConfirmation(_id, provider.dueAt, new Date(clock.now() + CLAIM_MS)))) return inGrace;
  try {
    const answer = await oidc.provider.refresh(refreshToken, provider.subject);
    const confirmed = sessionOfProvider(context, answer, token);
    // The old refresh token may be used up by now, so the new one is stored before anything else can fail.
    const { confirmedAt } = provider;
    await sessions.setProvider(_id, { ...confirmed, confirmedAt, dueAt: new Date(clock.now() + CLAIM_MS) });
    if (session.personId !== undefined) {
      await applyGroups(context, session.personId, await wantedRoles(context, oidc.config, answer.claims.groups));
    }
    await sessions.setProvider(_id, confirmed);
    return true;
  } catch (error) {
    if (isRefusal(error)) return end(context, session);
    context.log.warn({ err: error, session: session.id }, 'the identity provider did not confirm a session');
    return inGrace;
  }
}

/** Returns whether the provider has said no, or says something else than it should. Other errors may be gone by the next try. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant';
  return false;
}

async function end({ sessions, forgetCallers }: AccountsContext, { personId, id }: SessionDocument): Promise<false> {
  if (personId !== undefined) await sessions.end(personId, id);
  forgetCallers();
  return false;
}

function boxOf(token: string): SecretBox {
  return new SecretBox(createHash('sha256').update(`refresh ${token}`).digest());
}
