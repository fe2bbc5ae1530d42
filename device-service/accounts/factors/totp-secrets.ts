import type { FactorName } from '../../store/second-factors.js';
import type { AccountsContext } from '../accounts-context.js';

/** Sealed texts begin so; base32 has no lower case. */
const SEALED = 'v1.';

/** Returns the stored form of a secret. `id` is its factor, to which a sealed secret is bound. */
export function storedSecret({ secretBox }: Pick<AccountsContext, 'secretBox'>, id: string, secret: string): string {
  return secretBox?.seal(secret, id) ?? secret;
}

/** Returns the secret of an app. Undefined, with a line in the log: it was sealed with a key that this service does not have. */
export function openedSecret(
  { secretBox, log }: Pick<AccountsContext, 'secretBox' | 'log'>,
  { id, secret }: Pick<FactorName, 'id'> & { secret: string },
): string | undefined {
  if (!secret.startsWith(SEALED)) return secret;
  const opened = secretBox?.open(secret, id);
  if (opened === undefined) log.warn({ factor: id }, 'a second factor was sealed with another SECRETS_KEY');
  return opened;
}

/** Returns the text sealed with the first key. The text itself: it is so already. Undefined: no key opens it. */
export function sealedSecret(
  { secretBox }: Pick<AccountsContext, 'secretBox'>,
  { id, secret }: Pick<FactorName, 'id'> & { secret: string },
): string | undefined {
  if (!secret.startsWith(SEALED)) return secretBox?.seal(secret, id);
  if (secretBox?.open(secret, id) === undefined) return undefined;
  return secretBox.sealAgain(secret, id) ?? secret;
}
