import type { Clock } from '../../kit/clock.js';
import { withLimit } from '../converge/take-step.js';
import { CHECK_TIMEOUT_MS } from '../limits.js';
import type { Exits } from '../network/exits.js';
import { type WayOut, WayOutError } from '../network/way-out.js';
import type { DeviceExit } from '../store/device-exit.js';
import type { Finding } from './problems.js';

export type CheckExit = (phoneId: string, exit: DeviceExit) => Promise<Finding>;

/**
 * Checks a phone's exit as far as that is possible without using the phone: it is still offered, and its proxy accepts connections by
 * the very way that the phone's forwarder takes. An exit without a proxy is the host's own connection, which this service lives on.
 */
export function exitCheck({ exits, way, clock }: { exits: Exits; way: WayOut; clock: Clock }): CheckExit {
  return async (phoneId, exit) => {
    const upstream = exits.upstreamOf(phoneId, exit);
    try {
      const { signal } = new AbortController();
      await withLimit(clock, CHECK_TIMEOUT_MS, signal, (limited) => way.probe(upstream, limited));
      return undefined;
    } catch (error) {
      if (error instanceof WayOutError && error.fault === 'none') {
        const message =
          "The phone's network exit is not offered any more, so the phone has no network. Choose another exit.";
        return { kind: 'exit', message };
      }
      // Closed, filtered and forbidden ports have the same text, so that it reveals nothing about the network.
      return {
        kind: 'exit',
        message: "The proxy of the phone's network exit does not respond. Change the exit, or mend the proxy.",
      };
    }
  };
}
