import type { Transport } from '@connectrpc/connect';
import type { OwnTrust } from '../../kit/https/server-certificate.js';
import { servingAt } from '../../kit/rpc/health.js';
import type { ComponentId } from '../components.js';
import { adbCheck } from './check-adb.js';
import { checkApi, checkLive } from './check-edge.js';
import { type Check, ProbeFault } from './outcome.js';

/** Where the probe targets are. */
export interface ProbeTargets {
  /** Where customers reach the REST API, without /v1. */
  apiUrl: URL;
  /** Returns what to trust at `apiUrl`, if the certificate there is this process's own. Absent: any certificate that the system trusts. */
  apiTrust?: (() => OwnTrust) | undefined;
  /** The way to the relay service, which knows the relays' ports. Absent: ADB is not checked. */
  relay: Transport | undefined;
  /** The way to the screen service. Absent: live screens are checked only at `apiUrl`. */
  screen: Transport | undefined;
}

/** The check of each component. */
export function checksOf({ apiUrl, apiTrust, relay, screen }: ProbeTargets): Record<ComponentId, Check> {
  const api = { url: apiUrl, trust: apiTrust };
  const serving = screen === undefined ? undefined : servingAt(screen);
  return {
    api: (signal) => checkApi(api, signal),
    live: async (signal) => {
      const outcome = await checkLive(api, signal);
      await serving?.(signal).catch((error: unknown) => {
        throw signal.aborted ? error : new ProbeFault('cannot show any screen', { cause: error });
      });
      return outcome;
    },
    adb: adbCheck(relay),
  };
}
