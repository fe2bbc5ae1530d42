import type { ConditionField, ConditionWord, PhoneConditions } from './conditions.js';
import type { PhoneMoves } from './moves/phone-moves.js';
import type { PhoneUpgrades } from './upgrades/phone-upgrades.js';

/**
 * The operations that the service needs of a kind of phone. A phone exists, runs, keeps snapshots and has an exit to the internet. All else
 * (screen, input, files, apps, logs) goes through ADB, so every service works unchanged on each driver.
 *
 * A phone is known by its `phoneId`, which is never used again, unlike its device's name. Every operation may be repeated after a crash in
 * its middle: it leads to the same end. An operation that throws PhoneFailure has failed for good and is not tried again. After any other
 * error the caller inspects the phone and tries again.
 */
export interface PhoneDriver {
  /** `simulated`, `attached`, `container`, `emulator` or `kubernetes`. */
  readonly kind: string;
  /** The capabilities of this kind of phone. May change while the driver is open (an edited PHONES_FILE). */
  capabilities(): PhoneCapabilities;
  /** Returns the room for more phones. It is measured on the machine of the phones, which need not be that of this process. */
  capacity(): Promise<PhoneCapacity>;
  /**
   * Every phone that exists here, with the result of its `inspect`. A phone that does not respond within LIST_RESPONSE_MS, or
   * whose process does not, is listed as `unknown` and delays no other phone.
   */
  list(signal?: AbortSignal): Promise<Map<string, ListedStatus>>;
  inspect(phoneId: string, signal?: AbortSignal): Promise<PhoneStatus>;
  /**
   * Fetches the image that the phone is made of, or is to be made of, where it is not on this host. Called before a phone is made or
   * started, which would otherwise fetch it themselves. It may take long. Absent: there is nothing to fetch.
   */
  prepare?(phone: Pick<PhoneSpec, 'phoneId' | 'model'>, options: OperationOptions): Promise<void>;
  /** Makes the phone, stopped. A phone that exists already is left as it is. Never called for a phone that was made before. */
  create(phone: PhoneSpec, options?: OperationOptions): Promise<void>;
  /**
   * Boots the phone and returns once it is usable (boot complete and ADB responds). A phone that runs already is left running. If
   * its identity is still `endedIdentity`, that run must be over, so the phone is booted again. Throws PhoneFailure when the boot
   * fails.
   */
  start(phoneId: string, options?: StartOptions): Promise<PhoneEndpoint>;
  /** Powers off: `save` lets the phone shut down and keep its state, `kill` cuts its power. A stopped phone is left as it is. */
  stop(phoneId: string, how: 'save' | 'kill', options?: OperationOptions): Promise<void>;
  /** Stops the phone if it runs and removes every file of it. A phone that does not exist is no error. */
  delete(phoneId: string, options?: OperationOptions): Promise<void>;
  /** Yields the id of each phone whose status changed without an operation (it crashed, was rebooted, came back), until aborted. */
  watch(signal: AbortSignal): AsyncIterable<PhoneChange>;
  /** Present when capabilities name snapshots. */
  readonly snapshots?: PhoneSnapshots;
  /** Present where phones can move to another host, as all of each phone is in folders of its host. */
  readonly moves?: PhoneMoves;
  /** Present where phones that exist can get the image that their model has now. */
  readonly upgrades?: PhoneUpgrades;
  /** Room that the phone's files take on its host's disk, bytes. Absent: its files are elsewhere. */
  usedBytes?(phoneId: string): Promise<number>;
  /**
   * The disk that the phones share, where each could fill it. Absent: a phone has a disk of its own, or something else bounds what it
   * writes.
   */
  readonly sharedDisk?: SharedDisk;
  /** Changes the way out to the internet, of a running or a stopped phone. Present when capabilities name exits. */
  setExit?(phoneId: string, exit: PhoneExit, options?: OperationOptions): Promise<void>;
  /**
   * Sets all conditions that a phone is made to see: those that are absent go back to its own. A running phone has them when this
   * returns. A phone that is off has them when its next `start` returns. Present when capabilities name conditions.
   */
  setConditions?(phoneId: string, conditions: PhoneConditions, options?: OperationOptions): Promise<void>;
  /**
   * Keeps the files of a phone still while `use` runs, which gets all that a copy of the phone's folder is to hold. A phone that is on is
   * paused, or its state is saved beside it; then it goes on. Throws PhoneFailure where that is not possible. Absent: it is not for any
   * phone of this kind.
   */
  keepStill?(phoneId: string, use: UseFiles, options?: OperationOptions): Promise<void>;
  /** Releases everything the driver holds. Phones that live outside this process go on running for a while (see the driver). */
  close(): Promise<void>;
}

/** A disk on which the files of several phones are. */
export interface SharedDisk {
  /** Returns the room that is left, MiB. */
  freeMb(): Promise<number>;
  /** Returns the bytes that the phone's files may take, as `usedBytes` counts them. Undefined: there is no such phone. */
  maxBytes(phoneId: string): Promise<number | undefined>;
}

export type UseFiles = (files: readonly HeldFiles[]) => Promise<void>;

/** A file or a folder of a phone that is kept still. */
export interface HeldFiles {
  /** Its place in the phone's folder; '' for all of the folder. */
  place: string;
  /** Absolute path. */
  path: string;
}

export interface PhoneCapabilities {
  /** The models that devices can be created from; empty where no phone is available. A model belongs to one driver. */
  models: readonly PhoneModel[];
  /**
   * Names of the operator's models from which no device can be created now: the engine cannot make their phones, or their phones were
   * never reached. Absent: none.
   */
  withheld?: readonly string[];
  /** Whether `create` makes a new phone. False: it takes one that exists, named by `PhoneSpec.slot`. */
  create: boolean;
  /** Whether `stop` powers the phone off. False: it stays on with its screen off, and is not reachable through the service. */
  power: boolean;
  /** Whether the way out to the internet can be changed. */
  exit: boolean;
  /** In which state a snapshot can be taken; `live` includes stopped phones. */
  snapshots: 'none' | 'stopped' | 'live';
  /** The conditions that its phones can be made to see. */
  conditions: readonly ConditionWord[];
  /** Fields of these conditions that its phones do not have. Absent: they have all. */
  conditionsLack?: readonly ConditionField[];
}

export interface PhoneCapacity {
  /** Memory that phones may still use, MiB. */
  freeMemoryMb: number;
  /** Disk that phones may still use, MiB. */
  freeDiskMb: number;
  /** The disks of which `freeDiskMb` is the least. `name` is how the operator knows each. Absent: the one of DATA_DIR alone. */
  disks?: readonly HostDisk[];
  /** Memory that one more phone of the model takes, MiB; the model's own where the driver cannot know better. */
  memoryMbOf(model: PhoneModel): number;
  /** The ids of the operator's phones of each model that are in use or can be taken now. Absent where the driver makes its phones. */
  slots?: ReadonlyMap<string, readonly string[]>;
  /** Why models are not offered here, a line each, for the operator. Absent: nothing is missing. */
  problems?: readonly string[];
  /** Whether the driver's engine responds. Absent: the driver has no program or server as its engine. */
  engineResponds?: boolean;
}

export interface HostDisk {
  name: string;
  freeDiskMb: number;
}

export interface PhoneModel {
  /** Identifier used on the wire, for example `phone-720p`. */
  model: string;
  /** The name shown to people, for example `Phone 720p`. */
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
  /** The conditions that the phone is made to see. Absent: the phone's own, as for every new phone. */
  conditions?: PhoneConditions;
  /** The phone to take, one of `PhoneCapacity.slots`; claimed by the device service. Absent where phones are made. */
  slot?: string;
}

export interface PhoneExit {
  /** `mobile`, `residential`, `datacenter`, `direct` or `custom`. */
  type: string;
  /** ISO 3166-1 alpha-2, lower case; `zz` where it is not known. */
  country: string;
  /** IANA name; the phone's clock shows this zone. */
  timezone: string;
  /** The public address seen by sites. Absent where it is not known. */
  address?: string;
  /**
   * The Unix socket of an HTTP proxy on this host. All traffic of the phone goes through this proxy. While the proxy is not reached,
   * the phone has no network. Absent: the traffic goes straight out.
   */
  forwarder?: string;
}

export interface OperationOptions {
  /** Aborted when the operation took too long, its job was given up or the service closes. A begun operation may go on or not. */
  signal?: AbortSignal | undefined;
  /** 0 to 100. */
  onProgress?: ((percent: number) => void) | undefined;
  /** Called when the operation begins to fetch an image from a registry. */
  onPulling?: (() => void) | undefined;
}

export interface StartOptions extends OperationOptions {
  /** The start that must be over, see PhoneEndpoint.identity. Absent: any start will do. */
  endedIdentity?: string;
}

export interface RestoreOptions extends OperationOptions {
  /**
   * The snapshot is of another phone, as that of a template is. Its identity is forgotten, so the phone has one of its own, as a clone.
   * Absent or false: the snapshot is of the phone itself, and the phone keeps its identity.
   */
  forgetIdentity?: boolean;
}

/** Where the phone's adbd listens: plain ADB over TCP without authentication, on a private network. */
export interface PhoneEndpoint {
  host: string;
  port: number;
  /**
   * The identity that `link/identity.ts` reads from the phone over ADB: it differs between phones and between boots. A client that connects
   * reads it first, so that a reused address is noticed before anything of a customer's goes there.
   */
  identity: string;
  /** Whether the operator allows helper programs of the service on this phone, where phones are taken and not made. Absent: no. */
  helpers?: boolean;
}

export type PhoneStatus =
  /** The phone is not here: it was never made, it was deleted, or its files are lost. */
  | { state: 'absent' }
  /** `reason`: why it is off, where it was not stopped by an operation. */
  | { state: 'stopped'; reason?: string }
  | { state: 'starting' }
  | { state: 'running'; endpoint: PhoneEndpoint }
  /** It exists and cannot be used; `problem` is for the customer. */
  | { state: 'broken'; problem: string };

/** The status of a phone in a list. `unknown`: it exists, and its state cannot be found out now; `inspect` may succeed later. */
export type ListedStatus = PhoneStatus | { state: 'unknown' };

export interface PhoneChange {
  phoneId: string;
  /** The reason, for the log. */
  reason: string;
}

/**
 * Phones as they were at a time: files, apps, settings and, where the kind of phone can, the screen. They are kept where the
 * phones are. Every operation may be repeated.
 */
export interface PhoneSnapshots {
  /**
   * Saves the phone's state under `snapshotId`. A snapshot that exists is kept. Throws PhoneFailure where there is no room.
   */
  take(phoneId: string, snapshotId: string, options?: OperationOptions): Promise<TakenSnapshot>;
  /** Reads all of a snapshot; throws PhoneFailure unless it is as it was saved. */
  check(snapshotId: string, options?: OperationOptions): Promise<void>;
  /**
   * Puts a phone back to a snapshot. The caller has stopped the phone and checked the snapshot. Exit and serial number of the phone stay.
   * What Android keeps of its identity comes from the snapshot, unless it is to be forgotten.
   */
  restore(phoneId: string, snapshotId: string, options?: RestoreOptions): Promise<void>;
  /**
   * Makes a new stopped phone from a snapshot that the caller has checked: with an identity of its own. A phone that exists is left as it
   * is.
   */
  clone(snapshotId: string, phone: PhoneSpec, options?: OperationOptions): Promise<void>;
  /**
   * Keeps a snapshot a second time, under the id `copyId`, independent of the first. Both share files where the disk allows that. A copy
   * that exists is kept. Throws PhoneFailure where there is no room.
   */
  copy(snapshotId: string, copyId: string, options?: OperationOptions): Promise<TakenSnapshot>;
  /** Returns the image that phones must have to get the snapshot, for `assertImage` of any host. Absent: its phones have no images. */
  imageOf?(snapshotId: string): Promise<string>;
  /** Throws PhoneFailure where new phones of the model have another image here. It fetches the image of the model where need be. */
  assertImage?(model: string, image: string, options: OperationOptions): Promise<void>;
  /** Ids of the snapshots that exist here. */
  list(): Promise<string[]>;
  /** Whether phones can be made of the snapshot here, also where another service made it in the same cluster. */
  has(snapshotId: string): Promise<boolean>;
  /**
   * Removes a snapshot and frees the data that no phone or other snapshot has. A snapshot that does not exist is no error.
   */
  delete(snapshotId: string): Promise<void>;
}

export interface TakenSnapshot {
  /** Size of its content, whether shared with others or not. */
  sizeBytes: number;
  /** SHA-256 over all of it, in hexadecimal. */
  checksum: string;
}

/** The phone refused or failed the operation, and would again the next time. `message` is fit for the caller. */
export class PhoneFailure extends Error {
  override name = 'PhoneFailure';
}
