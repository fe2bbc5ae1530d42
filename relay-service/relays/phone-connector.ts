import type { Client } from '@connectrpc/connect';
import { connect } from 'node:net';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { PhoneConnection } from '../connection/session.js';
import { DEVICE_CALL_MS, LEND_AGAIN_MS, REPORT_PHONE_MS, type RelayLimits } from '../limits.js';
import type { Attempts } from './attempts.js';

interface PhoneConnectorParts {
  phoneId: string;
  devices: Client<typeof PhoneService>;
  /** Called with whether the device's timeline is on. */
  onLocated: (timeline: boolean) => void;
  attempts: Attempts;
  clock: Clock;
  log: Log;
  limits: RelayLimits;
}

/** Connects sessions to the phone of a relay, and reports the phone when it is not at its address. */
export class PhoneConnector {
  readonly #parts: PhoneConnectorParts;
  #reportedMs = -Infinity;
  #lentMs = -Infinity;

  constructor(parts: PhoneConnectorParts) {
    this.#parts = parts;
  }

  /**
   * Finds the phone and connects to it; rejects when it does not run or cannot be reached. It also rejects when a person has the phone: an
   * instance that has just started has not paused the relay yet.
   */
  async connect(): Promise<PhoneConnection> {
    const { clock, limits, devices, phoneId, onLocated } = this.#parts;
    const { phones } = await devices.locatePhones({ phoneIds: [phoneId] }, { timeoutMs: DEVICE_CALL_MS });
    if (!phones[0]) throw new Error('the phone does not run');
    const { host, port, generation, identity, timeline, handedOver } = phones[0];
    if (handedOver) throw new Error('a person has the phone');
    onLocated(timeline);
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
        // The session handles errors from here on.
        socket.off('error', onError).on('error', () => undefined);
        resolve({ socket, port, generation, identity });
      });
    });
  }

  /** Ends the service's own programs on the phone, as a client may run automation there. Does so at most once in LEND_AGAIN_MS. */
  async lend(): Promise<void> {
    const { clock, devices, attempts, phoneId } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lentMs < LEND_AGAIN_MS) return;
    this.#lentMs = nowMs;
    const lent = await attempts.run('lend a phone', () =>
      devices.lendPhones({ phoneIds: [phoneId] }, { timeoutMs: DEVICE_CALL_MS }),
    );
    if (!lent) this.#lentMs = -Infinity;
  }

  /** Reports that the phone could not be reached, or that another phone, `found`, has its address; at most once in REPORT_PHONE_MS. */
  report(found: string | undefined): void {
    const { clock, log, devices, attempts, phoneId } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#reportedMs < REPORT_PHONE_MS) return;
    this.#reportedMs = nowMs;
    log.warn({ found_identity: found }, 'the phone of an ADB relay is not at its address');
    const report = { phoneId, foundIdentity: found };
    void attempts.run('report a phone', () => devices.reportPhone(report, { timeoutMs: DEVICE_CALL_MS }));
  }
}
