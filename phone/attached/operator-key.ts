import { generateKeyPairSync } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AdbPrivateKey } from '../adb/private-key.js';

/** The name that stands beside the key in a phone's `adb_keys`, for the phone's owner to read. */
export const KEY_NAME = 'cloudphone@service';

/** Reads an `adbkey` file. Throws an error of one line that names the file and its fault. */
export function readKeyFile(path: string): AdbPrivateKey {
  try {
    return AdbPrivateKey.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code ?? (error instanceof Error ? error.message : String(error));
    throw new Error(`The ADB key ${path} cannot be used: ${reason}.`, { cause: error });
  }
}

/**
 * Reads the service's own key, and makes it at the first use. The public half is written beside it, as `adb keygen` does. The key's file
 * appears whole, by a hard link. A file that is there is never replaced: a phone whose owner has accepted the key keeps trusting it.
 */
export function ownKey(path: string): { key: AdbPrivateKey; made: boolean } {
  try {
    return { key: readKeyFile(path), made: false };
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') throw error;
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 65_537 });
  const fresh = `${path}.${process.pid}.new`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(fresh, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flush: true });
  try {
    linkSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
  const key = readKeyFile(path);
  writeFileSync(`${path}.pub`, `${key.publicKey} ${KEY_NAME}\n`, { mode: 0o644 });
  return { key, made: true };
}
