import createClient from 'openapi-fetch';
import { Agent } from './agent.js';
import { type CloudPhoneEvent, type EventOptions, watchEvents } from './events.js';
import { type Job, type JobWait, waitForJob } from './jobs.js';
import { followLogs, type FollowOptions, type LogEvent } from './logs.js';
import { type Method, unwrapped } from './method.js';
import type { paths } from './openapi.js';
import { platformFetch, platformRandom, platformWait } from './platform.js';
import { createSend, type Sending } from './send.js';
import type { Streaming } from './streams.js';

export interface CloudPhoneOptions {
  /** Base URL of the service, with /v1. */
  url: string;
  /** An API key. */
  key: string;
  /** Most attempts for one request. Absent: 5. With 1, no request is repeated. */
  attempts?: number;
  /** Longest time of one attempt, ms. Absent: 90,000, because the service can hold a request for 60 s. */
  timeoutMs?: number;
  /** Used in place of the platform's fetch. */
  fetch?: Sending['fetch'];
  /** Used in place of the platform's timers. */
  wait?: Sending['wait'];
  /** Sent as User-Agent. Browsers send their own. */
  userAgent?: string;
}

/** Options of a request to an operation that is chosen at run time. */
export interface RawRequest {
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A client of a cloud phone service, with one API key. */
export class CloudPhone {
  readonly get: Method<'get'>;
  readonly post: Method<'post'>;
  readonly put: Method<'put'>;
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
      maxAttempts: attempts,
      timeoutMs,
    };
    this.#send = createSend(sending);
    this.#streaming = { ...sending, origin: this.#origin, headers: this.#headers };
    const api = createClient<paths>({ baseUrl: this.#origin, fetch: this.#send, headers: this.#headers });
    this.get = unwrapped<'get'>(api.GET);
    this.post = unwrapped<'post'>(api.POST);
    this.put = unwrapped<'put'>(api.PUT);
    this.patch = unwrapped<'patch'>(api.PATCH);
    this.delete = unwrapped<'delete'>(api.DELETE);
  }

  /**
   * Waits until a job has ended, and returns the job. Throws a JobFailedError when the job failed, and a CloudPhoneError of kind timeout
   * when the job has not ended in time.
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
   * Yields events of the phones as they happen, until the caller leaves the loop or aborts the signal. Each event comes once and in order,
   * also when connections are lost. Throws when the service refuses.
   */
  events(options: EventOptions = {}): AsyncGenerator<CloudPhoneEvent, void> {
    return watchEvents(this.#streaming, options);
  }

  /**
   * Yields the lines of a phone's log as the phone writes them, until the caller leaves the loop or aborts the signal. When the connection was
   * lost, it goes on after the last line. Throws when the service refuses, and when the phone stops.
   */
  followLogs(device: string, options: FollowOptions = {}): AsyncGenerator<LogEvent, void> {
    return followLogs(this.#streaming, device, options);
  }

  /**
   * Sends a request to any operation, such as one that is chosen at run time. `path` begins with /v1 and includes the query. Repetitions
   * and errors are the same as for all other requests.
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

  /** Returns an object with which an AI agent observes a device and acts on it. */
  agent(device: string): Agent {
    return new Agent(this, device);
  }
}

/** Returns the base URL without /v1 at its end, because the paths of all operations begin with /v1. */
function originOf(url: string): string {
  const { protocol } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${url} is not an http or https URL.`);
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}
