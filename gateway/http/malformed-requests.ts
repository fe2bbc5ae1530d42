import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import { requestIdOf } from '../../kit/trace.js';

/**
 * Responds to malformed HTTP in the form of every other error, and closes the connection. Nothing of the request is repeated in the
 * response.
 */
export function respondToMalformed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Duplex & { _httpMessage?: { headersSent: boolean } | null };
    // After a reset no client is left; a response that has begun cannot be replaced.
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const { status, kind, message } = faultOf(error);
    endWith(socket, { status, kind, message });
  });
}

/** Refuses CONNECT: Node makes no response object for it, and without a listener cuts the connection. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_request, socket) => {
    // A client that hangs up before the response is complete.
    socket.on('error', () => socket.destroy());
    endWith(socket, { status: 405, kind: 'method_not_allowed', message: 'CONNECT is not possible: this is no proxy.' });
  });
}

interface Fault {
  status: number;
  kind: string;
  message: string;
}

/** Writes the response of a request that has no response object, and closes the connection. */
function endWith(socket: Duplex, { status, kind, message }: Fault): void {
  const body = JSON.stringify({ error: kind, message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
      `X-Request-Id: ${requestIdOf(undefined)}\r\n` +
      // RFC 9110 wants it of every 405; a tunnel has no other methods.
      (status === 405 ? 'Allow: \r\n' : '') +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
    // Further data of the client is not read; it may never end.
    () => socket.destroy(),
  );
}

function faultOf({ code }: NodeJS.ErrnoException): Fault {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, kind: 'too_large', message: 'The request line and headers are too large.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, kind: 'bad_request', message: 'The request did not come in completely in time.' };
    default:
      return { status: 400, kind: 'bad_request', message: 'This is not a valid HTTP/1.1 request.' };
  }
}
