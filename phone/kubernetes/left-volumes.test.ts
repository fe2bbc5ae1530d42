import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pLimit from 'p-limit';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { ImageBasedDriver } from '../image-based/driver.js';
import type { KubernetesModel } from '../image-based/model.js';
import { STAND_IN } from '../image-based/testing/image-based-world.js';
import { specOf } from '../image-based/testing/test-engine.js';
import type { ApiObject } from './api-object.js';
import type { Cluster, Kind } from './cluster.js';
import { KubernetesEngine } from './engine.js';
import { labelsOf, nameOf, type Part } from './objects.js';
import { Volumes } from './volumes.js';

const OWNER = 'folder_1';

/** The objects of a namespace, without anything that acts on them. */
class TestCluster {
  readonly namespace = 'phones';
  readonly objects = new Map<string, ApiObject>();
  /** Set to make lists of claims fail. */
  isAway = false;

  async apply<T extends ApiObject>(object: T): Promise<T> {
    this.objects.set(`${object.kind} ${object.metadata?.name}`, object);
    return object;
  }

  async read(kind: Kind, name: string): Promise<ApiObject | undefined> {
    return this.objects.get(`${kind} ${name}`);
  }

  async list(kind: Kind, selector = ''): Promise<ApiObject[]> {
    if (this.isAway) throw new Error('the API is away');
    // Other services have no pods here.
    if (selector === '' || selector.includes('!=')) return [];
    const wanted = selector.split(',').map((term) => term.split('='));
    return [...this.objects.values()].filter(
      ({ kind: own, metadata }) =>
        own === kind && wanted.every(([label = '', value]) => metadata?.labels?.[label] === value),
    );
  }

  async delete(kind: Kind, name: string): Promise<void> {
    this.objects.delete(`${kind} ${name}`);
  }

  async nodes(): Promise<undefined> {
    return undefined;
  }

  podInformer(): { on: () => void; start: () => Promise<void>; stop: () => Promise<void> } {
    return { on: () => undefined, start: () => new Promise(() => undefined), stop: () => Promise.resolve() };
  }

  close(): void {
    // Nothing is held.
  }

  /** Adds what a phone has in the cluster. */
  add(kind: Kind, part: Part, phoneId: string, owner = OWNER): void {
    const metadata = { name: nameOf(part, phoneId), labels: labelsOf(owner, part, { phone: phoneId }) };
    this.objects.set(`${kind} ${metadata.name}`, { kind, metadata });
  }

  has(kind: Kind, part: Part, phoneId: string): boolean {
    return this.objects.has(`${kind} ${nameOf(part, phoneId)}`);
  }
}

describe('the volumes of phones in Kubernetes without a folder, as after a restore of an older backup', () => {
  let directory: string;
  let cluster: TestCluster;
  let driver: ImageBasedDriver;
  let open: () => ImageBasedDriver;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'left-volumes-'));
    cluster = new TestCluster();
    const model: KubernetesModel = {
      ...{ ...STAND_IN, driver: 'kubernetes', image: 'phone:14' },
      ...{ nodeSelector: {}, tolerations: [], resources: {} },
    };
    const parts = {
      ...{ cluster: cluster as unknown as Cluster, owner: OWNER, gateImage: 'gate', storageClass: undefined },
      ...{ randomBytes, clock: systemClock, log: silentLog },
      connectSocket: (host: string, port: number) => connect({ host, port }),
    };
    const room = (): Promise<{ freeMemoryMb: number; freeDiskMb: number }> =>
      Promise.resolve({ freeMemoryMb: 0, freeDiskMb: 0 });
    const storage = new Volumes({ ...parts, room });
    const engine = new KubernetesEngine({ ...parts, prepareData: storage.prepare.bind(storage) });
    const models = { value: [model], close: () => undefined };
    open = () => new ImageBasedDriver({ ...parts, engine, storage, models, directory, boots: pLimit(1) });
    driver = open();
    for (const phoneId of ['ph_on', 'ph_newer']) cluster.add('PersistentVolumeClaim', 'data', phoneId);
    cluster.add('Pod', 'phone', 'ph_on');
    cluster.add('PersistentVolumeClaim', 'data', 'ph_other', 'another');
  });
  afterEach(async () => {
    await driver.close();
    await rm(directory, { recursive: true, force: true });
  });

  const hasVolume = (phoneId: string): boolean => cluster.has('PersistentVolumeClaim', 'data', phoneId);

  it('stay when the service starts, which ends their pods, and are listed as of absent phones', async () => {
    await driver.open();
    expect(cluster.has('Pod', 'phone', 'ph_on')).to.equal(false);
    expect([hasVolume('ph_on'), hasVolume('ph_newer')]).to.deep.equal([true, true]);
    expect(await driver.list()).to.deep.equal(
      new Map([
        ['ph_on', { state: 'absent' }],
        ['ph_newer', { state: 'absent' }],
      ]),
    );
  });

  it('go when their phone is deleted, as the removal of phones without a device does', async () => {
    await driver.open();
    for (let times = 0; times < 2; times++) await driver.delete('ph_newer');
    expect([hasVolume('ph_on'), hasVolume('ph_newer'), hasVolume('ph_other')]).to.deep.equal([true, false, true]);
    expect([...(await driver.list()).keys()]).to.deep.equal(['ph_on']);
  });

  it('go with their pod where another host has left both, which was forgotten', async () => {
    await driver.open();
    cluster.add('Pod', 'phone', 'ph_other', 'another');
    await driver.delete('ph_other');
    expect([cluster.has('Pod', 'phone', 'ph_other'), hasVolume('ph_other')]).to.deep.equal([false, false]);
  });

  it('are taken by a phone whose making was cut off, and is made again', async () => {
    await driver.open();
    await driver.create(specOf('ph_newer'));
    expect(hasVolume('ph_newer')).to.equal(true);
    expect((await driver.list()).get('ph_newer')).to.deep.equal({ state: 'stopped' });
  });

  it('are used again, with the pod, by a phone whose description a restore has brought back', async () => {
    await driver.open();
    await driver.create(specOf('ph_on'));
    await driver.close();
    cluster.add('Pod', 'phone', 'ph_on');
    driver = open();
    await driver.open();
    expect([cluster.has('Pod', 'phone', 'ph_on'), hasVolume('ph_on')]).to.deep.equal([true, true]);
    expect((await driver.list()).get('ph_on')).to.deep.equal({ state: 'stopped' });
  });

  it('delay no phone with a folder while the cluster is away', async () => {
    await driver.open();
    await driver.create(specOf('ph_made'));
    cluster.isAway = true;
    expect([...(await driver.list())]).to.deep.equal([['ph_made', { state: 'stopped' }]]);
  });
});
