import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CloudPhone } from '../../client/src/index.js';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import { openServers } from '../../mcp/src/open-servers.js';

/** One message, and how its tool reaches the API. */
export interface ServedMessage {
  body: object;
  accept: string;
  /** MCP-Protocol-Version. Absent: the client sends none. */
  protocolVersion: string | undefined;
  /** Whether the response is a stream, which reports progress too. */
  isStream: boolean;
  /** The credential of the client. */
  authorization: string;
  isReadOnly: boolean;
  /** Serves the requests to the API. */
  fetch: (request: Request, init: RequestInit) => Promise<Response>;
}

/** A message that is being served. */
export interface Serving {
  /** Settles when the response begins. Where `close` comes first, it may never settle. */
  response: Promise<Response>;
  /** Ends the work for the message, and the stream of its response. Safe to call any number of times. */
  close: () => void;
}

export type ServeMessage = (message: ServedMessage) => Promise<Serving>;

/** The URL of the API for tools. Nothing connects to it. */
const INSIDE = 'http://localhost/v1';

const VERSION_FILE = new URL('../../../package.json', import.meta.url);

/** Returns a function that serves messages, each by a server of its own. `onFault` receives faults of tools. */
export function openProtocol(onFault: (fault: unknown) => void): ServeMessage {
  const { version } = JSON.parse(readFileSync(VERSION_FILE, 'utf8')) as { version: string };
  const open = openServers({ version, defaultDevice: undefined, newKey: randomUUID, onFault });
  return async ({ body, accept, protocolVersion, isStream, authorization, isReadOnly, fetch }) => {
    const key = authorization.replace(/^Bearer +/i, '');
    // The model decides on repetitions. A repetition here would hold the request of the client, for up to a minute.
    const server = open(new CloudPhone({ url: INSIDE, key, attempts: 1, fetch }), { isReadOnly });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStream });
    await server.connect(transport);
    const headers = { accept, 'content-type': 'application/json' };
    const request = new Request(INSIDE, {
      method: 'POST',
      headers: protocolVersion === undefined ? headers : { ...headers, 'mcp-protocol-version': protocolVersion },
    });
    const response = begunAhead(transport.handleRequest(request, { parsedBody: body }));
    return { response, close: () => void server.close().catch(onFault) };
  };
}
