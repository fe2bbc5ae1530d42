import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import type { Pod } from './api-object.js';
import type { Cluster, PodInformer } from './cluster.js';
import { LABELS } from './objects.js';
import { PodCache } from './pod-cache.js';

/** A watch that a test begins, or leaves waiting for ever. */
class TestInformer implements PodInformer {
  readonly #onPod: ((pod: Pod) => void)[] = [];
  begin!: () => void;
  isStopped = false;

  on(event: string, on: (pod: Pod) => void): void {
    if (event === 'update') this.#onPod.push(on);
  }

  start(): Promise<void> {
    return new Promise((resolve) => (this.begin = resolve));
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }

  get(): undefined {
    return undefined;
  }

  list(): readonly Pod[] {
    return [];
  }

  update(pod: Pod): void {
    for (const on of this.#onPod) on(pod);
  }
}

const RUNNING = {
  metadata: { name: 'pod', labels: { [LABELS.phone]: 'phone-1' }, uid: 'one' },
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    containerStatuses: [{ name: 'phone', state: { running: { startedAt: '2026-11-20T17:00:00Z' } } }],
  },
} as unknown as Pod;

describe('the watch of pods', () => {
  it('is begun again where the API server keeps it waiting, and what the old one still says is not heard', async () => {
    const clock = new FakeClock();
    const informers: TestInformer[] = [];
    const cluster = {
      namespace: 'phones',
      podInformer: () => {
        const informer = new TestInformer();
        informers.push(informer);
        return informer;
      },
    } as unknown as Cluster;
    const cache = new PodCache({ cluster, selector: '', clock, log: silentLog });
    const changes: (string | undefined)[] = [];
    const closing = new AbortController();
    const followed = cache.follow((phoneId) => changes.push(phoneId), closing.signal);
    await until(() => informers.length === 1);
    await clock.pass(29_000, 1_000);
    expect(informers).to.have.length(1);
    await clock.pass(1_000);
    await until(() => informers[0]!.isStopped);
    await clock.pass(500);
    await until(() => informers.length === 2);
    informers[1]!.begin();
    await until(() => changes.length === 1);
    informers[0]!.begin();
    informers[0]!.update(RUNNING);
    expect(changes).to.deep.equal([undefined]);
    informers[1]!.update(RUNNING);
    expect(changes).to.deep.equal([undefined, 'phone-1']);
    closing.abort();
    await followed;
    expect(informers.every(({ isStopped }) => isStopped)).to.equal(true);
  });
});
