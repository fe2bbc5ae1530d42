import { createId } from '../../kit/ids.js';
import type { Clock } from '../../kit/clock.js';
import type { AccountStore } from '../store/accounts.js';
import type { KeyStore } from '../store/keys.js';
import { createKeyText, keyDigest, keyPrefix } from './key-text.js';

export interface FirstAccount {
  email: string;
  /** The text of a control key for all devices; it is not kept anywhere by this service. */
  apiKey: string;
}

/**
 * On an empty database, makes the first account with a control key for all its devices. Answers undefined when there is an
 * account already. After a crash between the two writes the next start makes the key: an account without keys counts as empty.
 */
export async function createFirstAccount(
  stores: { accounts: AccountStore; keys: KeyStore },
  clock: Clock,
  email: string,
): Promise<FirstAccount | undefined> {
  const known = await stores.accounts.findAny();
  if (known !== null && (await stores.keys.existsFor(known._id))) return undefined;
  const account = known ?? { _id: createId('acc', clock.now()), email, createdAt: new Date(clock.now()) };
  if (known === null) await stores.accounts.insert(account);
  const apiKey = createKeyText();
  await stores.keys.insert({
    _id: createId('key', clock.now()),
    accountId: account._id,
    name: 'quickstart',
    scope: 'control',
    devices: ['*'],
    digest: keyDigest(apiKey),
    prefix: keyPrefix(apiKey),
    createdAt: new Date(clock.now()),
  });
  return { email: account.email, apiKey };
}
