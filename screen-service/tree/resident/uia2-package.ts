import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { UIA2_PACKAGE, UIA2_TEST_PACKAGE } from '../../../phone/helper-packages.js';

/** The first API level that the server supports (Android 8). */
const FIRST_SDK = 26;

const COMMAND_MS = 15_000;

/** Time for sending and installing one of the two APKs, ms. Together they have 18 MB. */
const INSTALL_MS = 180_000;

const CHUNK_BYTES = 256 * 1024;

/** Prints the API level, and a line for each package of the server that is installed. */
const INSTALLED_COMMAND = `getprop ro.build.version.sdk; pm path ${UIA2_PACKAGE}; pm path ${UIA2_TEST_PACKAGE}`;

/** Returns the APKs of the optional package. Undefined: it is not installed on this machine. */
export async function findApks(): Promise<readonly string[] | undefined> {
  try {
    const require = createRequire(import.meta.url);
    const folder = join(dirname(require.resolve('appium-uiautomator2-server/package.json')), 'apks');
    const apks = (await readdir(folder)).filter((name) => name.endsWith('.apk'));
    return apks.length === 2 ? apks.map((name) => join(folder, name)) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Installs the server on a phone that does not have it. Returns false when the server cannot run there. A server that the phone has is left
 * as it is, whatever its version, as it may be a customer's.
 */
export async function installServer(link: PhoneLink, apks: readonly string[], signal: AbortSignal): Promise<boolean> {
  const doing = 'take the UiAutomator2 server';
  const { stdout } = await link.shell(INSTALLED_COMMAND, { timeoutMs: COMMAND_MS, maxBytes: 64 * 1024, signal, doing });
  const [sdk = '', ...paths] = stdout.toString('utf8').trim().split('\n');
  if (!(Number(sdk) >= FIRST_SDK)) return false;
  if (paths.filter((line) => line.startsWith('package:')).length >= 2) return true;
  for (const apk of apks) {
    const { size } = await stat(apk);
    const output = await link.feed(
      `exec:cmd package install -r -g -t -S ${size}`,
      createReadStream(apk, { highWaterMark: CHUNK_BYTES }),
      { timeoutMs: INSTALL_MS, maxBytes: 64 * 1024, signal, doing },
    );
    if (!output.toString('utf8').includes('Success')) return false;
  }
  return true;
}
