import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The version of scrcpy whose protocol this service speaks; other versions have other protocols. */
export const SCRCPY_VERSION = '3.3.3';

/** SHA-256 of the file `scrcpy-server-v3.3.3`, as its makers publish it. */
export const SCRCPY_SHA256 = '7e70323ba7f259649dd4acce97ac4fefbae8102b2c6d91e2e7be613fd5354be0';

/** The path to which `npm run fetch-scrcpy` downloads the file. */
const FETCHED = fileURLToPath(new URL(`../../../../scrcpy/scrcpy-server-v${SCRCPY_VERSION}`, import.meta.url));

/**
 * Reads the server's file: the one that the setting names, or else the fetched one. Returns undefined if there is no setting and no
 * fetched file. Throws an error of one line when the file cannot be read or has another SHA-256.
 */
export function readScrcpyFile(setting: string | undefined, fetched = FETCHED): Buffer | undefined {
  const path = setting ?? fetched;
  if (setting === undefined && !existsSync(path)) return undefined;
  const name = setting === undefined ? path : `SCRCPY_SERVER="${path}"`;
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (error) {
    const message = `${name} cannot be read. Give the path of the file scrcpy-server-v${SCRCPY_VERSION}, or leave SCRCPY_SERVER out.`;
    throw new Error(message, { cause: error });
  }
  const sha256 = createHash('sha256').update(file).digest('hex');
  if (sha256 === SCRCPY_SHA256) return file;
  throw new Error(
    `${name} is not the server of scrcpy ${SCRCPY_VERSION}: its SHA-256 is ${sha256}, not ${SCRCPY_SHA256}. Run npm run fetch-scrcpy.`,
  );
}
