/**
 * What the service asks of a kind of phone: to exist, to run and to leave the internet by a certain exit. All else (screen,
 * input, files, apps, logs) goes through ADB, so every service works unchanged on each driver.
 *
 * A phone is known by its `phoneId`, which is never used again, not by its device name, which can be. Every operation is safe
 * to do again after a crash in its middle: it leads to the same end and answers the same.
 */
export interface PhoneDriver {
  /** `simulated`, later `emulator`, `redroid`. */
  readonly kind: string;
  /** What can be created here. Never empty. */
  models(): readonly PhoneModel[];
  /** Makes the phone, stopped. A phone that exists already is left as it is. */
  create(phone: PhoneSpec, signal?: AbortSignal): Promise<void>;
  /**
   * Boots the phone and answers once it is usable (boot complete and ADB answers); a phone that runs already is left running.
   * `onProgress` is called with 0 to 100 while it boots. Throws PhoneFailure when it does not come up.
   */
  start(phoneId: string, options?: StartOptions): Promise<PhoneAddress>;
  /** Saves state and powers off. A stopped phone is left as it is. */
  stop(phoneId: string, signal?: AbortSignal): Promise<void>;
  /** Stops it if it runs and removes every file of it. A phone that does not exist is no error. */
  delete(phoneId: string, signal?: AbortSignal): Promise<void>;
  /** Where a running phone is, or what state it is in otherwise. Used to reconcile after a restart. */
  find(phoneId: string): Promise<PhoneStatus>;
  /** Keeps a copy of the phone's state under `snapshotId`; answers its size in bytes. Works on running and stopped phones. */
  snapshot(phoneId: string, snapshotId: string, signal?: AbortSignal): Promise<{ sizeBytes: number }>;
  /** Puts the phone (stopped first by the caller) back to the snapshot. */
  restore(phoneId: string, snapshotId: string, signal?: AbortSignal): Promise<void>;
  /** Makes a new stopped phone from a snapshot. */
  clone(snapshotId: string, phone: PhoneSpec, signal?: AbortSignal): Promise<void>;
  deleteSnapshot(snapshotId: string): Promise<void>;
  /** Changes the way out to the internet, on a running or a stopped phone. */
  setExit(phoneId: string, exit: PhoneExit, signal?: AbortSignal): Promise<void>;
  /** Called with the id of a phone that stopped running without being told to. */
  onLost(listener: (phoneId: string, reason: string) => void): void;
  /** Lets go of everything the driver holds. Phones that live outside this process go on running for a while (see the driver). */
  close(): Promise<void>;
}

export interface PhoneModel {
  /** Identifier used on the wire, for example `phone-720p`. */
  model: string;
  /** What a person reads, for example `Phone 720p`. */
  name: string;
  /** Android versions it can be created with, newest first; the first is the default. */
  android: readonly string[];
  screen: ScreenSize;
  memoryMb: number;
}

/** Upright size in pixels; density in dots per inch (160 = 1 px per dp). */
export interface ScreenSize {
  width: number;
  height: number;
  density: number;
}

export interface PhoneSpec {
  phoneId: string;
  /** The device name, shown on the phone (about page, prompt). */
  name: string;
  model: string;
  /** Android version, one of the model's. */
  android: string;
  exit: PhoneExit;
}

export interface PhoneExit {
  /** `mobile`, `residential`, `datacenter`, `direct` or `custom`. */
  type: string;
  /** ISO 3166-1 alpha-2, lower case. */
  country: string;
  /** IANA name; the phone's clock shows this zone. */
  timezone: string;
  /** The public address seen by sites. Absent where the driver cannot know it. */
  address?: string;
  /** Proxy that all traffic of the phone goes through, with credentials. Absent: straight out. Never logged. */
  proxy?: string;
}

export interface StartOptions {
  signal?: AbortSignal;
  onProgress?: (percent: number) => void;
}

/** Where the phone's adbd listens: plain ADB over TCP. */
export interface PhoneAddress {
  host: string;
  port: number;
}

export type PhoneStatus =
  { state: 'running'; address: PhoneAddress } | { state: 'starting' } | { state: 'stopped' } | { state: 'absent' };

/** A phone could not do what was asked. `message` is fit for the caller; the cause is for the log. */
export class PhoneFailure extends Error {
  override name = 'PhoneFailure';
}
