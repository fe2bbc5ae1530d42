import { mkdir } from 'node:fs/promises';
import { ApiError } from '../../../kit/errors/api-error.js';
import { forgetIdentity } from '../../container/forget-identity.js';
import { PhoneFailure } from '../../driver.js';
import { DataSnapshots } from '../../image-based/data-snapshots.js';
import { PhoneFolders } from '../../image-based/phone-folders.js';
import type { CopyReport, CopyRequest } from './copy-request.js';

/**
 * Copies between the volume of a phone and that of a snapshot. Both hold the same folders as the data folder of other drivers. So a
 * snapshot appears by one rename, and a copy that was killed is begun again. A restore replaces data by two renames. If it is killed
 * between them, the next copy of the phone makes the second. The folder `phones` does not exist in a check, nor `snapshots` in a finish.
 * `copies` exists where a snapshot is copied to another volume.
 */
export async function copy(
  request: CopyRequest,
  { phones, snapshots, copies }: { phones: string; snapshots: string; copies: string },
): Promise<CopyReport> {
  try {
    const saved = new DataSnapshots(snapshots);
    if (request.step === 'check') {
      await saved.check(request.snapshotId);
      return { done: true };
    }
    if (request.step === 'copy') {
      const copied = new DataSnapshots(copies);
      await copied.clean();
      return { done: true, ...(await copied.copy(request.snapshotId, request.copyId, {}, saved)) };
    }
    const folders = new PhoneFolders(phones);
    await folders.clean();
    if (request.step === 'finish') return { done: true };
    const { phoneId, snapshotId, digest } = request;
    // The volume of a phone that was never started is empty.
    await mkdir(folders.path(phoneId), { recursive: true, mode: 0o711 });
    if (request.step === 'take') {
      await mkdir(folders.data(phoneId), { recursive: true, mode: 0o771 });
      await saved.clean();
      const taken = await saved.take({ data: folders.data(phoneId), digest }, snapshotId, {});
      return { done: true, ...taken };
    }
    await folders.replaceData(phoneId, async (data) => {
      await saved.copyTo(snapshotId, [digest], data, {});
      if (request.forgetIdentity) await forgetIdentity(data);
    });
    return { done: true };
  } catch (error) {
    if (error instanceof ApiError) return { done: false, kind: error.kind, message: error.message };
    if (error instanceof PhoneFailure) return { done: false, kind: 'phone_failure', message: error.message };
    return { done: false, kind: 'unknown', message: error instanceof Error ? error.message : String(error) };
  }
}
