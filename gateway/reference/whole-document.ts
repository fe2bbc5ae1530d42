import type { Transport } from '@connectrpc/connect';
import { createJsonEncoders } from '../../kit/json/encode.js';
import { contractsOver } from '../contracts.js';
import { createJsonDecoders } from '../json/decode.js';
import { EDGE_LIMITS } from '../limits.js';
import { type Route, routesOf } from '../routes/route.js';
import { createDocument } from './document.js';
import type { Json } from './json.js';

/** The reference of every contract and its routes, without a service: for what is made of it before anything runs, and for tests. */
export function wholeDocument(): { document: Json; routes: readonly Route[] } {
  const nothing = {} as Transport;
  const codec = { decoders: createJsonDecoders(), encoderFor: createJsonEncoders() };
  const contracts = contractsOver({ device: nothing, screen: nothing, relay: nothing, webhook: nothing });
  const routes = contracts.flatMap((contract) => routesOf(contract, codec));
  return { document: createDocument({ routes, limits: EDGE_LIMITS, publicUrl: undefined }), routes };
}
