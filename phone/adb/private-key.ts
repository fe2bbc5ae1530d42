import { type KeyObject, constants, createHash, createPrivateKey, privateEncrypt } from 'node:crypto';
import { MODULUS_BYTES, SHA1_PREFIX } from './public-key.js';

/** The modulus as words of 32 bits. */
const MODULUS_WORDS = MODULUS_BYTES / 4;

/** The key with which a host proves to phones that it is a trusted one: a 2048 bit RSA key, kept as `~/.android/adbkey` is. */
export class AdbPrivateKey {
  readonly #key: KeyObject;
  /** The public half as in `adbkey.pub`, without the name: base64 of adb's own format. */
  readonly publicKey: string;

  private constructor(key: KeyObject, publicKey: Buffer) {
    this.#key = key;
    this.publicKey = publicKey.toString('base64');
  }

  /** Parses the PEM text of an `adbkey` file. Throws one line when it is not an unencrypted 2048 bit RSA private key. */
  static parse(pem: string): AdbPrivateKey {
    let key: KeyObject;
    try {
      key = createPrivateKey(pem);
    } catch (error) {
      throw new Error('it is not a private key in PEM without a password, such as "adb keygen" makes', {
        cause: error,
      });
    }
    if (key.asymmetricKeyType !== 'rsa' || key.asymmetricKeyDetails?.modulusLength !== MODULUS_BYTES * 8)
      throw new Error('it is not a 2048 bit RSA key, which is the only kind that phones take');
    return new AdbPrivateKey(key, encodePublicKey(key));
  }

  /** Signs the token of an AUTH packet. */
  sign(token: Uint8Array): Buffer {
    const padding = constants.RSA_PKCS1_PADDING;
    return privateEncrypt({ key: this.#key, padding }, Buffer.concat([SHA1_PREFIX, token]));
  }

  /** Returns the payload of the AUTH packet that offers the key to the phone's owner. `name` has the form `user@host`, as adb writes it. */
  offer(name: string): Buffer {
    return Buffer.from(`${this.publicKey} ${name}\0`);
  }

  /** The fingerprint that the phone shows to its owner for confirmation: MD5 of the public key, `1A:2B:...`. */
  get fingerprint(): string {
    const digest = createHash('md5').update(Buffer.from(this.publicKey, 'base64')).digest('hex');
    return (digest.toUpperCase().match(/../g) ?? []).join(':');
  }
}

/**
 * Encodes in adb's format: the number of words in the modulus, -1/n mod 2^32, the modulus n, 2^4096 mod n, the exponent. All are
 * little-endian.
 */
function encodePublicKey(key: KeyObject): Buffer {
  const { n = '', e = '' } = key.export({ format: 'jwk' });
  const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`);
  const exponent = Buffer.from(e, 'base64url').readUIntBE(0, Buffer.from(e, 'base64url').length);
  return Buffer.concat([
    littleEndian(BigInt(MODULUS_WORDS), 4),
    littleEndian(WORD - inverse(modulus % WORD), 4),
    littleEndian(modulus, MODULUS_BYTES),
    littleEndian((1n << BigInt(2 * MODULUS_BYTES * 8)) % modulus, MODULUS_BYTES),
    littleEndian(BigInt(exponent), 4),
  ]);
}

const WORD = 1n << 32n;

/** Returns 1/odd mod 2^32. Each round of Newton's method doubles the number of right bits. */
function inverse(odd: bigint): bigint {
  let guess = odd;
  for (let round = 0; round < 5; round++) guess = (guess * (2n - odd * guess)) % WORD;
  return ((guess % WORD) + WORD) % WORD;
}

function littleEndian(value: bigint, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex').reverse();
}
