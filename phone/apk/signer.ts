import { createHash } from 'node:crypto';
import type { ReadBudget } from './read-budget.js';
import { prefixed, signatureIn, signingBlock } from './signing-block.js';
import type { ZipFile } from './zip-file.js';

/** From this target SDK on (Android 11) a signature of the jar scheme (v1) alone does not count. */
const SIGNING_BLOCK_NEEDED = 30;

/**
 * Returns the SHA-256 (hex) of the certificate that an APK is signed with, by the newest of its signature schemes. Android compares the
 * certificates when an app is updated. Undefined when the APK is unsigned, or Android refuses its only scheme for its target SDK.
 * The signature itself is verified elsewhere (verify-signature.ts).
 */
export async function signerOf(zip: ZipFile, targetSdk: number, budget: ReadBudget): Promise<string | undefined> {
  const block = await signingBlock(zip);
  const signature = block && signatureIn(block.pairs);
  const certificate =
    prefixed(signature?.certificates, 0) ??
    (targetSdk < SIGNING_BLOCK_NEEDED ? await certificateOfJar(zip, budget) : undefined);
  return certificate === undefined ? undefined : createHash('sha256').update(certificate).digest('hex');
}

const MAX_SIGNATURE_BYTES = 1024 ** 2;

/** Returns the first certificate in the PKCS #7 file of the jar scheme. */
async function certificateOfJar(zip: ZipFile, budget: ReadBudget): Promise<Buffer | undefined> {
  const name = [...zip.names()].find((one) => /^META-INF\/[^/]+\.(RSA|DSA|EC)$/i.test(one));
  const file = name === undefined ? undefined : await zip.read(name, MAX_SIGNATURE_BYTES, budget);
  // ContentInfo { type, [0] { SignedData { version, digests, content, [0] { certificates } … } } }
  const signedData = inner(inner(inner(file, 0x30), 0xa0), 0x30);
  const certificates = inner(signedData, 0xa0);
  return certificates && elements(certificates)[0]?.whole;
}

interface Element {
  tag: number;
  content: Buffer;
  /** The element's bytes, with its tag and length. */
  whole: Buffer;
}

/** Returns the content of the first element with this tag. A whole PKCS #7 file is one element. */
function inner(bytes: Buffer | undefined, tag: number): Buffer | undefined {
  return bytes && elements(bytes).find((element) => element.tag === tag)?.content;
}

/** Returns the DER elements that follow each other, up to the first that is cut off. */
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
