import type { Transport } from '@connectrpc/connect';
import type { OwnTrust } from '../../kit/https/server-certificate.js';
import { servingAt } from '../../kit/rpc/health.js';
import type { ComponentId } from '../components.js';
import { adbCheck } from './check-adb.js';
import { checkApi, checkLive } from './check-edge.js';
import { type Check, DoorFault } from './outcome.js';

/** Where the doors are. */
export interface Doors {
  /** Where customers reach the REST API, without /v1. */
  apiUrl: URL;
  /** The certificate to trust there, where it is this process's own. Absent: any that the system trusts. */
  apiTrust?: (() => OwnTrust) | undefined;
  /** The way to the relay service, which knows the relays' ports. Absent: ADB is not checked. */
  relay: Transport | undefined;
  /** The way to the screen service. Absent: of live screens only the door is checked. */
  screen: Transport | undefined;
}

/** The check of each component. */
export function checksOf({ apiUrl, apiTrust, relay, screen }: Doors): Record<ComponentId, Check> {
  const api = { url: apiUrl, trust: apiTrust };
  const serving = screen === undefined ? undefined : servingAt(screen);
  return {
    api: (signal) => checkApi(api, signal),
    live: async (signal) => {
      const outcome = await checkLive(api, signal);
      await serving?.(signal).catch((error: unknown) => {
        throw signal.aborted ? error : new DoorFault('cannot show any screen', { cause: error });
      });
      return outcome;
    },
    adb: adbCheck(relay),
  };
}
