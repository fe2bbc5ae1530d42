import type { SharedDisk } from '../driver.js';
import { freeDiskMbOf } from '../files/measure-capacity.js';
import type { PhoneFolders } from './phone-folders.js';

/** Returns the disk of a driver's folder, which its phones share. Each phone may take the `disk_mb` of the model that it was made of. */
export function sharedDisk(parts: { directory: string; folders: Pick<PhoneFolders, 'describe'> }): SharedDisk {
  const { directory, folders } = parts;
  return {
    freeMb: () => freeDiskMbOf(directory),
    maxBytes: async (phoneId) => {
      const phone = await folders.describe(phoneId);
      return phone && phone.made.diskMb * 1024 ** 2;
    },
  };
}
