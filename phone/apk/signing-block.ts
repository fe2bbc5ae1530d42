import type { ZipFile } from './zip-file.js';

/** A signature of the whole file by schemes v2 and v3. It has the first signer of the newest scheme in the block. */
export interface BlockSignature {
  scheme: 'v2' | 'v3';
  /** The part that is signed: digests, certificates, attributes. */
  signedData: Buffer;
  /** Lists in `signedData`. Each item of a list follows its length. */
  digests: Buffer;
  certificates: Buffer;
  /** The list of signatures, in the same form, and the public key that verifies them. */
  signatures: Buffer | undefined;
  publicKey: Buffer | undefined;
}

const MAGIC = 'APK Sig Block 42';
/** The bytes at the end of the block: the block's length, and the magic. */
const FOOTER_BYTES = 24;
/** The bytes of the length that also precedes the block. */
const LENGTH_BYTES = 8;
/** Blocks are padded to pages and hold certificates; stores add some data of theirs. */
const MAX_BLOCK_BYTES = 4 * 1024 ** 2;

/**
 * Returns the size of the block in front of the list of entries, and its pairs of id and value. Returns undefined when there is no block.
 */
export async function signingBlock(zip: ZipFile): Promise<{ bytes: number; pairs: Buffer } | undefined> {
  const footer = await zip.beforeDirectory(FOOTER_BYTES);
  if (footer.length < FOOTER_BYTES || footer.toString('latin1', 8) !== MAGIC) return undefined;
  const bytes = Number(footer.readBigUInt64LE(0));
  if (bytes < FOOTER_BYTES || bytes > MAX_BLOCK_BYTES) return undefined;
  const block = await zip.beforeDirectory(bytes);
  if (block.length < bytes || zip.directory.offset < bytes + LENGTH_BYTES) return undefined;
  return { bytes: bytes + LENGTH_BYTES, pairs: block.subarray(0, bytes - FOOTER_BYTES) };
}

/** The schemes by the ids of their pairs, the newer first. Their values have the same form at the beginning. */
const SCHEMES = [
  { id: 0xf05368c0, scheme: 'v3' },
  { id: 0x7109871a, scheme: 'v2' },
] as const;

/** Returns the signature in the pairs. Returns undefined when the block has no signature of these schemes, or is damaged. */
export function signatureIn(pairs: Buffer): BlockSignature | undefined {
  const values = new Map<number, Buffer>();
  for (let at = 0; at + 12 <= pairs.length;) {
    const bytes = Number(pairs.readBigUInt64LE(at));
    if (bytes < 4 || at + 8 + bytes > pairs.length) return undefined;
    values.set(pairs.readUInt32LE(at + 8), pairs.subarray(at + 12, at + 8 + bytes));
    at += 8 + bytes;
  }
  for (const { id, scheme } of SCHEMES) {
    const value = values.get(id);
    if (value === undefined) continue;
    const signer = prefixed(prefixed(value, 0), 0);
    const signedData = prefixed(signer, 0);
    const digests = prefixed(signedData, 0);
    const certificates = prefixed(signedData, 4 + (digests?.length ?? 0));
    if (signer === undefined || signedData === undefined || digests === undefined || certificates === undefined) return undefined; // prettier-ignore
    // Scheme v3 has the lowest and highest SDK version between the signed data and the signatures.
    const signaturesAt = 4 + signedData.length + (scheme === 'v3' ? 8 : 0);
    const signatures = prefixed(signer, signaturesAt);
    const publicKey = prefixed(signer, signaturesAt + 4 + (signatures?.length ?? 0));
    return { scheme, signedData, digests, certificates, signatures, publicKey };
  }
  return undefined;
}

/** Returns the bytes whose length is at `at`, directly before them. Returns undefined when they are cut off. */
export function prefixed(bytes: Buffer | undefined, at: number): Buffer | undefined {
  if (bytes === undefined || at + 4 > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  return at + 4 + length > bytes.length ? undefined : bytes.subarray(at + 4, at + 4 + length);
}
