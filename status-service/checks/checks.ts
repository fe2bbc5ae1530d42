import type { Transport } from '@connectrpc/connect';
import { servingAt } from '../../kit/rpc/health.js';
import type { ComponentId } from '../components.js';
import { adbCheck } from './check-adb.js';
import { checkApi, checkLive } from './check-edge.js';
import { type Check, DoorFault } from './outcome.js';

/** Where the doors are. */
export interface Doors {
  /** Where customers reach the REST API, without /v1. */
  apiUrl: URL;
  /** The way to the relay service, which knows the relays' ports. Absent: ADB is not checked. */
  relay: Transport | undefined;
  /** The way to the screen service. Absent: of live screens only the door is checked. */
  screen: Transport | undefined;
}

/** The check of each component. */
export function checksOf({ apiUrl, relay, screen }: Doors): Record<ComponentId, Check> {
  const serving = screen === undefined ? undefined : servingAt(screen);
  return {
    api: (signal) => checkApi(apiUrl, signal),
    live: async (signal) => {
      const outcome = await checkLive(apiUrl, signal);
      await serving?.(signal).catch((error: unknown) => {
        throw signal.aborted ? error : new DoorFault('cannot show any screen', { cause: error });
      });
      return outcome;
    },
    adb: adbCheck(relay),
  };
}
