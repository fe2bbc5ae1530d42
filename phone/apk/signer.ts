import { createHash } from 'node:crypto';
import type { ZipFile } from './zip-file.js';

/** From this target SDK on (Android 11) a signature of the jar scheme (v1) alone does not count. */
const SIGNING_BLOCK_NEEDED = 30;

/**
 * Returns the SHA-256 (hex) of the certificate that an APK is signed with, of the newest scheme that it has. Android compares it when
 * an app is updated. Undefined when it is not signed in a way that Android takes for its target SDK. Whether the signature is right
 * is not verified.
 */
export async function signerOf(zip: ZipFile, targetSdk: number): Promise<string | undefined> {
  const block = await signingBlock(zip);
  const certificate =
    (block && certificateInBlock(block)) ??
    (targetSdk < SIGNING_BLOCK_NEEDED ? await certificateOfJar(zip) : undefined);
  return certificate === undefined ? undefined : createHash('sha256').update(certificate).digest('hex');
}

const MAGIC = 'APK Sig Block 42';
/** Its own length, and the magic. */
const FOOTER_BYTES = 24;
/** Blocks are padded to pages and hold certificates; stores add some data of theirs. */
const BLOCK_MAX_BYTES = 4 * 1024 ** 2;

/** The pairs of id and value in front of the list of entries; undefined when there are none. */
async function signingBlock(zip: ZipFile): Promise<Buffer | undefined> {
  const footer = await zip.beforeDirectory(FOOTER_BYTES);
  if (footer.length < FOOTER_BYTES || footer.toString('latin1', 8) !== MAGIC) return undefined;
  const bytes = Number(footer.readBigUInt64LE(0));
  if (bytes < FOOTER_BYTES || bytes > BLOCK_MAX_BYTES) return undefined;
  const block = await zip.beforeDirectory(bytes);
  return block.length < bytes ? undefined : block.subarray(0, bytes - FOOTER_BYTES);
}

/** Of schemes v3 and v2, the newer first; they begin alike. */
const SCHEMES = [0xf05368c0, 0x7109871a];

function certificateInBlock(block: Buffer): Buffer | undefined {
  const values = new Map<number, Buffer>();
  for (let at = 0; at + 12 <= block.length;) {
    const bytes = Number(block.readBigUInt64LE(at));
    if (bytes < 4 || at + 8 + bytes > block.length) return undefined;
    values.set(block.readUInt32LE(at + 8), block.subarray(at + 12, at + 8 + bytes));
    at += 8 + bytes;
  }
  const value = SCHEMES.map((id) => values.get(id)).find((one) => one !== undefined);
  // Signers, the first one, its signed data; in that the digests, and then the certificates.
  const signed = prefixed(prefixed(prefixed(value, 0), 0), 0);
  const digests = prefixed(signed, 0);
  return prefixed(prefixed(signed, 4 + (digests?.length ?? 0)), 0);
}

/** The bytes at `at` behind their length; undefined when that is cut off. */
function prefixed(bytes: Buffer | undefined, at: number): Buffer | undefined {
  if (bytes === undefined || at + 4 > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  return at + 4 + length > bytes.length ? undefined : bytes.subarray(at + 4, at + 4 + length);
}

const SIGNATURE_MAX_BYTES = 1024 ** 2;

/** The first certificate in the PKCS #7 file of the jar scheme. */
async function certificateOfJar(zip: ZipFile): Promise<Buffer | undefined> {
  const name = [...zip.names()].find((one) => /^META-INF\/[^/]+\.(RSA|DSA|EC)$/i.test(one));
  const file = name === undefined ? undefined : await zip.read(name, SIGNATURE_MAX_BYTES);
  // ContentInfo { type, [0] { SignedData { version, digests, content, [0] { certificates } … } } }
  const signedData = inner(inner(inner(file, 0x30), 0xa0), 0x30);
  const certificates = inner(signedData, 0xa0);
  return certificates && elements(certificates)[0]?.whole;
}

interface Element {
  tag: number;
  content: Buffer;
  /** With tag and length. */
  whole: Buffer;
}

/** The content of the first element with this tag; of a file, its one element. */
function inner(bytes: Buffer | undefined, tag: number): Buffer | undefined {
  return bytes && elements(bytes).find((element) => element.tag === tag)?.content;
}

/** The DER elements one after the other, up to the first that is cut off. */
function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const [tag = 0, short = 0] = bytes.subarray(at, at + 2);
    const extra = short < 0x80 ? 0 : short & 0x7f;
    if (extra > 4 || at + 2 + extra > bytes.length) break;
    const length = extra === 0 ? short : bytes.readUIntBE(at + 2, extra);
    const from = at + 2 + extra;
    if (from + length > bytes.length) break;
    found.push({ tag, content: bytes.subarray(from, from + length), whole: bytes.subarray(at, from + length) });
    at = from + length;
  }
  return found;
}
