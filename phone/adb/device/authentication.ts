import { randomBytes } from 'node:crypto';
import { MalformedPacket } from '../packet-parser.js';
import { AUTH_TOKEN_BYTES } from '../public-key.js';
import type { TrustedKeys } from './trusted-keys.js';

/** arg0 of an AUTH packet. */
export const Auth = { TOKEN: 1, SIGNATURE: 2, PUBLIC_KEY: 3 } as const;

export type AuthStep =
  /** Let the client in. */
  | { kind: 'accepted' }
  /** Send this token in an AUTH packet, so that the client can sign it with its next key. */
  | { kind: 'asked'; token: Buffer }
  /** Send nothing: the client has no key that is trusted, and shows the phone as `unauthorized`. */
  | { kind: 'refused' };

/**
 * Does adbd's side of RSA authentication on one connection. The client signs a random token with each of its keys until one key is trusted.
 * If none is trusted, the client sends a public key, which a person has to accept on the phone. Here no person can accept it. So the
 * connection stays open without a response, as on a phone whose dialog nobody uses.
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
