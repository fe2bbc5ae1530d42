import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** What a page and its browser put into a response; a test changes them to forge one. */
export interface AuthenticatorPlace {
  origin: string;
  /** The host name that the credential is bound to. */
  rpId: string;
}

/** Flags of authenticator data (WebAuthn, 6.1). */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_CREDENTIAL = 0x40;

/**
 * A WebAuthn authenticator in software: it makes one credential (ES256, attestation `none`) and signs with it, as a browser returns it.
 * Tests need no browser by it, and can forge every part.
 */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #userHandle = '';
  counter = 0;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  /** Returns the RegistrationResponseJSON for the options of navigator.credentials.create. */
  create(optionsText: string, place: AuthenticatorPlace): string {
    const options = JSON.parse(optionsText) as { challenge: string; user: { id: string } };
    this.#userHandle = options.user.id;
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([this.credentialId.length >> 8, this.credentialId.length & 0xff]),
      this.credentialId,
      this.#coseKey(),
    ]);
    const authData = Buffer.concat([this.#data(place, PRESENT | VERIFIED | WITH_CREDENTIAL), credential]);
    const attestation = Buffer.concat([
      cborMap(3),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      cborMap(0),
      cborText('authData'),
      cborBytes(authData),
    ]);
    return this.#response({
      clientDataJSON: clientData('webauthn.create', options.challenge, place).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Returns the AuthenticationResponseJSON for the options of navigator.credentials.get. The counter grows by `growth`. */
  get(
    optionsText: string,
    place: AuthenticatorPlace,
    { isVerified = true, growth = 1 }: { isVerified?: boolean; growth?: number } = {},
  ): string {
    const { challenge } = JSON.parse(optionsText) as { challenge: string };
    this.counter += growth;
    const authData = this.#data(place, PRESENT | (isVerified ? VERIFIED : 0));
    const client = clientData('webauthn.get', challenge, place);
    const signed = Buffer.concat([authData, sha256(client)]);
    return this.#response({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#privateKey).toString('base64url'),
      userHandle: this.#userHandle,
    });
  }

  #data({ rpId }: AuthenticatorPlace, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counter]);
  }

  /** Returns the public key as COSE_Key: key type EC2, algorithm ES256, curve P-256, x and y. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y, 'base64url')),
    ]);
  }

  #response(response: object): string {
    const id = this.credentialId.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
  }
}

function clientData(type: string, challenge: string, { origin }: AuthenticatorPlace): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Returns the head of a CBOR map of fewer than 24 pairs. */
function cborMap(pairs: number): Buffer {
  return Buffer.from([0xa0 | pairs]);
}

/** Returns a CBOR text of fewer than 24 bytes. */
function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)]);
}

/** Returns CBOR bytes, 24 or more, with their length in its shortest form. */
function cborBytes(bytes: Buffer): Buffer {
  const { length } = bytes;
  const head = length < 256 ? [0x58, length] : [0x59, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}
