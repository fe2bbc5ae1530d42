import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { HttpConfig } from './config.js';
import type { McpServer } from './server.js';

/** Names of this machine under which a client reaches a server on loopback. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Largest request, bytes: 20 steps that each type the longest text fit into it. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Requests at one time. */
const MAX_OPEN_REQUESTS = 100;

export interface Listening {
  /** Where clients post to. */
  url: string;
  close(): Promise<void>;
}

/**
 * Serves MCP over streamable HTTP. Each request gets a server of its own, with the key of that request. So there are no sessions to guard,
 * to bound and to lose.
 */
export async function listen(config: HttpConfig, serverFor: (key: string) => McpServer): Promise<Listening> {
  let open = 0;
  const http: HttpServer = createServer((request, response) => {
    const refusal = refusalOf(request, config) ?? (open >= MAX_OPEN_REQUESTS ? BUSY : undefined);
    if (refusal !== undefined) {
      refuse(response, refusal);
      return;
    }
    open++;
    response.once('close', () => open--);
    serve(request, response, serverFor(keyOf(request) ?? '')).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(config.port, config.host, resolve);
  });
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, server: McpServer): Promise<void> {
  const transport = new StreamableHTTPServerTransport({ maxRequestBodySize: MAX_BODY_BYTES });
  // A client that has gone needs no response: the work for it ends.
  response.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

interface Refusal {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

const BUSY: Refusal = {
  status: 503,
  message: 'Too many requests at one time. Try again.',
  headers: { 'retry-after': '1' },
};

/** The reason to refuse a request; undefined: it is served. */
function refusalOf(request: IncomingMessage, { host, hosts, origins }: HttpConfig): Refusal | undefined {
  const { headers, method, url = '' } = request;
  // A stranger's web page can make a browser send requests here, under a host name that leads to this machine (DNS rebinding). Such a
  // request has another Host, or an Origin.
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (![...LOOPBACK, host, ...hosts].includes(name)) {
    return {
      status: 403,
      message: `The Host "${name}" is not allowed. Start with --allow-host ${name || 'NAME'} to allow it.`,
    };
  }
  if (headers.origin !== undefined && !origins.includes(headers.origin)) {
    return { status: 403, message: 'This Origin is not allowed. Start with --allow-origin to allow a web page.' };
  }
  if (url.split('?')[0] !== '/mcp') return { status: 404, message: 'There is only /mcp here.' };
  if (method !== 'POST') {
    return { status: 405, message: 'Send requests by POST; there are no sessions.', headers: { allow: 'POST' } };
  }
  if (keyOf(request) === undefined) {
    const message = 'Send an API key of the cloud phone service: "Authorization: Bearer <API key>".';
    return { status: 401, message, headers: { 'www-authenticate': 'Bearer' } };
  }
  return undefined;
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (\S{1,200})$/i.exec(headers.authorization ?? '')?.[1];
}

function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
  // The rest of the request is not read.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers }).end(body);
}
