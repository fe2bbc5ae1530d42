import type { ConditionField, ConditionWord, PhoneConditions } from '../conditions.js';
import type { HostDisk, OperationOptions } from '../driver.js';
import type { ImageBasedModel } from './model.js';
import type { ImageBasedPhone } from './phone-folders.js';

/**
 * The operations that differ between containers, emulators and pods: how a phone gets power and a way out. Everything else of such phones
 * (their folders, boots, snapshots, the state that the service sees) is in ImageBasedDriver.
 *
 * Every operation finds its phone's parts by the phone's id and folder, so it may be repeated after a crash in its middle. Operations of
 * one phone never run at the same time. What belongs to no phone of this service is never touched.
 */
export interface PhoneEngine {
  readonly kind: ImageBasedModel['driver'];
  /** Returns a line for the operator that says why no phone of the model can run on this host now. Undefined: phones can run. */
  obstacle(model: ImageBasedModel): Promise<string | undefined>;
  /**
   * Whether the engine's program or server responded when obstacles were last found. Absent: there is none, or it was not asked yet.
   */
  readonly responds?: boolean | undefined;
  /** Returns the disk of the engine's own storage. Absent, or undefined: it is not on this host, or cannot be seen from here. */
  disk?(): Promise<HostDisk | undefined>;
  /** Makes ready the image that phones of the model are made of. Throws PhoneFailure where the engine cannot get the image. */
  fetchImage(model: ImageBasedModel, options?: OperationOptions): Promise<FetchedImage>;
  /** Present where the engine may lose an image while the phones that were made of it are off. */
  readonly images?: EngineImages;
  /** Changes data that was copied from another phone such that its Android gets an identity of its own. */
  forgetIdentity(phone: ImageBasedPhone): Promise<void>;
  /** Powers on a phone that is off. Returns without waiting for its boot. Throws PhoneFailure where the engine refuses. */
  powerOn(phone: ImageBasedPhone, options?: OperationOptions): Promise<void>;
  /**
   * Powers off; returns once it is off. `save`: Android shuts down first, if it does so in time. A phone that is off is left as it is.
   */
  powerOff(phone: ImageBasedPhone, how: 'save' | 'kill', options?: OperationOptions): Promise<void>;
  power(phone: ImageBasedPhone, signal?: AbortSignal): Promise<Power>;
  /**
   * Removes all that the engine has of a phone; also where the phone's folder is gone. The data of the phone stays, wherever it is: see
   * PhoneStorage.
   */
  remove(phoneId: string): Promise<void>;
  /** Returns the id of each phone of which the engine has any part. */
  list(): Promise<string[]>;
  /**
   * Opens the way from a phone to its present forwarder, and closes every other way out of the phone. Returns the HTTP proxy as Android is
   * to use it. Called while the phone is on, and again after a restart of the service.
   */
  openExit(phone: ImageBasedPhone): Promise<PhoneProxy>;
  /** Present where such phones can be made to see other conditions than their own. */
  readonly conditions?: EngineConditions;
  /** Present where a phone that is on can be paused, so that nothing of it runs. Both may be repeated; a phone that is off is left as it is. */
  readonly pause?: EnginePause;
  /** The last lines that the phone wrote, for a problem's text; '' where there are none. */
  lastLines(phone: ImageBasedPhone): Promise<string>;
  /**
   * Calls `onChange` with the id of each phone whose power changed, until `signal` aborts. Undefined as id: the power of any phone may have
   * changed.
   */
  watch(onChange: (phoneId: string | undefined, reason: string) => void, signal: AbortSignal): void;
  /** Releases what this process holds. Phones go on running. */
  close(): Promise<void>;
}

export interface EnginePause {
  begin(phone: ImageBasedPhone, options?: OperationOptions): Promise<void>;
  end(phone: ImageBasedPhone): Promise<void>;
}

export interface FetchedImage {
  /** Identifies the content of the image. A snapshot fits only phones of the image with the same digest. */
  digest: string;
  /** The name by which a registry has exactly this content. Absent: no registry is known to have it. */
  source?: string;
}

/** The images of phones that exist. */
export interface EngineImages {
  /** Lines for the operator, each with the reason why some phones cannot start. */
  readonly problems: readonly string[];
  /**
   * Makes sure that the engine has the phone's image, and fetches a lost one. Throws PhoneFailure with the image's name where that fails.
   */
  ready(phone: PhoneOfImage, options?: OperationOptions): Promise<unknown>;
  /**
   * Keeps the images of all phones, and gives up others that were kept for phones. `find` is called again before an image is given up: a
   * phone may have been made of it in the meantime.
   */
  keep(find: () => Promise<FoundPhones>): Promise<void>;
}

/** A phone, as far as its image is concerned. */
export type PhoneOfImage = Pick<ImageBasedPhone, 'digest' | 'source' | 'made'>;

export interface FoundPhones {
  /** Phones that exist, and those that are being made. */
  phones: readonly PhoneOfImage[];
  /**
   * Whether `phones` are all. If false, the description of a phone cannot be read. No image may be given up then, as that phone may need
   * it.
   */
  complete: boolean;
}

/** Sets conditions of phones that are on. A phone that is powered on begins with its own conditions. */
export interface EngineConditions {
  offered: readonly ConditionWord[];
  /** Fields of the offered conditions that such phones do not have. */
  lack: readonly ConditionField[];
  /**
   * Sets the conditions in `wanted`, and resets conditions that only `before` has to the phone's own. May be repeated. Throws PhoneFailure
   * where the phone refuses one.
   */
  set(phone: ImageBasedPhone, wanted: PhoneConditions, before: PhoneConditions, signal?: AbortSignal): Promise<void>;
}

/** `start` stands for one power-on of a phone: the next one has another `start`. `paused`: nothing of the phone runs, see EnginePause. */
export type Power =
  { on: false; reason?: string } | { on: true; start: string; host: string; port: number; paused?: boolean };

export interface PhoneProxy {
  host: string;
  port: number;
}
