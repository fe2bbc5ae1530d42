import type { CloudPhone } from '../../client/src/index.js';
import { ApiDocument } from './document.js';
import { OFFERS } from './offered.js';
import { createServer, type McpServer, type ServerParts } from './server.js';
import { toolsOf } from './tools.js';

/** Makes the server of one client, which calls the API by `phone`. With a read-only key, it lists only the tools that change nothing. */
export type OpenServer = (phone: CloudPhone, key?: { isReadOnly: boolean }) => McpServer;

/** Makes the tools once, for the servers of any number of clients. */
export function openServers(parts: Pick<ServerParts, 'version' | 'defaultDevice' | 'newKey' | 'onFault'>): OpenServer {
  const { tools, names } = toolsOf(OFFERS, new ApiDocument(), parts.defaultDevice);
  const reading = tools.filter(({ operation }) => operation.isRead);
  return (phone, key) =>
    createServer({ ...parts, tools, listed: key?.isReadOnly === true ? reading : tools, names, phone });
}
