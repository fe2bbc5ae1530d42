import type { ConditionField, ConditionWord, PhoneConditions } from '../conditions.js';
import type { OperationOptions } from '../driver.js';
import type { MadeModel } from './made-model.js';
import type { MadePhone } from './phone-folders.js';

/**
 * The operations that differ between containers and emulators: how a phone gets power and a way out. All else of such phones (their
 * folders, boots, snapshots, the state that the service sees) is in MadeDriver.
 *
 * Every operation finds what is there by the phone's id and folder, so it may be repeated after a crash in its middle. Operations of one phone
 * never run at the same time. What belongs to no phone of this service is never touched.
 */
export interface PhoneEngine {
  readonly kind: MadeModel['driver'];
  /** Why no phone of the model can run on this host now, a line for the operator; undefined: it can. */
  obstacle(model: MadeModel): Promise<string | undefined>;
  /**
   * Makes ready what phones of the model are made of, and returns the digest of it: a snapshot belongs to a digest. Throws PhoneFailure
   * where it cannot be had.
   */
  fetchImage(model: MadeModel, options?: OperationOptions): Promise<string>;
  /** Changes the data of a clone such that its Android gets an identity of its own. */
  forgetIdentity(phone: MadePhone): Promise<void>;
  /** Powers on a phone that is off. Returns without waiting for its boot. Throws PhoneFailure where the engine refuses. */
  powerOn(phone: MadePhone, options?: OperationOptions): Promise<void>;
  /** Powers off; returns once it is off. `save`: Android shuts down first, if it does so in time. One that is off is left as it is. */
  powerOff(phone: MadePhone, how: 'save' | 'kill', options?: OperationOptions): Promise<void>;
  power(phone: MadePhone, signal?: AbortSignal): Promise<Power>;
  /** Removes all that the engine has of a phone, except its folder; also where the phone's folder is gone. */
  remove(phoneId: string): Promise<void>;
  /** Ids of the phones that the engine has anything of. */
  list(): Promise<string[]>;
  /**
   * Opens the way from a phone to its forwarder, or moves it to another one, and closes all others. Returns the HTTP proxy as Android is to
   * use it. Called while the phone is on, and again after a restart of the service.
   */
  openExit(phone: MadePhone): Promise<PhoneProxy>;
  /** Present where such phones can be made to see other conditions than their own. */
  readonly conditions?: EngineConditions;
  /** The last lines that the phone wrote, for a problem's text; '' where there are none. */
  lastLines(phone: MadePhone): Promise<string>;
  /** Calls `onChange` with the id of each phone whose power changed, and with undefined where any may have, until `signal` aborts. */
  watch(onChange: (phoneId: string | undefined, reason: string) => void, signal: AbortSignal): void;
  /** Releases what this process holds. Phones go on running. */
  close(): Promise<void>;
}

/** Conditions of phones that are on; one that was off has its own at its start. */
export interface EngineConditions {
  offered: readonly ConditionWord[];
  /** Fields of these that such phones do not have. */
  lack: readonly ConditionField[];
  /**
   * Sets the conditions in `wanted`, and resets conditions that only `before` has to the phone's own. May be repeated. Throws PhoneFailure
   * where the phone refuses one.
   */
  set(phone: MadePhone, wanted: PhoneConditions, before: PhoneConditions, signal?: AbortSignal): Promise<void>;
}

/** `start` differs between two times that a phone was powered on. */
export type Power = { on: false; reason?: string } | { on: true; start: string; host: string; port: number };

export interface PhoneProxy {
  host: string;
  port: number;
}
