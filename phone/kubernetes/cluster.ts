import type { RequestOptions } from 'node:https';
import type * as ClientNode from '@kubernetes/client-node';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ApiObject, Node, Pod } from './api-object.js';
import { Agent, request } from 'undici';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { within } from '../../kit/async/within.js';

/** Where the API is, and the namespace of phones. */
export interface ClusterAccess {
  /** A file with address and credentials. Absent: those of the pod that this process runs in. */
  kubeconfig: string | undefined;
  namespace: string;
}

export interface ClusterOptions extends ClusterAccess {
  clock: Clock;
  log: Log;
}

/** The kinds of objects that are used, with their places in the API. */
const PLACES = {
  Pod: ['api/v1', 'pods'],
  PersistentVolumeClaim: ['api/v1', 'persistentvolumeclaims'],
  ResourceQuota: ['api/v1', 'resourcequotas'],
  Job: ['apis/batch/v1', 'jobs'],
  NetworkPolicy: ['apis/networking.k8s.io/v1', 'networkpolicies'],
} as const;
export type Kind = keyof typeof PLACES;

/**
 * The time for all tries of a call together, ms. A healthy server responds in milliseconds, and an overloaded one still within this time.
 */
const CALL_MS = 30_000;
const MAX_TRIES = 6;
/** The pause before the next try where a response names none, ms. It is multiplied by the number of tries so far. */
const PAUSE_MS = 500;
/** The largest response, bytes. It has room for thousands of pods. */
const MAX_BYTES = 256 * 1024 ** 2;
const FIELD_MANAGER = 'cloudphone';
const LAST_LINES = '10';
const MAX_LOG_BYTES = '65536';

/** The informer of client-node. */
export interface PodInformer {
  on(event: 'add' | 'update' | 'delete', onPod: (pod: Pod) => void): void;
  on(event: 'error', onError: (error: unknown) => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  get(name: string, namespace: string): Pod | undefined;
  list(namespace: string): readonly Pod[];
}

interface Session {
  config: KubeConfig;
  agent: Agent;
  server: string;
}

interface Call {
  query?: Readonly<Record<string, string>>;
  body?: object;
  contentType?: string;
  signal?: AbortSignal | undefined;
}

/**
 * The calls to a cluster's API. The address, the credentials and the watches come from the library client-node. The library's own calls are
 * not used. Each opens a connection of its own, and can neither be aborted nor tried again.
 */
export class Cluster {
  readonly namespace: string;
  readonly #options: ClusterOptions;
  readonly #library: typeof ClientNode;
  #session: Session;

  private constructor(options: ClusterOptions, library: typeof ClientNode, session: Session) {
    this.namespace = options.namespace;
    this.#options = options;
    this.#library = library;
    this.#session = session;
  }

  /** Throws where the credentials cannot be read. */
  static async connect(options: ClusterOptions): Promise<Cluster> {
    // A large library: loaded only where phones are in pods.
    const library = await import('@kubernetes/client-node');
    return new Cluster(options, library, await openSession(library, options.kubeconfig));
  }

  /** Creates an object, or changes an existing one so that it has the given fields (server-side apply). */
  apply<T extends ApiObject>(object: T, signal?: AbortSignal): Promise<T> {
    const path = this.#path(object.kind as Kind, object.metadata?.name);
    return this.#sent<T>('PATCH', path, {
      query: { fieldManager: FIELD_MANAGER, force: 'true' },
      body: object,
      contentType: 'application/apply-patch+yaml',
      signal,
    });
  }

  /** Returns undefined where there is no such object. */
  read<T extends ApiObject>(kind: Kind, name: string, signal?: AbortSignal): Promise<T | undefined> {
    return unlessGone(this.#sent<T>('GET', this.#path(kind, name), { signal }));
  }

  async list<T extends ApiObject>(kind: Kind, labelSelector = '', signal?: AbortSignal): Promise<T[]> {
    return (await this.#sent<{ items: T[] }>('GET', this.#path(kind), { query: { labelSelector }, signal })).items;
  }

  /** An object that does not exist is no error. Objects that belong to it are deleted in the background. */
  async delete(kind: Kind, name: string, { graceS }: { graceS?: number } = {}, signal?: AbortSignal): Promise<void> {
    const body = { propagationPolicy: 'Background', ...(graceS !== undefined && { gracePeriodSeconds: graceS }) };
    await unlessGone(this.#sent('DELETE', this.#path(kind, name), { body, signal }));
  }

  /** Returns the nodes of the cluster. Undefined where the service has no right to read them. */
  async nodes(): Promise<Node[] | undefined> {
    try {
      // Version 0 lets the server respond from its memory, which is new enough for a measurement.
      return (await this.#sent<{ items: Node[] }>('GET', '/api/v1/nodes', { query: { resourceVersion: '0' } })).items;
    } catch (error) {
      if (error instanceof ClusterRefusal && error.status === 403) return undefined;
      throw error;
    }
  }

  /** The last lines that a container wrote; '' where there is no such pod. */
  async lastLines(pod: string, container: string): Promise<string> {
    const query = { container, tailLines: LAST_LINES, limitBytes: MAX_LOG_BYTES };
    return (await unlessGone(this.#text('GET', `${this.#path('Pod', pod)}/log`, { query }))) ?? '';
  }

  /** Returns an informer of the pods with these labels. It is up to date from its start to its stop, and an error ends it. */
  podInformer(labelSelector: string): PodInformer {
    const path = this.#path('Pod');
    const list = () => this.#sent<{ items: Pod[]; metadata: object }>('GET', path, { query: { labelSelector } });
    // The library's type promises instances of its classes, but the list and the watch return plain objects.
    const informer = this.#library.makeInformer(
      this.#session.config,
      path,
      list as never,
      labelSelector,
    ) as unknown as PodInformer;
    // The managed fields are half of each pod's memory, and nothing here reads them.
    const forgetManagers = ({ metadata }: Pod): void => {
      delete metadata?.managedFields;
    };
    for (const event of ['add', 'update'] as const) informer.on(event, forgetManagers);
    return informer;
  }

  close(): void {
    void this.#session.agent.destroy();
  }

  #path(kind: Kind, name?: string): string {
    const [group, plural] = PLACES[kind];
    return `/${group}/namespaces/${this.namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
  }

  async #sent<T>(method: 'GET' | 'PATCH' | 'DELETE', path: string, call: Call): Promise<T> {
    return JSON.parse(await this.#text(method, path, call)) as T;
  }

  /** Sends a call, and repeats it after faults that may pass: an overloaded server, a change at the same moment, renewed credentials. */
  #text(method: 'GET' | 'PATCH' | 'DELETE', path: string, call: Call): Promise<string> {
    const { clock } = this.#options;
    const onTimeout = (): Error => new ClusterUnavailable(`it did not respond within ${CALL_MS / 1_000} s`);
    return within({ clock, timeoutMs: CALL_MS, signals: [call.signal], onTimeout }, async (signal) => {
      let hasReconnected = false;
      for (let tries = 1; ; tries++) {
        // The first try may fail because the other end has closed a kept connection. It is tried once more, as every call may be repeated.
        const response = await this.#once(method, path, { ...call, signal }).catch((error: unknown) => {
          if (tries > 1 || !(error instanceof ClusterUnavailable)) throw error;
        });
        if (response === undefined) continue;
        const { status, text, retryAfter } = response;
        if (status < 300) return text;
        if (status === 401 && !hasReconnected) {
          hasReconnected = true;
          await this.#reconnect();
          continue;
        }
        const mayPass = status === 429 || status >= 500 || (status === 409 && method === 'PATCH');
        if (!mayPass || tries === MAX_TRIES) throw failureOf(status, text);
        const seconds = /^\d{1,3}$/.test(retryAfter) ? Number(retryAfter) : undefined;
        await clock.sleep(seconds === undefined ? PAUSE_MS * tries : seconds * 1_000, signal);
      }
    });
  }

  async #once(
    method: 'GET' | 'PATCH' | 'DELETE',
    path: string,
    { query = {}, body, contentType = 'application/json', signal }: Call,
  ): Promise<{ status: number; text: string; retryAfter: string }> {
    const { config, agent, server } = this.#session;
    // Depending on the kind of credentials, this reads the file of the token again, or runs the program that prints one.
    const auth: RequestOptions = {};
    await config.applyToHTTPSOptions(auth);
    const headers = { ...(auth.headers as Record<string, string>), accept: 'application/json, */*' };
    try {
      const response = await request(`${server}${path}`, {
        ...{ method, query, dispatcher: agent, signal: signal ?? null },
        headers: body === undefined ? headers : { ...headers, 'content-type': contentType },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.body.text();
      return { status: response.statusCode, text, retryAfter: String(response.headers['retry-after'] ?? '') };
    } catch (error) {
      signal?.throwIfAborted();
      throw new ClusterUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  async #reconnect(): Promise<void> {
    const old = this.#session.agent;
    this.#session = await openSession(this.#library, this.#options.kubeconfig);
    this.#options.log.info('the Kubernetes API refused the credentials; they were read again');
    void old.close();
  }
}

async function openSession({ KubeConfig }: typeof ClientNode, kubeconfig: string | undefined): Promise<Session> {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromCluster();
  else config.loadFromFile(kubeconfig);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error(`KUBECONFIG=${kubeconfig ?? ''} names no cluster as its current one`);
  const { ca, cert, key, rejectUnauthorized } = await tlsOf(config);
  const connect = { ca, cert, key, ...(rejectUnauthorized !== undefined && { rejectUnauthorized }) };
  return { config, server, agent: new Agent({ connect: connect as never, maxResponseSize: MAX_BYTES }) };
}

async function tlsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  return options;
}

/** Returns the result of a call. Undefined where its object does not exist. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ClusterRefusal && error.status === 404) return undefined;
    throw error;
  }
}

function failureOf(status: number, text: string): Error {
  let message = text;
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    // The text is not JSON: it comes from a proxy in front of the server.
  }
  message = message.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 500);
  if (status === 401) return new ClusterUnavailable('it refuses the credentials (401): renew them in their file');
  if (status === 409 || status === 429 || status >= 500) return new ClusterUnavailable(`${status} ${message}`);
  return new ClusterRefusal(status, message);
}

/** The API does not serve now; a later call may succeed. */
export class ClusterUnavailable extends Error {
  override name = 'ClusterUnavailable';
}

/** The API refused a call, and would again; `message` is its reason. */
export class ClusterRefusal extends Error {
  override name = 'ClusterRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
