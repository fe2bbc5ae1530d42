import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { PhoneFailure } from '../driver.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';
import { failureOf, STAND_IN } from '../image-based/testing/image-based-world.js';
import type { Job, Pod } from './api-object.js';
import type { Cluster } from './cluster.js';
import { labelsOf, LABELS } from './objects.js';
import { Volumes } from './volumes.js';

/** A cluster with one snapshot, whose Jobs run until a test ends them. */
class TestCluster {
  readonly namespace = 'phones';
  readonly jobs = new Map<string, Job>();
  readonly #reports = new Map<string, string>();

  async read(kind: string, name: string): Promise<object | undefined> {
    await settled();
    return kind === 'PersistentVolumeClaim' ? { metadata: { name } } : undefined;
  }

  async apply(job: Job): Promise<void> {
    await settled();
    this.jobs.set(job.metadata?.name ?? '', job);
  }

  async delete(kind: string, name: string): Promise<void> {
    await settled();
    if (kind === 'Job') this.jobs.delete(name);
  }

  async list(kind: string, selector: string): Promise<object[]> {
    await settled();
    const wanted = new Map(selector.split(',').map((term) => term.split('=') as [string, string]));
    if (kind === 'Pod') return this.#podsOf(wanted.get('batch.kubernetes.io/job-name') ?? '');
    const isWanted = ({ metadata }: Job): boolean =>
      [...wanted].every(([label, value]) => metadata?.labels?.[label] === value);
    return kind === 'Job' ? [...this.jobs.values()].filter(isWanted) : [];
  }

  /** Ends the pod of a Job with the report of its copy. */
  report(name: string, report: object): void {
    this.#reports.set(name, JSON.stringify(report));
  }

  #podsOf(job: string): Pod[] {
    if (!this.jobs.has(job)) return [];
    const message = this.#reports.get(job);
    const state = message === undefined ? {} : { terminated: { exitCode: 0, message } };
    return [{ status: { phase: 'Running', containerStatuses: [{ name: 'copy', state }] } } as unknown as Pod];
  }
}

let cluster: TestCluster;
let clock: FakeClock;

const volumesOf = (owner: string): Volumes =>
  new Volumes({
    ...{ cluster: cluster as unknown as Cluster, owner, gateImage: 'gate', clock, log: silentLog, randomBytes },
    ...{ storageClass: undefined, room: () => Promise.resolve({ freeMemoryMb: 0, freeDiskMb: 0 }) },
  });

describe('the check of a snapshot on a volume', () => {
  beforeEach(() => {
    cluster = new TestCluster();
    clock = new FakeClock();
  });

  it('leaves the others at the same time alone, of this service and of another: each gets its own report', async () => {
    const here = volumesOf('here');
    const ended: string[] = [];
    const check = async (name: string, volumes: Volumes): Promise<void> => {
      const failure = await failureOf(volumes.check('tpl_1'));
      ended.push(`${name}: ${failure}`);
    };
    const jobs: string[] = [];
    const checks: Promise<void>[] = [];
    for (const [name, volumes] of [
      ['first', here],
      ['second', here],
      ['other', volumesOf('other')],
    ] as const) {
      // prettier-ignore
      checks.push(check(name, volumes));
      await clock.pass(500);
      jobs.push([...cluster.jobs.keys()].at(-1) ?? '');
      expect([...cluster.jobs.keys()], name).to.deep.equal(jobs);
    }
    expect(new Set(jobs).size).to.equal(3);
    for (const [at, report] of [
      [1, { done: true }],
      [0, { done: false, kind: 'phone_failure', message: 'The snapshot is damaged.' }],
      [2, { done: true }],
    ] as const) {
      cluster.report(jobs[at] ?? '', report);
      await clock.pass(2_000);
    }
    await Promise.all(checks);
    expect(ended).to.deep.equal([
      'second: no failure',
      'first: PhoneFailure: The snapshot is damaged.',
      'other: no failure',
    ]);
    expect(cluster.jobs.size).to.equal(0);
  });

  it('that a killed process left is removed when its service opens again, and ends by itself where it does not', async () => {
    const ending = new AbortController();
    const left = failureOf(volumesOf('here').check('tpl_1', { signal: ending.signal }));
    await clock.pass(500);
    const [name = '', job] = [...cluster.jobs][0] ?? [];
    // The names of the pods of a Job have six more characters.
    expect(name.length).to.be.at.most(63 - 6);
    expect(job?.metadata?.labels).to.deep.equal({ ...labelsOf('here', 'copy'), [LABELS.snapshot]: 'tpl_1' });
    expect(job?.spec?.activeDeadlineSeconds).to.be.a('number');
    expect(job?.spec?.ttlSecondsAfterFinished).to.be.a('number');
    await volumesOf('other').clean();
    expect([...cluster.jobs.keys()]).to.deep.equal([name]);
    await volumesOf('here').clean();
    expect(cluster.jobs.size).to.equal(0);
    ending.abort(new PhoneFailure('the test is over'));
    expect(await left).to.contain('the test is over');
  });
});

describe('the restore of a volume', () => {
  beforeEach(() => {
    cluster = new TestCluster();
    clock = new FakeClock();
  });

  const PHONE = {
    ...{ phoneId: 'ph_1', name: 'one', digest: 'phone:14' },
    made: { ...STAND_IN, driver: 'kubernetes', image: 'phone:14', nodeSelector: {}, tolerations: [], resources: {} },
  } as unknown as ImageBasedPhone;

  for (const [options, forgetIdentity] of [
    [{}, false],
    [{ forgetIdentity: true }, true],
  ] as const)
    it(`${forgetIdentity ? 'forgets' : 'keeps'} the identity in the snapshot with ${JSON.stringify(options)}`, async () => {
      const restored = volumesOf('here').restore(PHONE, 'tpl_1', options);
      await clock.pass(500);
      const job = [...cluster.jobs.values()].find(({ kind }) => kind === 'Job');
      const [, request = ''] = job?.spec?.template.spec?.containers[0]?.args ?? [];
      expect(JSON.parse(request)).to.include({ step: 'restore', snapshotId: 'tpl_1', forgetIdentity });
      cluster.report(job?.metadata?.name ?? '', { done: true });
      await clock.pass(2_000);
      await restored;
    });
});
