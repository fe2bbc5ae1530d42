// Fetches scrcpy's server, with which phones encode their screens as video: `npm run fetch-scrcpy`, or with another address of the same
// file, such as a mirror's. Prints what is fetched, from where, and its SHA-256; a file with another checksum is not kept.
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = '3.3.3';
const SHA256 = '7e70323ba7f259649dd4acce97ac4fefbae8102b2c6d91e2e7be613fd5354be0';
const NAME = `scrcpy-server-v${VERSION}`;
/** The file has 90,164 bytes. */
const MAX_BYTES = 1_000_000;

const from =
  process.argv[2] ?? `https://github.com/Genymobile/scrcpy/releases/download/v${VERSION}/scrcpy-server-v${VERSION}`;
const folder = process.argv[3] ?? join(import.meta.dirname, '..', 'scrcpy');

console.log(`Fetching the server of scrcpy ${VERSION} (Apache-2.0, https://github.com/Genymobile/scrcpy)`);
console.log(`  from     ${from}`);
try {
  const response = await fetch(from, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`the response is ${response.status}`);
  const parts = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  const file = Buffer.concat(parts);
  const sha256 = createHash('sha256').update(file).digest('hex');
  console.log(`  bytes    ${file.length}`);
  console.log(`  SHA-256  ${sha256}`);
  if (sha256 !== SHA256) throw new Error(`its SHA-256 should be ${SHA256}`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, NAME);
  // The file is put in place by a rename, so that a service that starts meanwhile reads none or all of it.
  writeFileSync(`${path}.part`, file);
  renameSync(`${path}.part`, path);
  console.log(`  kept as  ${path}, which the services find there; elsewhere: SCRCPY_SERVER=PATH`);
} catch (error) {
  const reason = error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
  console.error(
    `It was not fetched: ${reason}. On a machine with internet, download the file, and give its path as SCRCPY_SERVER.`,
  );
  process.exitCode = 1;
}
