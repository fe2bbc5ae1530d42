import {
  constants,
  createHash,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
  verify,
  X509Certificate,
} from 'node:crypto';
import { ApkError } from './apk-error.js';
import type { ReadBudget } from './read-budget.js';
import { type BlockSignature, prefixed, signatureIn, signingBlock } from './signing-block.js';
import type { ZipFile } from './zip-file.js';

interface Algorithm {
  hash: 'sha256' | 'sha512';
  key?: { padding: number; saltLength?: number };
}

const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING } = constants;

/**
 * Signature algorithms by their ids. Algorithms with a tree of hashes (verity) are left out: tools add such a signature beside another one.
 */
const ALGORITHMS = new Map<number, Algorithm>([
  [0x0101, { hash: 'sha256', key: { padding: RSA_PKCS1_PSS_PADDING, saltLength: 32 } }],
  [0x0102, { hash: 'sha512', key: { padding: RSA_PKCS1_PSS_PADDING, saltLength: 64 } }],
  [0x0103, { hash: 'sha256', key: { padding: RSA_PKCS1_PADDING } }],
  [0x0104, { hash: 'sha512', key: { padding: RSA_PKCS1_PADDING } }],
  [0x0201, { hash: 'sha256' }],
  [0x0202, { hash: 'sha512' }],
  [0x0301, { hash: 'sha256' }],
]);

/** The file is digested in pieces of this size. Then the digests of all pieces are digested together. */
const PIECE_BYTES = 1024 ** 2;

/**
 * Compares the whole file with its signature of scheme v2 or v3, as a phone does before an installation. Throws ApkError with the phone's
 * words when a byte was changed since the signing. It also throws when the signature is not made with the key of its certificate. The
 * digests of the jar scheme are not compared.
 */
export async function verifySignature(zip: ZipFile, budget: ReadBudget): Promise<void> {
  const block = await signingBlock(zip);
  const signature = block && signatureIn(block.pairs);
  if (block === undefined || signature === undefined) return assertNotStripped(zip, budget);
  const { id, algorithm } = verifiedAlgorithm(signature);
  const recorded = itemWith(signature.digests, id);
  if (recorded === undefined) throw failed(signature, 'Signature algorithms differ between digests and signatures');
  const found = await digestOf(zip, block.bytes, algorithm.hash);
  if (recorded.length !== found.length || !timingSafeEqual(recorded, found))
    throw failed(signature, `${algorithm.hash.toUpperCase()} digest of contents did not verify`);
}

const MAX_SIGNATURE_FILE_BYTES = 16 * 1024 ** 2;

/** Throws when a v2 or v3 signature was removed. A signature of the jar scheme records which other schemes the file was signed with. */
async function assertNotStripped(zip: ZipFile, budget: ReadBudget): Promise<void> {
  const name = [...zip.names()].find((one) => /^META-INF\/[^/]+\.SF$/i.test(one));
  const file = name === undefined ? undefined : await zip.read(name, MAX_SIGNATURE_FILE_BYTES, budget);
  // The record is in the first section of the .SF file, which has only a few lines.
  if (file !== undefined && /^X-Android-APK-Signed: *[23, ]*[23]/m.test(file.toString('latin1', 0, 4_096)))
    throw new ApkError('INSTALL_PARSE_FAILED_NO_CERTIFICATES', `Failed to collect certificates from base.apk: ${name} indicates that it is signed with APK Signature Scheme v2 or v3, but no such signature was found`); // prettier-ignore
}

/** Returns the first known algorithm that the file is signed with. Throws when its signature does not match the certificate's key. */
function verifiedAlgorithm(signature: BlockSignature): { id: number; algorithm: Algorithm } {
  const key = keyOf(signature);
  for (const [id, algorithm] of ALGORITHMS) {
    const bytes = signature.signatures && itemWith(signature.signatures, id);
    if (bytes === undefined) continue;
    if (isRight(algorithm, { key, signed: signature.signedData, bytes })) return { id, algorithm };
    throw failed(signature, 'Signature did not verify');
  }
  throw failed(signature, 'No supported signatures');
}

function isRight(
  { hash, key: options }: Algorithm,
  { key, signed, bytes }: { key: KeyObject; signed: Buffer; bytes: Buffer },
): boolean {
  try {
    return verify(hash, signed, { key, ...options }, bytes);
  } catch {
    // The kind of the key does not fit the algorithm.
    return false;
  }
}

function keyOf(signature: BlockSignature): KeyObject {
  try {
    const certificate = new X509Certificate(prefixed(signature.certificates, 0) ?? Buffer.alloc(0));
    const key = createPublicKey({ key: signature.publicKey ?? Buffer.alloc(0), format: 'der', type: 'spki' });
    if (certificate.publicKey.equals(key)) return key;
  } catch {
    throw failed(signature, 'Malformed certificate or public key');
  }
  throw failed(signature, 'Public key mismatch between certificate and signature record');
}

/** Returns the bytes of an algorithm from a list, each item of which begins with an algorithm's id. */
function itemWith(list: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at < list.length;) {
    const item = prefixed(list, at);
    if (item === undefined || item.length < 8) return undefined;
    if (item.readUInt32LE(0) === id) return prefixed(item, 4);
    at += 4 + item.length;
  }
  return undefined;
}

/**
 * Returns the digest of the file without its signing block: the entries, the list of entries, and the end record. The end record is digested
 * as if there were no block.
 */
async function digestOf(zip: ZipFile, blockBytes: number, hash: 'sha256' | 'sha512'): Promise<Buffer> {
  const { offset, fileBytes } = zip.directory;
  const endAt = await endRecordAt(zip);
  const sections = [
    { from: 0, to: offset - blockBytes },
    { from: offset, to: endAt },
  ];
  const buffer = Buffer.alloc(PIECE_BYTES);
  const pieces: Buffer[] = [];
  const add = (bytes: Buffer): void => void pieces.push(createHash(hash).update(framed(0xa5, bytes.length)).update(bytes).digest()); // prettier-ignore
  for (const { from, to } of sections)
    for (let at = from; at < to; at += PIECE_BYTES) add(await zip.readRaw(buffer, at, Math.min(PIECE_BYTES, to - at)));
  const end = Buffer.from(await zip.readRaw(buffer, endAt, fileBytes - endAt));
  end.writeUInt32LE(offset - blockBytes, 16);
  add(end);
  const all = createHash(hash).update(framed(0x5a, pieces.length));
  for (const piece of pieces) all.update(piece);
  return all.digest();
}

const END_BYTES = 22;

/** Returns the place of the end record. Searches from the back for the record's mark, with a comment that reaches to the end of the file. */
async function endRecordAt(zip: ZipFile): Promise<number> {
  const { fileBytes } = zip.directory;
  const length = Math.min(fileBytes, END_BYTES + 65_535);
  const tail = await zip.readRaw(Buffer.alloc(length), fileBytes - length, length);
  for (let at = tail.length - END_BYTES; at >= 0; at--)
    if (tail.readUInt32LE(at) === 0x06054b50 && at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length)
      return fileBytes - tail.length + at;
  throw new ApkError('INSTALL_PARSE_FAILED_NOT_APK', 'Failed to parse APK: its end record is missing');
}

function framed(mark: number, value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(mark, 0);
  bytes.writeUInt32LE(value, 1);
  return bytes;
}

function failed({ scheme }: BlockSignature, detail: string): ApkError {
  return new ApkError(
    'INSTALL_PARSE_FAILED_NO_CERTIFICATES',
    `Failed to collect certificates from base.apk using APK Signature Scheme ${scheme}: ${detail}`,
  );
}
