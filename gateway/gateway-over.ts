import type { Transport } from '@connectrpc/connect';
import type { Db } from 'mongodb';
import { auditorOver } from '../kit/rpc/remote-auditor.js';
import { callersOver } from '../kit/rpc/remote-authenticate.js';
import { contractsOver } from './contracts.js';
import { CALLER_TTL_MS } from './limits.js';
import { windowsShared } from './rates/shared-windows.js';
import { createGateway, type Gateway, type GatewayOptions } from './service.js';

export interface GatewayOverOptions extends Pick<
  GatewayOptions,
  'clock' | 'log' | 'metrics' | 'publicUrl' | 'behindProxy' | 'statusUrl' | 'statusTrust' | 'limits' | 'hosts' | 'mcp'
> {
  /** The transports to the services. */
  ways: { device: Transport; screen: Transport; relay: Transport; webhook: Transport };
  /** The database in which several gateways count their rate limits together. Absent: this gateway counts alone. */
  sharedDatabase: Db | undefined;
}

/** Creates the gateway over the services. The gateway serves the routes of every contract, and the device service authenticates callers. */
export function gatewayOver(options: GatewayOverOptions): Gateway {
  const { clock, log, ways, sharedDatabase } = options;
  const callers = callersOver(ways.device, { clock, ttlMs: CALLER_TTL_MS });
  return createGateway({
    ...options,
    contracts: contractsOver(ways),
    auditor: auditorOver(ways.device, clock),
    authenticate: callers.authenticate,
    knowsCaller: (authorization) => callers.knows(authorization),
    forgetCallers: () => callers.clear(),
    ...(sharedDatabase !== undefined && { openWindows: windowsShared(sharedDatabase, clock, log) }),
  });
}
