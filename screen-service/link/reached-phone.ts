import type { Call } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { KeptLink } from '../../phone/link/kept-link.js';
import type { CommandResult, ConnectSocket } from '../../phone/link/phone-link.js';
import type { ScreenLimits } from '../limits.js';
import { InputTimes } from './input-times.js';
import type { ScreenMetrics } from './metrics.js';

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

/** A running phone with the connection to it, which everything else of a session uses. */
export interface ReachedPhone {
  readonly phone: LocatedPhone;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ScreenMetrics;
  readonly limits: ScreenLimits;
  readonly link: KeptLink;
  /** The times at which callers sent input. */
  readonly inputs: InputTimes;
  /** Runs a short command. Throws unavailable or timeout, or the reason why the call ended. `doing` completes "the phone did not …". */
  readonly command: (call: Pick<Call, 'signal'>, command: string, doing: string) => Promise<CommandResult>;
}

/** Reports that connecting to a phone failed with `error`. Returns at once. */
export type ReportPhone = (phoneId: string, error: unknown) => void;

export interface ReachParts {
  clock: Clock;
  log: Log;
  metrics: ScreenMetrics;
  connectSocket: ConnectSocket;
  limits: ScreenLimits;
  report: ReportPhone;
}

/** Returns the phone with its link, which connects at the first use. */
export function reachPhone(phone: LocatedPhone, parts: ReachParts): ReachedPhone {
  const { clock, log, metrics, connectSocket, limits, report } = parts;
  const { phoneId, host, port, identity } = phone;
  const { connectTimeoutMs, commandTimeoutMs: timeoutMs, maxCommandBytes: maxBytes } = limits;
  const onOpenFailed = (error: unknown): void => report(phoneId, error);
  const link = new KeptLink({ host, port, clock, connectSocket, connectTimeoutMs, identity, onOpenFailed });
  return {
    phone,
    clock,
    log: log.child({ phone_id: phoneId }),
    metrics,
    limits,
    link,
    inputs: new InputTimes(clock),
    command: ({ signal }, command, doing) => link.shell(command, { timeoutMs, maxBytes, doing, signal }),
  };
}
