import { once } from 'node:events';
import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import type { HostDocument } from '../../device-service/store/hosts.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { until } from '../../testing/until.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { createOn, type Host, openHost, type TimedDriver } from './open-host.js';

const EMAIL = 'owner@localhost';

describe('moving phones between hosts', function () {
  let opened: TemporaryDatabase;
  let a: Host;
  let b: Host;
  let headers: { authorization: string };

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    a = await open('host-a');
    b = await open('host-b');
    const first = await a.service.createFirstAccount(EMAIL);
    headers = { authorization: `Bearer ${first?.apiKey ?? ''}` };
    await job(a, await createOn(a, 'one', headers));
  });

  afterEach(async () => {
    await Promise.all([a.close(), b.close()]);
    await opened.close();
  });

  const open = (hostId: string, more?: { driver?: TimedDriver }): Promise<Host> =>
    openHost(opened.database, hostId, more);
  const job = async (through: Host, id: string) => (await through.jobs.getJob({ id, waitS: 10 }, { headers })).job!;
  const device = async (name: string) => (await a.devices.getDevice({ name }, { headers })).device!;
  const stored = async (name: string): Promise<DeviceDocument> =>
    (await opened.database.collection<DeviceDocument>('devices').findOne({ name }))!;
  const stop = async (name: string): Promise<void> => {
    const { job: stopping } = await a.devices.stopDevice({ name }, { headers });
    expect(await job(a, stopping!.id)).to.include({ state: JobState.DONE });
  };
  const move = async (name: string, to: string, now = false): Promise<string> =>
    (await b.admin.moveDevice({ email: EMAIL, name, to, now })).job!.id;
  async function refusal(call: Promise<unknown>): Promise<ApiError> {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(ApiError);
    return error as ApiError;
  }

  it('moves a stopped phone with its snapshots, removes the old files, and starts the phone where it is', async () => {
    const { job: saving, snapshot } = await a.devices
      .getDevice({ name: 'one' }, { headers })
      .then(() => a.snapshots.createSnapshot({ name: 'one' }, { headers }));
    expect(await job(a, saving!.id)).to.include({ state: JobState.DONE });
    await stop('one');
    const { _id: phoneId } = await stored('one');
    expect(await job(b, await move('one', 'host-b'))).to.include({ state: JobState.DONE, progress: 100 });
    expect(await stored('one')).to.deep.include({ hostId: 'host-b', state: 'stopped', wanted: 'stopped' });
    expect([...b.driver.phones]).to.deep.equal([[phoneId, 'stopped']]);
    expect([...b.driver.kept.keys()]).to.deep.equal([snapshot!.id]);
    await until(async () => (await stored('one')).leftAt?.length === 0);
    expect([a.driver.phones.size, a.driver.kept.size]).to.deep.equal([0, 0]);
    const { job: starting } = await a.devices.startDevice({ name: 'one' }, { headers });
    expect(await job(a, starting!.id)).to.include({ state: JobState.DONE });
    expect(b.driver.calls).to.include('start');
    await a.snapshots.restoreSnapshot({ name: 'one', id: snapshot!.id }, { headers });
    await until(() => b.driver.calls.includes('restore'));
  });

  it('refuses a running phone without `now`, an unknown host, a drained host, a host without the model', async () => {
    const running = await refusal(move('one', 'host-b'));
    expect(running).to.include({ kind: 'busy' });
    expect(running.message).to.contain('is running');
    await stop('one');
    expect(await refusal(move('one', 'nowhere'))).to.include({ kind: 'not_found' });
    expect(await refusal(move('one', 'host-a'))).to.include({ kind: 'bad_request' });
    await a.admin.drainHost({ id: 'host-b' });
    expect((await refusal(move('one', 'host-b'))).message).to.contain('is drained');
    await a.admin.drainHost({ id: 'host-b', undo: true });
    await opened.database
      .collection<HostDocument>('hosts')
      .updateOne({ _id: 'host-b' }, { $set: { 'drivers.0.models': [] } });
    expect((await refusal(move('one', 'host-b'))).message).to.contain('no phones of the model "phone-720p"');
  });

  it('refuses phones of a driver that cannot move them, with the reason', async () => {
    await stop('one');
    const hosts = opened.database.collection<HostDocument>('hosts');
    await hosts.updateOne(
      { _id: 'host-a' },
      { $unset: { 'drivers.0.moves': '' }, $set: { 'drivers.0.kind': 'attached' } },
    );
    await opened.database.collection<DeviceDocument>('devices').updateMany({}, { $set: { driver: 'attached' } });
    expect((await refusal(move('one', 'host-b'))).message).to.contain('Attached phones do not move');
  });

  it('moves a running phone at once: it is off meanwhile, charged up to then, and runs again on the other host', async () => {
    let release = (): void => undefined;
    b.driver.onUnpack = () => new Promise((resolve) => (release = resolve));
    const id = await move('one', 'host-b', true);
    await until(() => b.driver.calls.includes('unpack'));
    expect((await stored('one')).startedAt).to.equal(undefined);
    expect((await device('one')).state).to.equal(DeviceState.STARTING);
    expect((await refusal(a.devices.startDevice({ name: 'one' }, { headers }))).message).to.contain('(move)');
    release();
    expect(await job(a, id)).to.include({ state: JobState.DONE });
    expect(await stored('one')).to.deep.include({ hostId: 'host-b', state: 'running', wanted: 'running' });
    expect([...b.driver.phones.values()]).to.deep.equal(['running']);
  });

  it('leaves the phone where it is when the other host cannot hold it, and starts it again', async () => {
    b.driver.lack = 'the image is missing';
    const failed = await job(a, await move('one', 'host-b', true));
    expect(failed).to.include({ state: JobState.FAILED });
    expect(failed.error?.message).to.contain('the image is missing');
    expect(await stored('one')).to.deep.include({ hostId: 'host-a', state: 'running' });
    expect([...a.driver.phones.values()]).to.deep.equal(['running']);
    expect(b.driver.phones.size).to.equal(0);
  });

  it('goes on with the new process of the old host, and of the new host', async () => {
    await stop('one');
    let begun = false;
    b.driver.onUnpack = async (signal) => {
      if (begun) return;
      begun = true;
      await once(signal!, 'abort');
      throw new Error('the sender has gone');
    };
    const id = await move('one', 'host-b');
    await until(() => begun);
    const { driver } = a;
    await a.close();
    a = await open('host-a', { driver });
    expect(await job(b, id)).to.include({ state: JobState.DONE });
    expect(await stored('one')).to.deep.include({ hostId: 'host-b' });
    await until(() => a.driver.phones.size === 0);
  });

  it('empties a drained host: stopped phones first, then each as it is stopped', async () => {
    for (const name of ['two', 'three', 'four']) await job(a, await createOn(a, name, headers));
    for (const name of ['two', 'three']) await stop(name);
    expect((await b.admin.drainHost({ id: 'host-a', move: true })).devices).to.equal(4);
    const hostsOf = async (): Promise<string[]> =>
      (await opened.database.collection<DeviceDocument>('devices').find().toArray())
        .filter(({ hostId }) => hostId === 'host-a')
        .map(({ name }) => name)
        .sort();
    await until(async () => (await hostsOf()).length === 2, 20_000);
    expect(await hostsOf()).to.deep.equal(['four', 'one']);
    await stop('one');
    await until(async () => (await hostsOf()).length === 1, 20_000);
    await b.admin.drainHost({ id: 'host-a', move: true, now: true });
    await until(async () => (await hostsOf()).length === 0, 20_000);
    await until(() => a.driver.phones.size === 0, 20_000);
    await until(async () => (await device('four')).state === DeviceState.RUNNING);
    expect(b.driver.phones.size).to.equal(4);
  });

  it('names the devices that stay on a drained host, and why', async () => {
    await stop('one');
    await b.admin.drainHost({ id: 'host-b' });
    await b.admin.drainHost({ id: 'host-a', move: true });
    const problems = async (): Promise<string> =>
      (await b.admin.listHosts({})).hosts.find(({ id }) => id === 'host-a')!.problems.join();
    await until(
      async () => (await problems()).includes('the device "one" stays: The host "host-b" is drained'),
      20_000,
    );
  });
});
