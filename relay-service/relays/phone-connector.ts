import { connect } from 'node:net';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { PhoneConnection } from '../connection/session.js';
import { REPORT_PHONE_MS, type RelayLimits } from '../limits.js';

/** Where a phone's adbd is, and which start of which phone it should be. */
interface PhoneAddress {
  host: string;
  port: number;
  generation: number;
  identity: string;
}

/** The device service, as far as a relay needs it. */
export interface Phones {
  /** Where a phone is now; undefined when it does not run. */
  locate(phoneId: string): Promise<PhoneAddress | undefined>;
  /** Reports that a phone is not where it should be; `found`: the identity of the phone that is. */
  report(phoneId: string, found: string | undefined): void;
}

interface PhoneConnectorParts {
  phoneId: string;
  phones: Phones;
  clock: Clock;
  log: Log;
  limits: RelayLimits;
}

/** Connects sessions to the phone of a relay, and reports the phone when it is not at its address. */
export class PhoneConnector {
  readonly #parts: PhoneConnectorParts;
  #reportedMs = -Infinity;

  constructor(parts: PhoneConnectorParts) {
    this.#parts = parts;
  }

  /** Finds the phone and connects to it; rejects when it does not run or cannot be reached. */
  async connect(): Promise<PhoneConnection> {
    const { clock, limits, phones, phoneId } = this.#parts;
    const address = await phones.locate(phoneId);
    if (!address) throw new Error('the phone does not run');
    const { host, port, generation, identity } = address;
    const options = { host, port, noDelay: true, highWaterMark: limits.bufferBytes };
    const socket = connect(options);
    return new Promise((resolve, reject) => {
      const timer = clock.after(limits.connectMs, () => socket.destroy(new Error('the phone did not accept in time')));
      const onError = (error: Error): void => {
        timer.cancel();
        this.report(undefined);
        reject(error);
      };
      socket.once('error', onError);
      socket.once('connect', () => {
        timer.cancel();
        // From here on errors are the session's.
        socket.off('error', onError).on('error', () => undefined);
        resolve({ socket, port, generation, identity });
      });
    });
  }

  /** Reports that the phone could not be reached, or that another phone, `found`, has its address; at most once in REPORT_PHONE_MS. */
  report(found: string | undefined): void {
    const { clock, log, phones, phoneId } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#reportedMs < REPORT_PHONE_MS) return;
    this.#reportedMs = nowMs;
    log.warn({ found_identity: found }, 'the phone of an ADB relay is not at its address');
    phones.report(phoneId, found);
  }
}
