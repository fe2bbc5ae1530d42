import { randomBytes } from 'node:crypto';
import { createId } from '../../kit/ids.js';
import { credit } from '../billing/credit.js';
import type { Ledger } from '../billing/ledger.js';
import { FIRST_CREDIT_MICROS } from '../billing/prices.js';
import type { KeyStore } from '../store/keys.js';
import type { SessionStore } from '../store/sessions.js';
import { createKeyText, keyDigest, keyPrefix } from './key-text.js';
import { createAccount, type SignUpParts } from './sign-up.js';

export interface FirstAccount {
  email: string;
  /** Made up; like the key it is kept as a hash only. */
  password: string;
  /** The text of a control key for all devices; it is not kept anywhere by this service. */
  apiKey: string;
}

/**
 * On an empty database, makes the first account with some credit and a control key for all its devices. Returns undefined when there
 * is an account already. The key is made last: after a crash in between, the next start finds the account without keys and goes on.
 * Open sessions of that account are ended.
 *
 * `keep` is called with the account before it is made, so that a caller can store it where a crash does not lose it. The stored account is
 * valid once this has returned; otherwise the next start makes another one.
 */
export async function createFirstAccount(
  parts: SignUpParts & { keys: KeyStore; sessions: SessionStore; ledger: Ledger },
  email: string,
  keep: (first: FirstAccount) => void = () => undefined,
): Promise<FirstAccount | undefined> {
  const { accounts, keys, sessions, passwords, clock } = parts;
  const known = await accounts.findByEmail(email);
  if (known === null ? await accounts.exist() : await keys.existsFor(known._id)) return undefined;
  const password = randomBytes(15).toString('base64url');
  const apiKey = createKeyText();
  const first = { email, password, apiKey };
  keep(first);
  const account = known ?? (await createAccount(parts, { email, password }));
  if (known !== null) {
    await accounts.setPassword(known._id, await passwords.hash(password));
    await sessions.endAll(known._id);
  }
  await credit(parts, account._id, FIRST_CREDIT_MICROS, 'first');
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

/** Secrets of an account that were kept elsewhere, each of which may have been replaced since. */
export type KeptSecrets = { email: string } & Partial<Pick<FirstAccount, 'password' | 'apiKey'>>;

/** Returns those of `kept` that are still good; undefined when there is no such account. */
export async function stillGood(
  { accounts, keys, passwords }: Pick<SignUpParts, 'accounts' | 'passwords'> & { keys: KeyStore },
  { email, password, apiKey }: KeptSecrets,
): Promise<KeptSecrets | undefined> {
  const account = await accounts.findByEmail(email);
  if (account === null) return undefined;
  const isPassword = password !== undefined && (await passwords.verify(account.passwordHash, password));
  const key = apiKey === undefined ? null : await keys.findByDigest(keyDigest(apiKey));
  return {
    email,
    ...(isPassword && { password }),
    ...(apiKey !== undefined && key?.accountId === account._id && { apiKey }),
  };
}
