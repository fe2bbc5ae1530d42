import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const FORM = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Protects secrets in the database from a reader of the database alone (a backup, a replica). It uses AES-256-GCM, with keys made by HKDF
 * from the operator's one key.
 */
export class SecretBox {
  readonly #sealKey: Buffer;
  readonly #lookupKey: Buffer;
  readonly #also: SecretBox | undefined;

  /** `key`: 32 random bytes. Texts that were sealed with the key `also` open too: the former key, or the next one. */
  constructor(key: Uint8Array, also?: Uint8Array) {
    const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `cloudphone ${use}`, 32));
    this.#sealKey = derive('seal');
    this.#lookupKey = derive('lookup');
    this.#also = also && new SecretBox(also);
  }

  /** `place` is the owner of the secret, such as the id of its document: a secret moved to another place does not open. */
  seal(secret: string, place: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealKey, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return FORM + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Returns the secret. Undefined: the text was not sealed with a key of this box and for this place. */
  open(sealed: string, place: string): string | undefined {
    return this.#openOwn(sealed, place) ?? this.#also?.open(sealed, place);
  }

  /** Returns a text that only the key `also` opens, sealed with the first key. Undefined: it opens with that key, or with none. */
  sealAgain(sealed: string, place: string): string | undefined {
    if (this.#also === undefined || this.#openOwn(sealed, place) !== undefined) return undefined;
    const secret = this.#also.open(sealed, place);
    return secret === undefined ? undefined : this.seal(secret, place);
  }

  #openOwn(sealed: string, place: string): string | undefined {
    const bytes = Buffer.from(sealed.slice(FORM.length), 'base64url');
    if (!sealed.startsWith(FORM) || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv('aes-256-gcm', this.#sealKey, bytes.subarray(0, IV_BYTES), options);
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      // The tag is wrong: another key, another place, or changed bytes. Node does not report which.
      return undefined;
    }
  }

  /** Returns a keyed hash of a secret, hex, by which the database finds it. Without the key, the hash reveals nothing of the secret. */
  lookup(secret: string): string {
    return createHmac('sha256', this.#lookupKey).update(secret).digest('hex');
  }

  /** Returns all hashes by which the database may find a secret: one for each key. */
  lookups(secret: string): string[] {
    return [this.lookup(secret), ...(this.#also?.lookups(secret) ?? [])];
  }
}
