import type { Call } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { KeptLink } from '../../phone/link/kept-link.js';
import type { CommandResult } from '../../phone/link/phone-link.js';
import type { ScreenLimits } from '../limits.js';
import type { ScreenMetrics } from '../metrics.js';

/** A phone's address and facts, as the device service returns them for each request. */
export interface LocatedPhone {
  /** Device name, for error texts. */
  name: string;
  phoneId: string;
  generation: number;
  /** Identity of this start of the phone (phone/link/identity.ts), checked at every new connection. */
  identity: string;
  host: string;
  port: number;
  /** Upright size, pixels, and dots per inch. */
  screen: { width: number; height: number; density: number };
}

/** A running phone with the connection to it, which the parts of KeptPhone share. */
export interface ReachedPhone {
  readonly phone: LocatedPhone;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ScreenMetrics;
  readonly limits: ScreenLimits;
  readonly link: KeptLink;
  /** When input was last sent to the phone by this service, monotonic ms. */
  inputSentMs: number;
  /** Runs a short command. Throws unavailable or timeout, or the reason why the call ended. `doing` completes "the phone did not …". */
  command(call: Pick<Call, 'signal'>, command: string, doing: string): Promise<CommandResult>;
}
