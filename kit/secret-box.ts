import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const FORM = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Protects secrets in the database from a reader of the database alone (a backup, a replica): AES-256-GCM, with keys
 * made by HKDF from the operator's one key.
 */
export class SecretBox {
  readonly #sealKey: Buffer;
  readonly #lookupKey: Buffer;

  /** `key`: 32 random bytes. */
  constructor(key: Uint8Array) {
    const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `cloudphone ${use}`, 32));
    this.#sealKey = derive('seal');
    this.#lookupKey = derive('lookup');
  }

  /** `place` is the owner of the secret, such as the id of its document: a secret moved to another place does not open. */
  seal(secret: string, place: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealKey, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return FORM + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Undefined for bytes that were not sealed here, with this key and for this place. */
  open(sealed: string, place: string): string | undefined {
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

  /** The same for the same secret, so that it can be looked up; hex. Without the key it reveals nothing of the secret. */
  lookup(secret: string): string {
    return createHmac('sha256', this.#lookupKey).update(secret).digest('hex');
  }
}
