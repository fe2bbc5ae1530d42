import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import { randomHex } from '../trace.js';

/**
 * Answers what is not HTTP enough to become a request, in the form of every other error, and closes the connection. Nothing of it
 * is repeated in the answer.
 */
export function answerMalformed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Duplex & { _httpMessage?: { headersSent: boolean } | null };
    // A reset has nobody to answer to; an answer that has begun cannot be taken back.
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const { status, kind, message } = faultOf(error);
    const body = JSON.stringify({ error: kind, message });
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
        `X-Request-Id: req_${randomHex()}\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `Connection: close\r\n\r\n${body}`,
      // What else the client sends is of no interest, and it may never stop.
      () => socket.destroy(),
    );
  });
}

function faultOf({ code }: NodeJS.ErrnoException): { status: number; kind: string; message: string } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, kind: 'too_large', message: 'The request line and headers are too large.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, kind: 'bad_request', message: 'The request did not come in completely in time.' };
    default:
      return { status: 400, kind: 'bad_request', message: 'This is not a valid HTTP/1.1 request.' };
  }
}
