import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Pod } from './api-object.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { Cancellation, within } from '../../kit/async/within.js';
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

/** All pods are listed anew after this time, ms, in case the watch has missed a change. */
const RESYNC_MS = 300_000;
/** How long a list and the start of its watch may take together, ms. The library does not limit the start of a watch. */
const START_MS = 30_000;
/** Pause before a failed watch is begun again, ms. It is doubled after each failure, up to MAX_RETRY_MS. */
const RETRY_FIRST_MS = 500;
const MAX_RETRY_MS = 10_000;

type OnChange = (phoneId: string | undefined, reason: string) => void;

/**
 * The pods of phones, kept up to date by a watch. A pod is read from the API while there is no watch. It is read from there also while the
 * watch has not yet shown a change that this process made.
 */
export class PodCache {
  readonly #parts: PodCacheParts;
  #informer: PodInformer | undefined;
  /**
   * The uid of each pod that this process made, or '' for a pod that it deleted, by name. Entries stay until the watch shows the change.
   */
  readonly #expected = new Map<string, string>();
  /** The reason why the last pod that was deleted had ended, by name. */
  readonly #ends = new Map<string, string>();
  /** The phone and the power of a pod that were last seen, by name. */
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

  /** Call it with each pod that this process has made. */
  expect({ metadata }: Pod): void {
    const name = metadata?.name ?? '';
    this.#ends.delete(name);
    this.#expected.set(name, metadata?.uid ?? '');
  }

  /** Call it once a pod that this process has deleted is gone. */
  expectNone(name: string): void {
    this.#expected.set(name, '');
  }

  /** Returns why the last pod of this name ended; undefined where no pod of the name was deleted. */
  lastEnd(name: string): string | undefined {
    return this.#ends.get(name);
  }

  forget(name: string): void {
    for (const map of [this.#expected, this.#ends, this.#seen]) map.delete(name);
  }

  /** Watches until the signal aborts. Calls `onChange` for each phone that went on or off, and without a phone after each list. */
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
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  }

  /** Lists all pods and follows their changes. Returns when it is time to list them again; throws when the watch ends. */
  async #followOnce(onChange: OnChange, signal: AbortSignal): Promise<void> {
    const { cluster, selector, clock } = this.#parts;
    const informer = cluster.podInformer(selector);
    const failed = begunAhead(
      new Promise<never>((_, reject) => {
        informer.on('error', (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))));
      }),
    );
    let isListed = false;
    const see = (pod: Pod, isDeleted: boolean): void => {
      if (isListed) this.#see(pod, isDeleted, onChange);
    };
    for (const event of ['add', 'update'] as const) informer.on(event, (pod) => see(pod, false));
    informer.on('delete', (pod) => see(pod, true));
    const ended = new Cancellation([signal]);
    try {
      const onTimeout = (): Error => new ClusterUnavailable(`the watch did not begin within ${START_MS / 1_000} s`);
      await within({ clock, timeoutMs: START_MS, signals: [signal], onTimeout }, () =>
        Promise.race([informer.start(), failed]),
      );
      isListed = true;
      this.#informer = informer;
      this.#seen.clear();
      for (const pod of informer.list(cluster.namespace)) this.#see(pod, false, () => undefined);
      // A phone may have been read as running, and have ended before a watch showed it. So a change of all phones is reported.
      onChange(undefined, 'its pods were listed anew');
      await Promise.race([failed, clock.sleep(RESYNC_MS, ended.signal).catch(() => undefined)]);
    } finally {
      // If the watch begins only after its time limit, its events are ignored.
      isListed = false;
      this.#informer = undefined;
      ended.abort();
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
