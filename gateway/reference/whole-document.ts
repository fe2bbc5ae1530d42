import type { Transport } from '@connectrpc/connect';
import { contractsOver } from '../contracts.js';
import { EDGE_LIMITS } from '../limits.js';
import { type Route, routesOf } from '../routes/route.js';
import { createDocument } from './document.js';
import type { Json } from './json.js';

/** Returns the reference of all contracts and their routes without a running service: for generated code, and for tests. */
export function wholeDocument(): { document: Json; routes: readonly Route[] } {
  const nothing = {} as Transport;
  const routes = routesOf(contractsOver({ device: nothing, screen: nothing, relay: nothing, webhook: nothing }));
  return { document: createDocument({ routes, limits: EDGE_LIMITS, publicUrl: undefined }), routes };
}
