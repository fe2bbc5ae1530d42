import type { Clock } from '../../../kit/async/clock.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import { CHECK_TIMEOUT_MS } from '../limits.js';
import type { Exits } from '../network/exits.js';
import { type WayOut, WayOutError } from '../network/way-out.js';
import type { DeviceExit } from '../../store/device-exit.js';
import type { Finding } from '../../record/problems.js';

export type CheckExit = (phoneId: string, exit: DeviceExit) => Promise<Finding>;

/**
 * Checks a phone's exit as far as that is possible without using the phone. The exit must still be offered, and its proxy must accept
 * connections by the same path as the phone's forwarder uses. An exit without a proxy is the host's own connection, which this service
 * depends on itself.
 */
export function exitCheck({ exits, way, clock }: { exits: Exits; way: WayOut; clock: Clock }): CheckExit {
  return async (phoneId, exit) => {
    const upstream = exits.upstreamOf(phoneId, exit);
    try {
      await within(hostLimit(clock, CHECK_TIMEOUT_MS), (limited) => way.probe(upstream, limited));
      return undefined;
    } catch (error) {
      if (error instanceof WayOutError && error.fault === 'none') {
        const message =
          "The phone's network exit is not offered any more, so the phone has no network. Choose another exit.";
        return { kind: 'exit', message };
      }
      // The text is the same for closed, filtered and forbidden ports, so that customers learn nothing about the network.
      return {
        kind: 'exit',
        message: "The proxy of the phone's network exit does not respond. Change the exit, or mend the proxy.",
      };
    }
  };
}
