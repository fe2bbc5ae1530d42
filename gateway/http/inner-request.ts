import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Call } from '../../kit/call/call.js';

/** What an inner request has of the request that it is made for. */
export interface OuterRequest {
  /** Its call. The inner call has the same id, trace and address, and time of its own. */
  call: Call;
  /** Its Host header. */
  host: string;
  isSecure: boolean;
  /** Whether the rate limits of the key have counted it in place of the next inner request. */
  isPaid: boolean;
}

/** A request that the edge sends to itself, without a connection. No client can make one. */
export class InnerRequest extends IncomingMessage {
  readonly outer: OuterRequest;

  constructor(socket: Socket, outer: OuterRequest) {
    super(socket);
    this.outer = outer;
  }
}

/** Returns whether the rate limits of the key have counted `request` already. Each outer request pays for one inner request. */
export function takePayment(request: IncomingMessage): boolean {
  if (!(request instanceof InnerRequest) || !request.outer.isPaid) return false;
  request.outer.isPaid = false;
  return true;
}

/** The end of the headers of a response. */
const HEADERS_END = '\r\n\r\n';

/** The statuses of responses that have no body. */
const WITHOUT_BODY: readonly number[] = [204, 304];

/**
 * Sends a request to `serve` in this process, which passes everything that guards requests of clients. Rejects when `signal` aborts, and
 * then the response counts as one whose client has hung up.
 */
export async function serveInside(
  serve: RequestListener,
  sent: Request,
  { outer, signal }: { outer: OuterRequest; signal: AbortSignal },
): Promise<Response> {
  const body = Buffer.from(await sent.arrayBuffer());
  signal.throwIfAborted();
  const socket = new InnerSocket(outer.isSecure);
  const request = requestOf(sent, body, socket, outer);
  const response = new ServerResponse(request);
  // A body of unknown length is written as it is, and not in chunks with their lengths.
  response.useChunkedEncodingByDefault = false;
  response.assignSocket(socket);
  const hangUp = (): void => void socket.destroy();
  signal.addEventListener('abort', hangUp, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      // The call of the inner request ends with its connection.
      response.once('finish', resolve).once('finish', hangUp);
      response.once('close', () =>
        reject(signal.aborted ? (signal.reason as Error) : new Error('no response was sent')),
      );
      serve(request, response);
    });
  } finally {
    signal.removeEventListener('abort', hangUp);
  }
  return responseOf(response.statusCode, socket.written());
}

/** Returns a response as it was written. The values of `response.getHeaders()` do not include those of writeHead. */
function responseOf(status: number, written: Buffer): Response {
  const end = written.indexOf(HEADERS_END);
  const [, ...lines] = written.toString('latin1', 0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  const body = WITHOUT_BODY.includes(status) ? null : written.subarray(end + HEADERS_END.length);
  return new Response(body, { status, headers });
}

/** The connection of one inner request, which keeps what is written to it. */
class InnerSocket extends Socket {
  /** Koa's way to see https. */
  readonly encrypted: boolean;
  readonly #written: Buffer[] = [];

  constructor(isSecure: boolean) {
    super();
    this.encrypted = isSecure;
  }

  written(): Buffer {
    return Buffer.concat(this.#written);
  }

  override _read(): void {
    // Nothing comes in by the connection: the request is whole from the beginning.
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#keep(chunk, encoding);
    done();
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    for (const { chunk, encoding } of chunks) this.#keep(chunk, encoding);
    done();
  }

  #keep(chunk: Buffer | string, encoding: BufferEncoding): void {
    this.#written.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
  }
}

function requestOf(sent: Request, body: Buffer, socket: Socket, outer: OuterRequest): InnerRequest {
  const request = new InnerRequest(socket, outer);
  const { pathname, search } = new URL(sent.url);
  const length = body.length === 0 ? {} : { 'content-length': String(body.length) };
  const headers = { ...Object.fromEntries(sent.headers), ...length, host: outer.host };
  request.method = sent.method;
  request.url = pathname + search;
  request.httpVersion = '1.1';
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  request.headers = headers;
  request.rawHeaders = Object.entries(headers).flat();
  request.complete = true;
  if (body.length > 0) request.push(body);
  request.push(null);
  return request;
}
