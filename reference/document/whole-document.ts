import type { Transport } from '@connectrpc/connect';
import { contractsOver } from '../../gateway/contracts.js';
import { EDGE_LIMITS } from '../../gateway/limits.js';
import { type Route, routesOf } from '../../gateway/routes/route.js';
import { slotTexts, type SlotTexts } from '../../gateway/slots.js';
import { createDocument } from './document.js';
import type { Json } from './json.js';

/** The texts of an installation whose operator set nothing. */
export const DEFAULT_TEXTS: SlotTexts = slotTexts(EDGE_LIMITS, undefined);

/** Returns the document of all contracts and their routes, without a running service: for the pages, for generated code and for tests. */
export function wholeDocument(texts: SlotTexts = DEFAULT_TEXTS): { document: Json; routes: readonly Route[] } {
  const nothing = {} as Transport;
  const routes = routesOf(contractsOver({ device: nothing, screen: nothing, relay: nothing, webhook: nothing }));
  return { document: createDocument({ routes, texts }), routes };
}
