import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Agent, fetch, type Response } from 'undici';

export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
  };
  // Objects of all kinds, as the server has them.
  [field: string]: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

/** Calls the API server by path and JSON, for tests and the stand-in kubelet. It does not use the driver's client. */
export class ApiClient {
  readonly server: string;
  readonly #token: string;
  readonly #agent: Agent;

  constructor({ server, token, ca }: { server: string; token: string; ca: string }) {
    this.server = server;
    this.#token = token;
    this.#agent = new Agent({ connect: { ca }, bodyTimeout: 0, headersTimeout: 60_000 });
  }

  /** Returns the body; undefined for 404. Throws for every other failure. */
  async call<T = any>( // eslint-disable-line @typescript-eslint/no-explicit-any
    method: string,
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<T | undefined> {
    const response = await this.#send(method, path, body, contentType);
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return (text.startsWith('{') ? JSON.parse(text) : text) as T;
  }

  async create(path: string, object: object): Promise<KubernetesObject> {
    return (await this.call<KubernetesObject>('POST', path, object)) as KubernetesObject;
  }

  async list(path: string): Promise<KubernetesObject[]> {
    return (await this.call<{ items: KubernetesObject[] }>('GET', path))?.items ?? [];
  }

  merge(path: string, patch: object): Promise<unknown> {
    return this.call('PATCH', path, patch, 'application/merge-patch+json');
  }

  /** Calls `onObject` for every present object and every change, until aborted. An error that `onObject` throws ends the watch. */
  async watch(
    path: string,
    selector: string,
    onObject: (object: KubernetesObject, isDeleted: boolean) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const query = `watch=true&allowWatchBookmarks=true&${selector}`;
    const response = await fetch(`${this.server}${path}?${query}`, {
      headers: { authorization: `Bearer ${this.#token}` },
      dispatcher: this.#agent,
      signal,
    });
    if (!response.ok || response.body === null) throw new Error(`watch ${path}: ${response.status}`);
    for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
      const { type, object } = JSON.parse(line) as { type: string; object: KubernetesObject };
      if (type === 'ERROR') throw new Error(`watch ${path}: ${JSON.stringify(object)}`);
      if (type !== 'BOOKMARK') onObject(object, type === 'DELETED');
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #send(method: string, path: string, body: unknown, contentType: string): Promise<Response> {
    return fetch(`${this.server}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': contentType },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher: this.#agent,
    });
  }
}
