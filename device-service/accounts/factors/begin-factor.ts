import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import { SecondFactorKind } from '../../../proto/gen/cloudphone/access/v1/second_factor_pb.js';
import type { PersonDocument } from '../../store/people.js';
import type { SecondFactors } from '../../store/second-factors.js';
import type { AccountsContext } from '../accounts-context.js';
import { MAX_SECOND_FACTORS } from '../limits.js';
import { changeFactors } from './change-factors.js';
import { passkeyToMake } from './passkeys.js';
import { createTotpSecret } from './totp.js';
import { storedSecret } from './totp-secrets.js';

export interface BegunFactor {
  id: string;
  totp?: { secret: string; uri: string };
  passkeyOptions?: string;
}

/** Begins a second factor; it takes the place of another one that was begun. It counts once it is confirmed (confirm-factor.ts). */
export async function beginFactor(
  context: AccountsContext,
  person: PersonDocument,
  { kind, name }: { kind: SecondFactorKind; name: string },
): Promise<BegunFactor> {
  const now = context.clock.now();
  const id = createId('fac', now);
  const named = { id, name, createdAt: new Date(now) };
  if (kind === SecondFactorKind.PASSKEY) {
    const { options, challenge } = await passkeyToMake({ ...context, publicUrl: requirePublicUrl(context) }, person);
    await keep(context, person, { ...named, kind: 'passkey', challenge });
    return { id, passkeyOptions: options };
  }
  const totp = createTotpSecret(person.email);
  await keep(context, person, { ...named, kind: 'totp', secret: storedSecret(context, id, totp.secret), lastStep: 0 });
  return { id, totp };
}

/** Returns where browsers reach the service. Throws bad_request where the operator did not set it. */
export function requirePublicUrl({ publicUrl }: Pick<AccountsContext, 'publicUrl'>): URL {
  if (publicUrl !== undefined) return publicUrl;
  throw new ApiError('bad_request', 'Passkeys need the setting PUBLIC_URL. Ask the operator of the service to set it.');
}

export function tooManyFactors(): ApiError {
  return new ApiError(
    'forbidden',
    `You have ${MAX_SECOND_FACTORS} second factors, the most that are possible. Remove one: DELETE /v1/account/second-factors/{id}.`,
  );
}

function keep(
  context: AccountsContext,
  { _id }: PersonDocument,
  begun: SecondFactors['begun'] & object,
): Promise<void> {
  return changeFactors(context, _id, (factors) => {
    if (factors.list.length >= MAX_SECOND_FACTORS) throw tooManyFactors();
    return { next: { ...factors, begun }, result: undefined };
  });
}
