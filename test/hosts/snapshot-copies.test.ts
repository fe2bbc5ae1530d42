import { expect } from 'chai';
import type { ObjectStore } from '../../device-service/devices/snapshots/object-store.js';
import type { SnapshotDocument } from '../../device-service/store/snapshots.js';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { SnapshotState } from '../../proto/gen/cloudphone/device/v1/snapshot_pb.js';
import { until } from '../../testing/until.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { createOn, type Host, openHost } from './open-host.js';

/** A bucket in memory, which can be away, and in which an upload can be held. */
class MemoryStore implements ObjectStore {
  readonly objects = new Map<string, Buffer>();
  isAway = false;
  /** Runs before an upload ends. */
  beforeEnd: (signal: AbortSignal) => Promise<void> = async () => undefined;
  uploads = 0;
  deletions = 0;

  async put(name: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    this.#assertThere();
    this.uploads++;
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    await this.beforeEnd(signal);
    signal.throwIfAborted();
    this.objects.set(name, Buffer.concat(pieces));
  }

  async get(name: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    this.#assertThere();
    const object = this.objects.get(name);
    return object && iterate(object);
  }

  async delete(name: string): Promise<void> {
    this.#assertThere();
    this.objects.delete(name);
    this.deletions++;
  }

  #assertThere(): void {
    if (this.isAway) throw new Error('the bucket is away');
  }
}

async function* iterate(object: Buffer): AsyncGenerator<Uint8Array> {
  yield object;
}

describe('copies of snapshots in a bucket', () => {
  let opened: TemporaryDatabase;
  let store: MemoryStore;
  let a: Host;
  let b: Host;
  let headers: { authorization: string };
  let id: string;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    store = new MemoryStore();
    a = await openHost(opened.database, 'host-a', { snapshotStore: store });
    b = await openHost(opened.database, 'host-b', { snapshotStore: store });
    const first = await a.service.createFirstAccount('owner@localhost');
    headers = { authorization: `Bearer ${first?.apiKey ?? ''}` };
    await done(await createOn(a, 'one', headers));
  });
  afterEach(async () => {
    await Promise.all([a.close(), b.close()]);
    await opened.close();
  });

  const done = async (jobId: string): Promise<void> => {
    const { job } = await b.jobs.getJob({ id: jobId, waitS: 10 }, { headers });
    expect(job).to.include({ state: JobState.DONE });
  };
  /** Takes the snapshot, which has the host copy it at once, as far as the store lets it. */
  const take = async (): Promise<void> => {
    const { job, snapshot } = await a.snapshots.createSnapshot({ name: 'one' }, { headers });
    id = snapshot!.id;
    await done(job!.id);
  };
  const takeAndCopy = async (): Promise<void> => {
    await take();
    await until(async () => (await record())?.copy !== undefined);
  };
  const sweep = (): Promise<void> => a.service.runTask('remove left snapshots');
  const record = (): Promise<SnapshotDocument | null> =>
    opened.database.collection<SnapshotDocument>('snapshots').findOne({ _id: id });
  const remove = (): Promise<unknown> => a.snapshots.deleteSnapshot({ name: 'one', id }, { headers });
  const clone = async (): Promise<string> => {
    const { device } = await b.snapshots.cloneSnapshot({ device: 'one', id, name: 'copy' }, { headers });
    return device!.job!;
  };

  it('are made once, and are removed with their snapshot', async () => {
    await takeAndCopy();
    await a.service.runTask('copy snapshots');
    await b.service.runTask('copy snapshots');
    expect([...store.objects.keys()]).to.deep.equal([`${id}.tar`]);
    expect(store.uploads).to.equal(1);
    expect(await record()).to.have.deep.property('copy', {
      sizeBytes: 1_000,
      checksum: JSON.stringify({ snapshotIds: [id] }),
    });
    await remove();
    await sweep();
    expect(store.objects.size).to.equal(0);
    expect(await record()).to.equal(null);
  });

  it('bring a snapshot to another host when its own is gone for good', async () => {
    await takeAndCopy();
    await a.close();
    await opened.database
      .collection<{ _id: string }>('hosts')
      .updateOne({ _id: 'host-a' }, { $set: { leaseUntil: new Date(0) } });
    await b.admin.forgetHost({ id: 'host-a' });
    const { snapshots } = await b.snapshots.listSnapshots({ name: 'one' }, { headers });
    expect(snapshots.map(({ state }) => state)).to.deep.equal([SnapshotState.READY]);
    await done(await clone());
    expect([...b.driver.kept.keys()]).to.deep.equal([id]);
  });

  it('are fetched when the files are missing, and refused when they are not what was copied', async () => {
    await takeAndCopy();
    a.driver.kept.delete(id);
    const name = `${id}.tar`;
    const whole = store.objects.get(name)!;
    store.objects.set(name, Buffer.from(JSON.stringify({ snapshotIds: [id, 'snap_other'] })));
    const { job: failing } = await a.jobs.getJob({ id: await clone(), waitS: 10 }, { headers });
    expect(failing).to.include({ state: JobState.FAILED });
    expect(failing?.error?.message).to.contain('is damaged in SNAPSHOT_STORE');
    expect(a.driver.kept.has(id)).to.equal(false);
    store.objects.set(name, whole);
    const { device } = await b.snapshots.cloneSnapshot({ device: 'one', id, name: 'again' }, { headers });
    await done(device!.job!);
    expect(a.driver.kept.has(id)).to.equal(true);
  });

  it('leave a snapshot whose bucket is away to a later try, and its deletion to the sweep', async () => {
    store.isAway = true;
    await take();
    await until(async () => (await record())?.copyBegun === true);
    expect(await record())
      .to.include({ state: 'ready', copyBegun: true })
      .and.not.to.have.property('copy');
    await remove();
    expect(await record()).to.include({ state: 'deleting' });
    expect(await a.snapshots.listSnapshots({ name: 'one' }, { headers })).to.have.deep.property('snapshots', []);
    await sweep();
    expect(await record()).to.include({ state: 'deleting' });
    store.isAway = false;
    await sweep();
    expect(await record()).to.equal(null);
  });

  it('under way end when their snapshot is deleted, and no object stays', async () => {
    let isHeld = false;
    store.beforeEnd = (signal) =>
      new Promise((_, reject) => {
        isHeld = true;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    await take();
    await until(() => isHeld);
    await remove();
    await sweep();
    expect(store.objects.size).to.equal(0);
    expect(await record()).to.equal(null);
  });

  it('of a process that was killed in the middle are made again, or removed with their snapshot', async () => {
    await takeAndCopy();
    // What a kill leaves after the first byte, and after the last one.
    const records = opened.database.collection<SnapshotDocument>('snapshots');
    store.objects.set(`${id}.tar`, Buffer.from('half'));
    await records.updateOne({ _id: id }, { $unset: { copy: '' } });
    await a.service.runTask('copy snapshots');
    expect(store.objects.get(`${id}.tar`)?.toString()).to.equal(JSON.stringify({ snapshotIds: [id] }));
    await records.updateOne({ _id: id }, { $unset: { copy: '' } });
    await remove();
    await sweep();
    expect(store.objects.size).to.equal(0);
    expect(await record()).to.equal(null);
  });

  it('leave no object when their snapshot was deleted at another host meanwhile', async () => {
    let isHeld = false;
    let go = (): void => undefined;
    store.beforeEnd = () => {
      isHeld = true;
      return new Promise<void>((resolve) => (go = resolve));
    };
    await take();
    await until(() => isHeld);
    await opened.database.collection<SnapshotDocument>('snapshots').deleteOne({ _id: id });
    go();
    await until(() => store.deletions === 1);
    expect(store.objects.size).to.equal(0);
  });
});
