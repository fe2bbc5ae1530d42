import { request } from 'node:http';
import { type OpenApi, openApi } from '../testing/openapi.js';

/** A response of the REST API. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed, when it is JSON. */
  body: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read any part of a body
  bytes: Buffer;
}

export interface AskOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Throws for a response that the reference does not have: so every whole-service test tests the reference too. */
function assertDescribed(
  reference: OpenApi,
  method: string,
  path: string,
  { status, headers, body, bytes }: Answer,
): void {
  // An empty file, such as the export of a timeline without entries, has its type all the same.
  const contentType = headers.get('content-type') ?? (bytes.length === 0 ? undefined : '');
  const [plain = ''] = path.split('?');
  const faults = reference.faultsOf({ method, path: plain, status, contentType, headers, body });
  if (faults.length > 0) {
    throw new Error(`the reference does not have this response to ${method} ${plain}, ${status}: ${faults.join('; ')}`);
  }
}

/** Headers with which a request is the handshake of a WebSocket. */
export const HANDSHAKE = {
  ...{ connection: 'Upgrade', upgrade: 'websocket' },
  ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
};

/** Sends a handshake, as `fetch` cannot, and returns the response. A WebSocket that is opened is cut at once. */
async function offerUpgrade(url: string, { headers = {} }: { headers?: Record<string, string> }): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false });
    sent.on('error', reject).on('upgrade', ({ headers: responded }, socket) => {
      socket.destroy();
      // A Response of fetch cannot have the status 101.
      const response = new Response(null, { headers: new Headers(responded as Record<string, string>) });
      resolve(Object.defineProperty(response, 'status', { value: 101 }));
    });
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      response
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          const { statusCode: status = 0, headers: responded } = response;
          resolve(
            new Response(Buffer.concat(parts), { status, headers: new Headers(responded as Record<string, string>) }),
          );
        });
    });
    sent.end();
  });
}

/** Does what `fetch` does. A failure says why, which `fetch` leaves to the cause of its error. Mocha does not print causes. */
function fetchOrSayWhy(url: string, options: RequestInit): Promise<Response> {
  // A redirect is a response like others.
  return fetch(url, { redirect: 'manual', ...options }).catch((error: unknown) => {
    const { cause } = error as Error;
    if (!(cause instanceof Error)) throw error;
    throw new Error(`${url}: ${cause.message}`, { cause });
  });
}

/** Returns all bytes of a response. A stream of events has no end, so its first piece is returned. */
async function bytesOf(response: Response): Promise<Buffer> {
  if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return Buffer.from(await response.arrayBuffer());
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []);
}

/** A body that is no JSON. */
function isRaw(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}

/** The REST API as a customer's script uses it. */
export class RestClient {
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #reference: OpenApi;

  /** `url` is without /v1. `reference` is the document that responses must agree with. Absent: that of this service. */
  constructor(url: string, key: string | undefined, reference: OpenApi = openApi()) {
    this.#url = url;
    this.#key = key;
    this.#reference = reference;
  }

  /** The same API with another key, or none. */
  as(key: string | undefined): RestClient {
    return new RestClient(this.#url, key, this.#reference);
  }

  get(path: string, options?: AskOptions): Promise<Answer> {
    return this.ask('GET', path, undefined, options);
  }

  post(path: string, body?: unknown, options?: AskOptions): Promise<Answer> {
    return this.ask('POST', path, body, options);
  }

  delete(path: string, options?: AskOptions): Promise<Answer> {
    return this.ask('DELETE', path, undefined, options);
  }

  async ask(method: string, path: string, body?: unknown, options: AskOptions = {}): Promise<Answer> {
    const { signal } = options;
    const headers = {
      ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }),
      ...(body !== undefined && { 'content-type': isRaw(body) ? 'application/octet-stream' : 'application/json' }),
      ...options.headers,
    };
    const send = 'upgrade' in headers ? offerUpgrade : fetchOrSayWhy;
    const response = await send(this.#url + path, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' || isRaw(body) ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    const bytes = await bytesOf(response);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const parsed: unknown = isJson && bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : undefined;
    const { status, headers: responded } = response;
    assertDescribed(this.#reference, method, path, { status, headers: responded, body: parsed, bytes });
    return { status, headers: responded, body: parsed, bytes };
  }

  /** Waits for the job of a 202 response and returns the job. Throws when it does not end well. */
  async done(accepted: Answer) {
    if (accepted.status !== 202) throw new Error(`not accepted: ${accepted.status} ${accepted.bytes.toString()}`);
    const { body } = await this.get(`/v1/jobs/${accepted.body.job.id as string}?wait_s=30`);
    if (body.job.state !== 'done') throw new Error(`job is ${JSON.stringify(body.job)}`);
    return body.job;
  }

  /** Creates a phone, running unless `start` is false, and returns its name. */
  async createPhone(init: { name?: string; start?: boolean; model?: string } = {}): Promise<string> {
    const accepted = await this.post('/v1/devices', {
      model: 'phone-720p',
      network: { type: 'direct', country: 'us' },
      plan: 'minute',
      ...init,
    });
    await this.done(accepted);
    return accepted.body.device.name as string;
  }
}
