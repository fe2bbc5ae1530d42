import type { ObjectStore } from './object-store.js';
import type { S3Place } from './s3-store.js';

/**
 * Opens the bucket of SNAPSHOT_STORE. The SDK is loaded only here, as most installations have no bucket. Nothing is asked of the bucket: a
 * service starts also while its bucket is away. `admin doctor` tries it.
 */
export async function openS3(place: S3Place): Promise<ObjectStore> {
  const { S3Store } = await import('./s3-store.js');
  return new S3Store(place);
}
