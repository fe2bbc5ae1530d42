import type { PhoneDriver, PhoneEndpoint } from '../../phone/driver.js';
import type { JobResult } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';

/** The steps of jobs that concern snapshots, other than those of the driver. Every call may be repeated. */
export interface JobSnapshots {
  /** Throws JobFailure or PhoneFailure unless the snapshot that the device's job begins from exists and is as it was saved. */
  assertWhole(device: DeviceDocument, driver: PhoneDriver, signal: AbortSignal): Promise<void>;
  /**
   * Does what comes before the end of a job that is done is written. Of a phone that holds a snapshot now, and runs: returns once it is
   * verified to be back, with what the job found out; throws JobFailure when it is not. Of a device that is gone: removes its snapshots.
   */
  finish(
    device: DeviceDocument,
    endpoint: PhoneEndpoint | undefined,
    signal: AbortSignal,
  ): Promise<JobResult | undefined>;
  /** Records that the snapshot that the device's job was to save was not, where it was to save one. */
  workFailed(device: DeviceDocument): Promise<void>;
}
