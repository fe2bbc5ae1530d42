import type { Pod } from './api-object.js';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { within } from '../../kit/within.js';
import { type Cluster, ClusterUnavailable, type PodInformer } from './cluster.js';
import { LABELS } from './objects.js';
import { endOf, powerOf } from './pod-state.js';

export interface PodCacheParts {
  cluster: Cluster;
  /** Labels of the pods. */
  selector: string;
  clock: Clock;
  log: Log;
}

/** All pods are listed anew after this, ms: the net under a watch that misses something. */
const RESYNC_MS = 300_000;
/** How long a list and the begin of its watch may take, ms: the library sets no limit to the latter. */
const START_MS = 30_000;
/** Pause before a watch that failed is begun again, ms; doubled up to the second number. */
const RETRY_FIRST_MS = 500;
const RETRY_MOST_MS = 10_000;

type OnChange = (phoneId: string | undefined, reason: string) => void;

/**
 * The pods of phones, kept up to date by a watch. While there is no watch, and after a change of this process that the watch has not shown
 * yet, a pod is read from the API.
 */
export class PodCache {
  readonly #parts: PodCacheParts;
  #informer: PodInformer | undefined;
  /** By name: the uid of the pod that this process made, or '' where it deleted one, until the watch shows that. */
  readonly #expected = new Map<string, string>();
  /** By name: why the last pod that was deleted ended. */
  readonly #ends = new Map<string, string>();
  /** By name: the phone and the power that were last seen. */
  readonly #seen = new Map<string, { phoneId: string; power: string }>();

  constructor(parts: PodCacheParts) {
    this.#parts = parts;
  }

  async read(name: string, signal?: AbortSignal): Promise<Pod | undefined> {
    const { cluster } = this.#parts;
    const pod = this.#informer?.get(name, cluster.namespace);
    const expected = this.#expected.get(name);
    if (expected === (pod?.metadata?.uid ?? '')) this.#expected.delete(name);
    else if (expected !== undefined) return cluster.read<Pod>('Pod', name, signal);
    return this.#informer === undefined ? cluster.read<Pod>('Pod', name, signal) : pod;
  }

  all(): readonly Pod[] {
    return this.#informer?.list(this.#parts.cluster.namespace) ?? [];
  }

  /** To be called with each pod that this process has made. */
  expect({ metadata }: Pod): void {
    const name = metadata?.name ?? '';
    this.#ends.delete(name);
    this.#expected.set(name, metadata?.uid ?? '');
  }

  /** To be called once a pod that this process has deleted is gone. */
  expectNone(name: string): void {
    this.#expected.set(name, '');
  }

  /** Why the last pod of the name ended, where it is gone. */
  lastEnd(name: string): string | undefined {
    return this.#ends.get(name);
  }

  forget(name: string): void {
    for (const map of [this.#expected, this.#ends, this.#seen]) map.delete(name);
  }

  /** Watches until the signal aborts, and calls `onChange` for each phone that went on or off, and for all of them after each list. */
  async follow(onChange: OnChange, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    let retryMs = RETRY_FIRST_MS;
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        await this.#followOnce(onChange, signal);
        retryMs = RETRY_FIRST_MS;
        continue;
      } catch (error) {
        if (isOver()) return;
        log.warn({ err: error }, 'the pods of phones cannot be watched; trying again');
      }
      await clock.sleep(retryMs, signal).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
    }
  }

  /** Lists all pods and follows their changes. Returns when it is time to list them again; throws when the watch ends. */
  async #followOnce(onChange: OnChange, signal: AbortSignal): Promise<void> {
    const { cluster, selector, clock } = this.#parts;
    const informer = cluster.podInformer(selector);
    const failed = new Promise<never>((_, reject) => {
      informer.on('error', (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))));
    });
    failed.catch(() => undefined);
    let isListed = false;
    const see = (pod: Pod, isDeleted: boolean): void => {
      if (isListed) this.#see(pod, isDeleted, onChange);
    };
    for (const event of ['add', 'update'] as const) informer.on(event, (pod) => see(pod, false));
    informer.on('delete', (pod) => see(pod, true));
    const ended = new AbortController();
    const end = (): void => ended.abort();
    signal.addEventListener('abort', end, { once: true });
    try {
      const onTimeout = (): Error => new ClusterUnavailable(`the watch did not begin within ${START_MS / 1_000} s`);
      await within({ clock, timeoutMs: START_MS, signals: [signal], onTimeout }, () =>
        Promise.race([informer.start(), failed]),
      );
      isListed = true;
      this.#informer = informer;
      this.#seen.clear();
      for (const pod of informer.list(cluster.namespace)) this.#see(pod, false, () => undefined);
      // Also of a phone that was read as running and ended before any watch showed that it ran.
      onChange(undefined, 'its pods were listed anew');
      await Promise.race([failed, clock.sleep(RESYNC_MS, ended.signal).catch(() => undefined)]);
    } finally {
      // A watch that begins after its time is not heard.
      isListed = false;
      this.#informer = undefined;
      signal.removeEventListener('abort', end);
      end();
      await informer.stop();
    }
  }

  #see(pod: Pod, isDeleted: boolean, onChange: OnChange): void {
    const name = pod.metadata?.name ?? '';
    const phoneId = pod.metadata?.labels?.[LABELS.phone];
    if (phoneId === undefined) return;
    const end = endOf(pod);
    if (isDeleted) this.#ends.set(name, end ?? 'its pod was deleted');
    const state = powerOf(pod, 0);
    const power = !isDeleted && state.on ? state.start : 'off';
    if ((this.#seen.get(name)?.power ?? 'off') !== power)
      onChange(phoneId, power === 'off' ? (end ?? 'its pod ended') : 'its pod runs');
    if (isDeleted) this.#seen.delete(name);
    else this.#seen.set(name, { phoneId, power });
  }
}
