import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openS3 } from '../../device-service/devices/snapshots/open-s3.js';
import type { S3Place } from '../../device-service/devices/snapshots/s3-store.js';
import { type Finding, fail, ok, skipped } from './finding.js';

/** How long the bucket may take to respond, ms. */
const CHECK_MS = 20_000;
/** The object that is written, read and removed. No snapshot has this name. */
const NAME = 'doctor';

/** Checks that objects can be written, read and removed in the bucket of SNAPSHOT_STORE. */
export async function checkSnapshotStore(place: S3Place | undefined): Promise<Finding> {
  if (place === undefined) return skipped('snapshot store', 'SNAPSHOT_STORE is not set');
  const store = await openS3(place);
  const signal = AbortSignal.timeout(CHECK_MS);
  try {
    await store.put(NAME, Readable.from([Buffer.from(NAME)]), signal);
    const object = await store.get(NAME, signal);
    if (object !== undefined) await pipeline(object, new Writable({ write: (_piece, _encoding, done) => done() }));
    await store.delete(NAME, signal);
    return ok('snapshot store', `objects can be written, read and removed in the bucket "${place.bucket}"`);
  } catch (error) {
    const { name, message } = error as Error;
    const next = 'Correct SNAPSHOT_STORE and its other settings, or the rights of the key in the bucket.';
    return fail('snapshot store', `the bucket "${place.bucket}" refuses: ${name}: ${message}`.slice(0, 300), next);
  }
}
