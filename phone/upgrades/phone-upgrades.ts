import type { CopyOptions } from '../files/copy-tree.js';

/**
 * Gives phones that exist the image that their model has now. The data of the phone is copied first, and the copy is kept until `drop` or
 * `back`. Each operation may be repeated after a crash in its middle. The order of operations is in the job of the device.
 */
export interface PhoneUpgrades {
  /**
   * Fetches the image that the phone's model has now. Returns whether it is another one than the phone's. Throws PhoneFailure where it
   * cannot be fetched, or the model is withdrawn.
   */
  fetch(phoneId: string, options?: UpgradeOptions): Promise<boolean>;
  /** Reads from a phone that runs what has to be there after the upgrade. */
  survey(phoneId: string, options?: UpgradeOptions): Promise<PhoneFacts>;
  /**
   * Copies the data and the description of a phone that is off, and compares the copy with the phone. A copy that this job has made is left
   * as it is; one of an earlier job is made again. Throws PhoneFailure or NoRoom where there is too little room.
   */
  keep(phoneId: string, jobId: string, options?: UpgradeOptions): Promise<void>;
  /** Gives a phone that is off, and of which there is a copy, the image, in one step. Returns the Android version that its model names. */
  change(phoneId: string, options?: UpgradeOptions): Promise<string>;
  /** Puts the data and the description of the copy back, and removes the copy. The phone is off. Without a copy nothing happens. */
  back(phoneId: string, options?: UpgradeOptions): Promise<void>;
  /** Removes the copy. Without one nothing happens. */
  drop(phoneId: string): Promise<void>;
}

export interface UpgradeOptions extends Pick<CopyOptions, 'signal' | 'onProgress'> {
  /** Called when an image begins to be fetched from a registry. */
  onPulling?: (() => void) | undefined;
}

/** The facts of a running phone that an upgrade compares. */
export interface PhoneFacts {
  /** The Android version that the phone shows, such as `14`. */
  android: string;
  /** The packages that are no part of the image, sorted; without the service's own helpers. */
  packages: string[];
  /** The names in the top folder of the shared storage (`/sdcard`), sorted. */
  entries: string[];
}
