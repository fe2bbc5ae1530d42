import type { ConditionField, ConditionWord, PhoneConditions } from './conditions.js';

/**
 * The operations that the service needs of a kind of phone: to exist, to run, to keep snapshots and to have an exit to the internet. All
 * else (screen, input, files, apps, logs) goes through ADB, so every service works unchanged on each driver.
 *
 * A phone is known by its `phoneId`, which is never used again, unlike its device's name. Every operation may be repeated after a
 * crash in its middle: it leads to the same end. An operation that throws PhoneFailure has failed for good and is not
 * tried again; after any other error the caller inspects the phone and tries again.
 */
export interface PhoneDriver {
  /** `simulated`, `attached`, `container`, `emulator` or `kubernetes`. */
  readonly kind: string;
  /** The capabilities of this kind of phone. May change while the driver is open (an edited PHONES_FILE). */
  capabilities(): PhoneCapabilities;
  /** Room for more phones, measured where the phones live, which need not be this process's machine. */
  capacity(): Promise<PhoneCapacity>;
  /**
   * Every phone that exists here, with the result of its `inspect`. Each phone fails alone: one that does not respond within
   * LIST_RESPONSE_MS, or whose process does not, is listed as `unknown` and holds up no other.
   */
  list(signal?: AbortSignal): Promise<Map<string, ListedStatus>>;
  inspect(phoneId: string, signal?: AbortSignal): Promise<PhoneStatus>;
  /** Makes the phone, stopped. A phone that exists already is left as it is. Never called for a phone that was made before. */
  create(phone: PhoneSpec, options?: OperationOptions): Promise<void>;
  /**
   * Boots the phone and returns once it is usable (boot complete and ADB responds). A phone that runs already is left running, unless
   * it is still in the start `endedIdentity`, which must be over: then it is booted again. Throws PhoneFailure when it does not come up.
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
  /** Room that the phone's files take on its host's disk, bytes. Absent: its files are elsewhere. */
  usedBytes?(phoneId: string): Promise<number>;
  /** Changes the way out to the internet, of a running or a stopped phone. Present when capabilities name exits. */
  setExit?(phoneId: string, exit: PhoneExit, options?: OperationOptions): Promise<void>;
  /**
   * Sets all conditions that a phone is made to see: those that are absent go back to its own. A running phone has them when this
   * returns, one that is off when its next `start` does. Present when capabilities name conditions.
   */
  setConditions?(phoneId: string, conditions: PhoneConditions, options?: OperationOptions): Promise<void>;
  /** Releases everything the driver holds. Phones that live outside this process go on running for a while (see the driver). */
  close(): Promise<void>;
}

export interface PhoneCapabilities {
  /** The models that devices can be created from; empty where no phone is available. A model belongs to one driver. */
  models: readonly PhoneModel[];
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
  /** Memory that one more phone of the model takes, MiB; the model's own where the driver cannot know better. */
  memoryMbOf(model: PhoneModel): number;
  /** Where phones are taken and not made: the ids of all phones of each model that the operator provides, in use or not. */
  slots?: ReadonlyMap<string, readonly string[]>;
  /** Why models are not offered here, a line each, for the operator. Absent: nothing is missing. */
  problems?: readonly string[];
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
  /** Absent: its own. Never of a new phone. */
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
   * The Unix socket of an HTTP proxy on this host, which all traffic of the phone goes through, and nothing past it: where it is not
   * reached, the phone has no network. Absent: straight out.
   */
  forwarder?: string;
}

export interface OperationOptions {
  /** Aborted when the operation took too long, its job was given up or the service closes. A begun operation may go on or not. */
  signal?: AbortSignal | undefined;
  /** 0 to 100. */
  onProgress?: ((percent: number) => void) | undefined;
}

export interface StartOptions extends OperationOptions {
  /** The start that must be over, see PhoneEndpoint.identity. Absent: any start will do. */
  endedIdentity?: string;
}

/** Where the phone's adbd listens: plain ADB over TCP without authentication, on a private network. */
export interface PhoneEndpoint {
  host: string;
  port: number;
  /**
   * As `link/identity.ts` reads it from the phone over ADB: differs between phones and between boots. A client that connects reads
   * it first, so that a reused address is noticed before anything of a customer's goes there.
   */
  identity: string;
  /** Where phones are taken and not made: whether the operator allows helper programs of the service on this one. Absent: no. */
  helpers?: boolean;
}

export type PhoneStatus =
  /** Not here: never made, deleted, or its files are lost. */
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
  /** Saves the phone's state under `snapshotId`. One that exists is kept. Throws PhoneFailure where there is no room. */
  take(phoneId: string, snapshotId: string, options?: OperationOptions): Promise<TakenSnapshot>;
  /** Reads all of a snapshot; throws PhoneFailure unless it is as it was saved. */
  check(snapshotId: string, options?: OperationOptions): Promise<void>;
  /** Puts the phone, stopped first and the snapshot checked by the caller, back to the snapshot. Its identity and exit stay. */
  restore(phoneId: string, snapshotId: string, options?: OperationOptions): Promise<void>;
  /**
   * Makes a new stopped phone from a snapshot that the caller has checked: with an identity of its own. One that exists is left as it is.
   */
  clone(snapshotId: string, phone: PhoneSpec, options?: OperationOptions): Promise<void>;
  /** Ids of the snapshots that exist here. */
  list(): Promise<string[]>;
  /** Removes a snapshot and frees the data that no phone or other snapshot has. One that does not exist is no error. */
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
