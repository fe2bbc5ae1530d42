import createClient from 'openapi-fetch';
import { Agent } from './agent.js';
import { type CloudPhoneEvent, type EventOptions, type Streaming, watchEvents } from './events.js';
import { type Job, type JobWait, waitForJob } from './jobs.js';
import { type Method, unwrapped } from './method.js';
import type { paths } from './openapi.js';
import { platformFetch, platformRandom, platformWait } from './platform.js';
import { createSend, type Sending } from './send.js';

export interface CloudPhoneOptions {
  /** Base URL of the service, with /v1. */
  url: string;
  /** An API key. */
  key: string;
  /** Most attempts for one request. Absent: 5; 1 repeats nothing. */
  attempts?: number;
  /** Longest time of one attempt, ms. Absent: 90,000, as requests can be held for 60 s. */
  timeoutMs?: number;
  /** In place of the platform's. */
  fetch?: Sending['fetch'];
  /** In place of the platform's timers. */
  wait?: Sending['wait'];
  /** Sent as User-Agent. Browsers send their own. */
  userAgent?: string;
}

/** A request that is made at run time. */
export interface RawRequest {
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A cloud phone service, by one key. */
export class CloudPhone {
  readonly get: Method<'get'>;
  readonly post: Method<'post'>;
  readonly patch: Method<'patch'>;
  readonly delete: Method<'delete'>;
  readonly #origin: string;
  readonly #headers: Record<string, string>;
  readonly #send: (request: Request) => Promise<Response>;
  readonly #streaming: Streaming;

  constructor({ url, key, attempts = 5, timeoutMs = 90_000, userAgent, ...own }: CloudPhoneOptions) {
    this.#origin = originOf(url);
    this.#headers = { authorization: `Bearer ${key}`, ...(userAgent !== undefined && { 'user-agent': userAgent }) };
    const sending: Sending = {
      fetch: own.fetch ?? platformFetch,
      wait: own.wait ?? platformWait,
      random: platformRandom,
      attemptsMax: attempts,
      timeoutMs,
    };
    this.#send = createSend(sending);
    this.#streaming = { ...sending, url: `${this.#origin}/v1/events`, headers: this.#headers };
    const api = createClient<paths>({ baseUrl: this.#origin, fetch: this.#send, headers: this.#headers });
    this.get = unwrapped<'get'>(api.GET);
    this.post = unwrapped<'post'>(api.POST);
    this.patch = unwrapped<'patch'>(api.PATCH);
    this.delete = unwrapped<'delete'>(api.DELETE);
  }

  /**
   * Waits until a job has ended, and returns it. Throws a JobFailedError when it failed, and a CloudPhoneError of kind timeout when it
   * has not ended in time.
   */
  async waitForJob(job: Pick<Job, 'id'> | string, options: JobWait = {}): Promise<Job> {
    const id = typeof job === 'string' ? job : job.id;
    const requestJob = async (waitS: number, signal: AbortSignal | undefined): Promise<Job> => {
      const params = { path: { id }, query: { wait_s: waitS } };
      return (await this.get('/v1/jobs/{id}', { params, ...(signal && { signal }) })).job;
    };
    return waitForJob(requestJob, options, () => performance.now());
  }

  /**
   * Events of the phones as they happen, without end: each once and in their order, also over disconnects. Leave the loop, or abort the
   * signal, to end it.
   */
  events(options: EventOptions = {}): AsyncGenerator<CloudPhoneEvent, void> {
    return watchEvents(this.#streaming, options);
  }

  /**
   * Sends any request, such as one of an operation that is chosen at run time. `path` begins with /v1
   * and has its query. Repeated and refused like all others.
   */
  async request(method: string, path: string, { body, headers, signal }: RawRequest = {}): Promise<Response> {
    const init = {
      method,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    return this.#send(new Request(this.#origin + path, init));
  }

  /** An agent's hands and eyes on a device. */
  agent(device: string): Agent {
    return new Agent(this, device);
  }
}

/** The paths of the reference begin with /v1, as the base URL ends. */
function originOf(url: string): string {
  const { protocol } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${url} is not an http or https URL.`);
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}
