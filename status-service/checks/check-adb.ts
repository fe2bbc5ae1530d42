import { createClient, type Transport } from '@connectrpc/connect';
import { RelayAdminService } from '../../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { RELAYS_TRIED } from '../limits.js';
import { greetRelay } from './greet-relay.js';
import { type Check, ProbeFault } from './outcome.js';

/**
 * Checks the relays' public ports. Only the relay service knows them: a port is open only while a device's relay is on.
 * While no relay is on, only the relay service's own response is checked. `relay` absent: the address of the relay service is not set, and
 * nothing is checked.
 */
export function adbCheck(relay: Transport | undefined): Check {
  if (relay === undefined) return async () => ({ state: 'not_checked' });
  const client = createClient(RelayAdminService, relay);
  const open = async (signal: AbortSignal): Promise<{ host: string; port: number }[]> => {
    try {
      const { relays } = await client.listRelays({}, { signal });
      return relays.flatMap(({ adb }) =>
        adb?.host === undefined || adb.port === undefined ? [] : [{ host: adb.host, port: adb.port }],
      );
    } catch (error) {
      throw signal.aborted ? error : new ProbeFault('does not respond', { cause: error });
    }
  };
  return async (signal) => {
    const tried = (await open(signal)).slice(0, RELAYS_TRIED);
    let fault: Error | undefined;
    for (const relay of tried) {
      try {
        await greetRelay(relay, signal);
        return { state: 'ok' };
      } catch (error) {
        if (!(error instanceof ProbeFault)) throw error;
        fault = error;
      }
    }
    if (fault === undefined) return { state: 'ok' };
    // The relays that were tried may have been turned off since.
    const still = await open(signal);
    if (!tried.some(({ host, port }) => still.some((other) => other.host === host && other.port === port)))
      return { state: 'ok' };
    throw fault;
  };
}
