import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import type { HostDocument } from '../../device-service/store/hosts.js';
import type { SnapshotDocument } from '../../device-service/store/snapshots.js';
import type { TemplateDocument } from '../../device-service/store/templates.js';
import type { ApiError } from '../../kit/errors/api-error.js';
import { PhoneFailure } from '../../phone/driver.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobPhase, JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { until } from '../../testing/until.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { createOn, type Host, openHost } from './open-host.js';

describe('templates of several hosts', () => {
  let opened: TemporaryDatabase;
  let a: Host;
  let b: Host;
  let headers: { authorization: string };

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    [a, b] = [await openHost(opened.database, 'host-a'), await openHost(opened.database, 'host-b')];
    const first = await a.service.createFirstAccount('owner@localhost');
    headers = { authorization: `Bearer ${first?.apiKey ?? ''}` };
    await done(await createOn(a, 'one', headers));
  });
  afterEach(async () => {
    await Promise.all([a.close(), b.close()]);
    await opened.close();
  });

  const job = async (id: string) => (await b.jobs.getJob({ id, waitS: 20 }, { headers })).job!;
  async function done(id: string): Promise<void> {
    const ended = await job(id);
    expect(ended.state, ended.error?.message).to.equal(JobState.DONE);
  }
  const templates = () => opened.database.collection<TemplateDocument>('templates');
  const devices = () => opened.database.collection<DeviceDocument>('devices');
  const record = (): Promise<TemplateDocument | null> => templates().findOne({ name: 'golden' });
  const hostsOf = async (): Promise<string[]> => ((await record())?.hosts ?? []).map(({ hostId }) => hostId);
  const sweep = async (...hosts: Host[]): Promise<void> => {
    for (const host of hosts) await host.service.runTask('remove left templates');
  };
  /** Saves the template, and returns its id. */
  async function save(name = 'golden'): Promise<string> {
    const taken = await a.snapshots.createSnapshot({ name: 'one' }, { headers });
    await done(taken.job!.id);
    const made = await b.templates.createTemplate({ snapshot: taken.snapshot!.id, name }, { headers });
    await done(made.job!.id);
    return made.template!.id;
  }
  /** Begins to make a device of the template on the host that gets the request, while the other one is drained. */
  async function make(on: Host, name: string): Promise<string> {
    const other = on === a ? 'host-b' : 'host-a';
    await a.admin.drainHost({ id: other });
    const network = { type: ExitType.DIRECT, country: 'us' };
    const request = { name, template: 'golden', network, plan: Plan.MINUTE };
    const { job: making } = await on.devices.createDevice(request, { headers });
    await a.admin.drainHost({ id: other, undo: true });
    return making!.id;
  }
  const remove = (): Promise<unknown> => b.templates.deleteTemplate({ name: 'golden' }, { headers });
  const refusal = (call: Promise<unknown>): Promise<ApiError> =>
    call.then(
      () => expect.fail('it was not refused'),
      (error: unknown) => error as ApiError,
    );
  const silence = (hostId: string): Promise<unknown> =>
    opened.database.collection<HostDocument>('hosts').updateOne({ _id: hostId }, { $set: { leaseUntil: new Date(0) } });

  it('are copied once to a host that makes many phones of them at the same time, with progress', async () => {
    const id = await save();
    expect(await hostsOf()).to.deep.equal(['host-a']);
    let unpacked = (): void => undefined;
    b.driver.onUnpack = () => new Promise((resolve) => (unpacked = resolve));
    const jobs = [];
    for (let at = 0; at < 8; at++) jobs.push(await make(b, `made-${at}`));
    await until(() => b.driver.calls.includes('unpack'));
    await until(async () => (await devices().countDocuments({ 'job.phase': 'copying' })) === 8);
    const seen = (await b.jobs.getJob({ id: jobs[7]! }, { headers })).job!;
    expect(seen).to.include({ state: JobState.RUNNING, phase: JobPhase.COPYING });
    unpacked();
    for (const one of jobs) await done(one);
    expect(b.driver.calls.filter((call) => call === 'unpack')).to.have.length(1);
    expect(b.driver.calls.filter((call) => call === 'clone')).to.have.length(8);
    expect(await hostsOf()).to.deep.equal(['host-a', 'host-b']);
    expect(await b.driver.snapshots.list()).to.deep.equal([id]);
    // Another one is made there without a copy.
    await done(await make(b, 'later'));
    expect(b.driver.calls.filter((call) => call === 'unpack')).to.have.length(1);
  });

  it('are made where their files are, as long as there is room', async () => {
    await save();
    const network = { type: ExitType.DIRECT, country: 'us' };
    const request = { name: 'made', template: 'golden', network, plan: Plan.MINUTE };
    await done((await b.devices.createDevice(request, { headers })).job!.id);
    expect(await devices().findOne({ name: 'made' })).to.include({ hostId: 'host-a', driver: 'simulated' });
    expect(b.driver.calls).not.to.include('unpack');
  });

  it('are copied again after a broken stream, and count only with the checksum of what was saved', async () => {
    await save();
    const pack = a.driver.moves.pack.bind(a.driver.moves);
    let packs = 0;
    a.driver.moves.pack = async function* (moved) {
      packs++;
      if (packs === 1) throw new Error('the disk failed');
      yield* packs === 2 ? pack({ snapshotIds: [...moved.snapshotIds, 'snap_other'] }) : pack(moved);
    };
    await done(await make(b, 'made'));
    expect(packs).to.equal(3);
    expect(b.driver.arriving.size).to.equal(0);
    expect(await hostsOf()).to.deep.equal(['host-a', 'host-b']);
  });

  it('are cut off where the source sends without end, and had from it once it sends what was saved', async () => {
    await save();
    const pack = a.driver.moves.pack.bind(a.driver.moves);
    let [packs, sentMb, ends] = [0, 0, 0];
    a.driver.moves.pack = async function* (moved, { signal } = {}) {
      if (packs++ > 0) return yield* pack(moved);
      signal?.addEventListener('abort', () => ends++, { once: true });
      for (const piece = Buffer.alloc(1024 * 1024); signal?.aborted !== true; sentMb++) yield piece;
    };
    await done(await make(b, 'made'));
    expect([packs, ends]).to.deep.equal([2, 1]);
    expect(sentMb).to.be.within(64, 200);
  });

  it('whose host is away fail the job with the reason, and are had once it is back', async () => {
    await save();
    await opened.database.collection<HostDocument>('hosts').updateOne({ _id: 'host-a' }, { $set: { draining: true } });
    await a.close();
    await silence('host-a');
    const network = { type: ExitType.DIRECT, country: 'us' };
    const request = { name: 'made', template: 'golden', network, plan: Plan.MINUTE };
    const { job: making } = await b.devices.createDevice(request, { headers });
    const failed = (await b.jobs.getJob({ id: making!.id, waitS: 40 }, { headers })).job!;
    expect(failed.state).to.equal(JobState.FAILED);
    expect(failed.error?.message).to.contain('"golden"').and.to.contain('are away');
    // A start makes no empty phone in its place.
    const { job: starting } = await b.devices.startDevice({ name: 'made' }, { headers });
    expect((await job(starting!.id)).error?.message).to.contain('was not made');
    a = await openHost(opened.database, 'host-a', { driver: a.driver });
    await a.admin.drainHost({ id: 'host-a', undo: true });
    await done(await make(b, 'again'));
  }).timeout(60_000);

  it('are not copied to a host whose image differs, or whose disk is full', async () => {
    const id = await save();
    b.driver.lackedImage = 'It has another image.';
    await templates().updateOne({ _id: id }, { $set: { image: 'sha256:1' } });
    expect((await job(await make(b, 'other-image'))).error?.message).to.contain('another image');
    b.driver.lackedImage = undefined;
    await templates().updateOne({ _id: id }, { $set: { 'archive.sizeBytes': 1e15 } });
    expect((await refusal(make(b, 'too-large'))).message).to.contain('has room for a phone');
    await a.admin.drainHost({ id: 'host-a', undo: true });
    expect(b.driver.calls).not.to.include('unpack');
  });

  it('that are fetched let the device be deleted, and the other waiting one goes on', async () => {
    await save();
    let unpacked = (): void => undefined;
    b.driver.onUnpack = () => new Promise((resolve) => (unpacked = resolve));
    const [first, second] = [await make(b, 'first'), await make(b, 'second')];
    await until(async () => (await devices().countDocuments({ 'job.phase': 'copying' })) === 2);
    const { job: deleting } = await b.devices.deleteDevice({ name: 'first' }, { headers });
    expect((await job(first)).error?.message).to.contain('was deleted while the files of its template were');
    await done(deleting!.id);
    unpacked();
    await done(second);
    expect(b.driver.calls.filter((call) => call === 'unpack')).to.have.length(1);
  });

  it('are refused their deletion while a device is being made of them, and go from each host afterwards', async () => {
    await save();
    await done(await make(b, 'kept'));
    let start = (): void => undefined;
    b.driver.gate = new Promise((resolve) => (start = resolve));
    const making = await make(b, 'slow');
    const busy = await refusal(remove());
    expect(busy).to.include({ kind: 'busy' });
    expect(busy.message).to.contain('"slow"').and.to.contain(making);
    expect(await record())
      .to.include({ state: 'ready' })
      .and.not.to.have.property('stateBefore');
    start();
    await done(making);
    await remove();
    expect(await refusal(b.templates.getTemplate({ name: 'golden' }, { headers }))).to.include({ kind: 'not_found' });
    expect([a.driver.kept.size, b.driver.kept.size]).to.deep.equal([2, 0]);
    // Its name is free although a host still has files.
    const next = await save();
    await sweep(a, b);
    expect([...a.driver.kept.keys()].filter((id) => id.startsWith('tpl_'))).to.deep.equal([next]);
    expect(await templates().countDocuments()).to.equal(1);
    expect(b.driver.phones.size).to.equal(2);
  });

  it('that are damaged fail the job of a device, which names the template', async () => {
    await save();
    const { snapshots } = a.driver;
    snapshots.check = () => Promise.reject(new PhoneFailure('The snapshot is damaged.'));
    const failed = await job(await make(a, 'made'));
    expect(failed.error?.message).to.equal('The template "golden" cannot be used: The snapshot is damaged.');
    expect(a.driver.calls).not.to.include('clone');
  });

  it('that were deleted while they were fetched leave no files', async () => {
    const id = await save();
    b.driver.onUnpack = async () => {
      await templates().updateOne({ _id: id }, { $set: { state: 'deleting' }, $unset: { nameKey: '' } });
    };
    expect((await job(await make(b, 'made'))).error?.message).to.contain('or it was deleted');
    expect(b.driver.kept.size).to.equal(0);
    await sweep(b, a);
    expect(await templates().countDocuments()).to.equal(0);
  });

  it('that pools use are not deleted, and the reason names the pools', async () => {
    await save();
    const pools = opened.database.collection<{ _id: string }>('pools');
    const { accountId } = (await record())!;
    for (const [_id, deleting] of [
      ['ci', false],
      ['qa', false],
      ['old', true],
    ] as const) {
      const pool = { accountId, name: _id, description: { template: 'golden' }, ...(deleting && { deleting }) };
      await pools.insertOne({ _id, ...pool });
    }
    const busy = await refusal(remove());
    expect(busy).to.include({ kind: 'busy' });
    expect(busy.message).to.contain('"ci", "qa"').and.not.to.contain('"old"');
    expect((await b.templates.getTemplate({ name: 'golden' }, { headers })).template?.name).to.equal('golden');
    await pools.deleteMany({});
    await remove();
  });

  it('outlive their snapshot, their device, and each but the last host', async () => {
    await save();
    await done((await a.devices.deleteDevice({ name: 'one' }, { headers })).job!.id);
    expect(await opened.database.collection<SnapshotDocument>('snapshots').countDocuments()).to.equal(0);
    await done(await make(b, 'made'));
    await a.close();
    await silence('host-a');
    await b.admin.forgetHost({ id: 'host-a' });
    expect(await record()).to.deep.include({ state: 'ready', hosts: [{ hostId: 'host-b' }] });
    await done((await b.devices.createDevice({ name: 'more', template: 'golden', network: { type: ExitType.DIRECT, country: 'us' }, plan: Plan.MINUTE }, { headers })).job!.id); // prettier-ignore
  });

  it('go with their account, from each host', async () => {
    await save();
    await done(await make(b, 'made'));
    await a.admin.disableAccount({ email: 'owner@localhost' });
    await until(async () => (await a.admin.deleteAccount({ email: 'owner@localhost' })).devices === 0);
    await sweep(a, b);
    expect(await templates().countDocuments()).to.equal(0);
    expect([a.driver.kept.size, b.driver.kept.size]).to.deep.equal([0, 0]);
  });

  describe('after a crash', () => {
    it('are noted where their files arrived, and files that belong to none go after a while', async () => {
      const id = await save();
      b.driver.kept.set(id, 'ph_1');
      b.driver.kept.set('tpl_unknown', 'ph_1');
      await sweep(a, b);
      expect(await hostsOf()).to.deep.equal(['host-a', 'host-b']);
      // A sweep of snapshots leaves files of templates alone.
      await b.service.runTask('remove left snapshots');
      expect([...b.driver.kept.keys()]).to.deep.equal([id, 'tpl_unknown']);
    });

    it('in the middle of a deletion are deleted, or kept where a pool uses them', async () => {
      const id = await save();
      const mark = { $set: { state: 'deleting' as const, stateBefore: 'ready' as const } };
      const pools = opened.database.collection<{ _id: string }>('pools');
      const { accountId } = (await record())!;
      await pools.insertOne({ _id: 'ci', accountId, name: 'ci', description: { template: 'golden' } } as never);
      await templates().updateOne({ _id: id }, mark);
      await sweep(b);
      expect(await record()).to.include({ state: 'ready' });
      await pools.deleteMany({});
      await templates().updateOne({ _id: id }, mark);
      await sweep(b);
      expect(await record())
        .to.include({ state: 'deleting' })
        .and.not.to.have.property('nameKey');
      await sweep(a);
      expect(await record()).to.equal(null);
      expect([...a.driver.kept.keys()].some((one) => one.startsWith('tpl_'))).to.equal(false);
    });

    it('before their job was accepted are failed after a minute, and can be deleted', async () => {
      const id = await save();
      const saving = { $set: { state: 'saving' as const, jobId: 'job_none' } };
      await templates().updateOne({ _id: id }, saving);
      await sweep(a);
      expect(await record()).to.include({ state: 'saving' });
      await templates().updateOne({ _id: id }, { $set: { createdAt: new Date(0) } });
      await sweep(a);
      expect(await record()).to.include({ state: 'failed' });
      expect(a.driver.kept.has(id)).to.equal(false);
      await remove();
      await sweep(a);
      expect(await record()).to.equal(null);
    });
  });

  it('that cannot be saved fail with the reason, take no room, and free their name once deleted', async () => {
    const taken = await a.snapshots.createSnapshot({ name: 'one' }, { headers });
    await done(taken.job!.id);
    a.driver.snapshotFailure = new PhoneFailure('The snapshot is damaged.');
    const made = await a.templates.createTemplate({ snapshot: taken.snapshot!.id, name: 'golden' }, { headers });
    expect((await job(made.job!.id)).error?.message).to.contain('is damaged');
    a.driver.snapshotFailure = undefined;
    expect(await record())
      .to.include({ state: 'failed' })
      .and.not.to.have.any.keys('sizeBytes', 'expectedBytes');
    const refused = await refusal(make(a, 'made'));
    await a.admin.drainHost({ id: 'host-b', undo: true });
    expect(refused).to.include({ kind: 'bad_request' });
    await remove();
    await save();
  });
});
