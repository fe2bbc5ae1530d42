import { randomBytes } from 'node:crypto';
import { MalformedPacket } from '../packet-parser.js';
import { AUTH_TOKEN_BYTES } from '../public-key.js';
import type { TrustedKeys } from './trusted-keys.js';

/** arg0 of an AUTH packet. */
export const Auth = { TOKEN: 1, SIGNATURE: 2, PUBLIC_KEY: 3 } as const;

export type AuthStep =
  /** Let the client in. */
  | { kind: 'accepted' }
  /** Send this token in an AUTH packet, for the next of the client's keys. */
  | { kind: 'asked'; token: Buffer }
  /** Send nothing: the client has no key that is trusted, and shows the phone as `unauthorized`. */
  | { kind: 'refused' };

/**
 * adbd's side of RSA authentication on one connection: the client signs a random token with each of its keys until one is trusted.
 * A client without such a key then sends a public key, for a person to accept on the phone. There is no person to accept it, so the
 * connection stays open without a response, as it does on a phone whose dialog is left alone.
 */
export class Authentication {
  readonly #keys: TrustedKeys;
  #token = randomBytes(AUTH_TOKEN_BYTES);

  constructor(keys: TrustedKeys) {
    this.#keys = keys;
  }

  get token(): Buffer {
    return this.#token;
  }

  /** Takes an AUTH packet of the client. */
  handle(type: number, payload: Buffer): AuthStep {
    if (type === Auth.PUBLIC_KEY) return { kind: 'refused' };
    if (type !== Auth.SIGNATURE) throw new MalformedPacket(`AUTH of type ${type} from a client`);
    if (this.#keys.verify(this.#token, payload)) return { kind: 'accepted' };
    this.#token = randomBytes(AUTH_TOKEN_BYTES);
    return { kind: 'asked', token: this.#token };
  }
}
