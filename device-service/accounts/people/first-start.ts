import { randomBytes } from 'node:crypto';
import { createId } from '../../../kit/text/ids.js';
import { credit } from '../billing/credit.js';
import { FIRST_CREDIT_MICROS } from '../billing/prices.js';
import { createKeyText, keyDigest, keyPrefix } from '../callers/key-text.js';
import { adoptOwner } from '../../store/adopt-owners.js';
import { createAccount } from './sign-up.js';
import { findPerson } from './find-person.js';
import type { AccountsContext } from '../accounts-context.js';

export interface FirstAccount {
  email: string;
  /** The generated password; like the key it is stored as a hash only. */
  password: string;
  /** The text of a control key for all devices; this service does not store it. */
  apiKey: string;
}

/**
 * On an empty database, makes the first account with some credit and a control key for all its devices. Returns undefined when another
 * account exists, or this one has a key. The key is made last. After a crash in between, the next start finds the account without keys and
 * goes on. Open sessions of that account are ended.
 *
 * `keep` is called with the account before it is made, so that a caller can store it where a crash does not lose it. What `keep` stored is
 * valid once this function has returned. After a crash before that, the next start makes another password and key.
 */
export async function createFirstAccount(
  context: AccountsContext,
  email: string,
  keep: (first: FirstAccount) => void = () => undefined,
): Promise<FirstAccount | undefined> {
  const { accounts, keys, people, sessions, passwords, clock } = context;
  const known = await accounts.findByEmail(email);
  if (known === null ? await accounts.exist() : await keys.existsFor(known._id)) return undefined;
  const password = randomBytes(15).toString('base64url');
  const apiKey = createKeyText();
  const first = { email, password, apiKey };
  keep(first);
  const account = known ?? (await createAccount(context, { email, password }));
  if (known !== null) {
    const owner = await adoptOwner(context, known);
    if (owner === null)
      throw new Error(`the account ${known._id} has no owner, and its address is that of someone else`);
    await people.setPassword(owner._id, await passwords.hash(password));
    await sessions.endAll(owner._id);
  }
  await credit(context, account._id, FIRST_CREDIT_MICROS, 'first');
  await keys.insert({
    _id: createId('key', clock.now()),
    accountId: account._id,
    name: 'quickstart',
    scope: 'control',
    devices: ['*'],
    digest: keyDigest(apiKey),
    prefix: keyPrefix(apiKey),
    createdAt: new Date(clock.now()),
  });
  return first;
}

/** Secrets of an account that were stored elsewhere. Each of them may have been replaced since. */
export type KeptSecrets = { email: string } & Partial<Pick<FirstAccount, 'password' | 'apiKey'>>;

/** Returns the secrets of `kept` that are still good; undefined when the account does not exist. */
export async function stillGood(
  context: AccountsContext,
  { email, password, apiKey }: KeptSecrets,
): Promise<KeptSecrets | undefined> {
  const { accounts, keys, passwords } = context;
  const account = await accounts.findByEmail(email);
  if (account === null) return undefined;
  const person = await findPerson(context, email);
  const isPassword = password !== undefined && (await passwords.verify(person?.passwordHash, password));
  const key = apiKey === undefined ? null : await keys.findByDigest(keyDigest(apiKey));
  return {
    email,
    ...(isPassword && { password }),
    ...(apiKey !== undefined && key?.accountId === account._id && { apiKey }),
  };
}
