import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import type { PhoneExit } from '../../../phone/driver.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { AddressPages } from './address-page.js';
import type { Exits } from './exits.js';
import type { Forwarders } from './forwarders.js';
import type { SeeFromPhone } from './see-from-phone.js';
import type { WayOut } from './way-out.js';

/** The parts that changing or checking an exit needs. */
export interface NetworkContext {
  exits: Exits;
  forwarders: Forwarders;
  way: WayOut;
  pages: AddressPages;
  see: SeeFromPhone;
  /** Calls the URL that the operator set for an exit, which makes the exit change its address. */
  refresh: (url: string, signal: AbortSignal) => Promise<void>;
  clock: Clock;
  log: Log;
}

/** Prepares the way out to the internet that a phone is to have, and returns its driver's settings for it. */
export type PrepareExit = (device: DeviceDocument) => Promise<PhoneExit>;
