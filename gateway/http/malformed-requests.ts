import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import { LARGE_HEADERS } from '../../kit/https/https-server.js';
import { requestIdOf } from '../../kit/log/trace.js';
import { type DiscardOptions, endWith } from './discard-rest.js';

/**
 * Responds to malformed HTTP in the form of every other error, and closes the connection. The response repeats nothing of the request.
 */
export function respondToMalformed(server: Server, options: DiscardOptions): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Duplex & { _httpMessage?: { headersSent: boolean } | null };
    // After a reset there is no client left, and a response that has begun cannot be replaced.
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    endWith(socket, responseOf(faultOf(error)), options);
  });
}

/** Refuses CONNECT. Node makes no response object for it, and without a listener cuts the connection. */
export function refuseTunnels(server: Server, options: DiscardOptions): void {
  server.on('connect', (_request, socket) => {
    // The client may hang up before the response is complete.
    socket.on('error', () => socket.destroy());
    const message = 'CONNECT is not possible: this is no proxy.';
    endWith(socket, responseOf({ status: 405, kind: 'method_not_allowed', message }), options);
  });
}

interface Fault {
  status: number;
  kind: string;
  message: string;
}

/** Returns the response to a request that has no response object. The connection closes after it. */
function responseOf({ status, kind, message }: Fault): string {
  const body = JSON.stringify({ error: kind, message });
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
    `X-Request-Id: ${requestIdOf(undefined)}\r\n` +
    // RFC 9110 requires the header in every 405. Its list is empty, because the target of a tunnel supports no method here.
    (status === 405 ? 'Allow: \r\n' : '') +
    `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `Connection: close\r\n\r\n${body}`
  );
}

function faultOf({ code }: NodeJS.ErrnoException): Fault {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, kind: LARGE_HEADERS.error, message: LARGE_HEADERS.message };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, kind: 'bad_request', message: 'The request did not come in completely in time.' };
    default:
      return { status: 400, kind: 'bad_request', message: 'This is not a valid HTTP/1.1 request.' };
  }
}
