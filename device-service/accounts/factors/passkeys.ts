import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { PersonDocument } from '../../store/people.js';
import type { PasskeyDocument } from '../../store/second-factors.js';
import type { AccountsContext } from '../accounts-context.js';
import { CHALLENGE_LIFETIME_MS, FACTOR_BEGUN_MS } from '../limits.js';

const PARTY = 'Cloudphone';
/** EdDSA, ES256 and RS256 (COSE): every authenticator has one of them, and their keys are short. */
const ALGORITHMS = [-8, -7, -257];
/** Bytes of a public key; one of RSA with 4096 bits has 540. */
const MAX_KEY_BYTES = 1_024;
/** Kinds of connection that a browser may name for a passkey. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

type Site = Pick<AccountsContext, 'log'> & { publicUrl: URL };

/** Returns the options with which a browser makes a passkey, and the challenge among them. */
export async function passkeyToMake(
  { publicUrl }: Site,
  person: PersonDocument,
): Promise<{ options: string; challenge: string }> {
  const options = await generateRegistrationOptions({
    rpName: PARTY,
    rpID: publicUrl.hostname,
    userName: person.email,
    userID: new TextEncoder().encode(person._id),
    timeout: FACTOR_BEGUN_MS,
    attestationType: 'none',
    excludeCredentials: passkeysOf(person).map(({ credentialId: id, transports }) => ({ id, ...named(transports) })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return { options: JSON.stringify(options), challenge: options.challenge };
}

/** Returns the options with which a browser signs by a passkey of the person; without a person, by any passkey for this service. */
export async function passkeyToUse(
  { publicUrl }: Pick<Site, 'publicUrl'>,
  person: PersonDocument | undefined,
): Promise<{ options: string; challenge: string }> {
  const own = person === undefined ? [] : passkeysOf(person);
  const options = await generateAuthenticationOptions({
    rpID: publicUrl.hostname,
    timeout: CHALLENGE_LIFETIME_MS,
    allowCredentials: own.map(({ credentialId: id, transports }) => ({ id, ...named(transports) })),
    // Alone, a passkey stands for the password too: the device must have checked who holds it.
    userVerification: person === undefined ? 'required' : 'preferred',
  });
  return { options: JSON.stringify(options), challenge: options.challenge };
}

/** Returns the passkey that a browser made for the challenge; undefined for a response that is not one of it. */
export async function madePasskey(
  site: Site,
  response: string,
  expectedChallenge: string,
): Promise<PasskeyDocument | undefined> {
  const made = await checked(site, response, (json) =>
    verifyRegistrationResponse({
      response: json as RegistrationResponseJSON,
      expectedChallenge,
      expectedOrigin: site.publicUrl.origin,
      expectedRPID: site.publicUrl.hostname,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  const credential = made?.registrationInfo?.credential;
  if (credential === undefined || credential.publicKey.length > MAX_KEY_BYTES) return undefined;
  return {
    kind: 'passkey',
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: TRANSPORTS.filter((one) => credential.transports?.some((named) => named === one)),
  };
}

/** Returns the counter of a signature by this passkey; undefined for a wrong one, and for one of a copy (its counter did not grow). */
export async function countOfSignature(
  site: Site,
  response: string,
  { credentialId, publicKey, counter, transports }: PasskeyDocument,
  { challenge, isAlone }: { challenge: string; isAlone: boolean },
): Promise<number | undefined> {
  const signed = await checked(site, response, (json) =>
    verifyAuthenticationResponse({
      response: json as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.publicUrl.origin,
      expectedRPID: site.publicUrl.hostname,
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter,
        ...named(transports),
      },
      requireUserVerification: isAlone,
    }),
  );
  return signed?.verified === true ? signed.authenticationInfo.newCounter : undefined;
}

/** Returns the person and the credential that a response names. Undefined: it names none, or is no JSON of the form. */
export function namedIn(response: string): { credentialId: string; personId?: string } | undefined {
  const json = parsed(response) as Partial<AuthenticationResponseJSON> | undefined;
  if (typeof json?.id !== 'string') return undefined;
  const handle = (json.response as Partial<AuthenticationResponseJSON['response']> | undefined)?.userHandle;
  if (typeof handle !== 'string') return { credentialId: json.id };
  return { credentialId: json.id, personId: Buffer.from(handle, 'base64url').toString() };
}

export function passkeysOf({ secondFactors }: PersonDocument): PasskeyDocument[] {
  return (secondFactors?.list ?? []).flatMap((factor) => (factor.kind === 'passkey' ? [factor] : []));
}

function named(transports: readonly string[]): { transports?: AuthenticatorTransport[] } {
  return transports.length === 0 ? {} : { transports: transports as AuthenticatorTransport[] };
}

/** Returns what a check of the library returns; undefined where it throws, as it does for everything that is wrong with a response. */
async function checked<T>(
  { log }: Site,
  response: string,
  check: (json: object) => Promise<T>,
): Promise<T | undefined> {
  const json = parsed(response);
  if (json === undefined) return undefined;
  try {
    return await check(json);
  } catch (error) {
    log.info({ err: error }, 'a passkey was refused');
    return undefined;
  }
}

/** Returns the object of a JSON text; undefined for any other text. */
function parsed(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    // A text that is no JSON is a wrong proof, like any other.
    return undefined;
  }
}
