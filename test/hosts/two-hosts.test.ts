import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { until } from '../../testing/until.js';
import { createOn, type Host, openHost, type TimedDriver } from './open-host.js';

describe('two hosts on one database', function () {
  let opened: TemporaryDatabase;
  let a: Host;
  let b: Host;
  let headers: { authorization: string };

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    a = await open('host-a');
    b = await open('host-b');
    const first = await a.service.createFirstAccount('owner@localhost');
    headers = { authorization: `Bearer ${first?.apiKey ?? ''}` };
  });

  afterEach(async () => {
    await Promise.all([a.close(), b.close()]);
    await opened.close();
  });

  const open = (hostId: string, more?: { driver?: TimedDriver; folderId?: string }): Promise<Host> =>
    openHost(opened.database, hostId, more);
  const create = (through: Host, name: string): Promise<string> => createOn(through, name, headers);
  const job = async (through: Host, id: string) => (await through.jobs.getJob({ id, waitS: 10 }, { headers })).job!;
  const device = async (through: Host, name: string) =>
    (await through.devices.getDevice({ name }, { headers })).device!;
  const hostOf = async (name: string): Promise<string | undefined> =>
    (await opened.database.collection<DeviceDocument>('devices').findOne({ name }))?.hostId;
  async function refusal(call: Promise<unknown>): Promise<unknown> {
    return call.then(
      () => undefined,
      (error: unknown) => error,
    );
  } /** Makes a host look as if it had been silent for longer than its lease. */
  const letLeaseLapse = (hostId: string): Promise<unknown> =>
    opened.database
      .collection<{ _id: string }>('hosts')
      .updateOne({ _id: hostId }, { $set: { leaseUntil: new Date(0) } });

  it('serves each request through either, on the host that has the phone', async () => {
    expect(await job(a, await create(a, 'on-a'))).to.include({ state: JobState.DONE });
    expect(await job(b, await create(b, 'on-b'))).to.include({ state: JobState.DONE });
    expect([await hostOf('on-a'), await hostOf('on-b')]).to.deep.equal(['host-a', 'host-b']);
    const restart = (await a.devices.restartDevice({ name: 'on-b' }, { headers })).job!;
    expect(await job(a, restart.id)).to.include({ state: JobState.DONE });
    const remove = (await b.devices.deleteDevice({ name: 'on-a' }, { headers })).job!;
    expect(await job(b, remove.id)).to.include({ state: JobState.DONE });
    expect(a.driver.phones.size).to.equal(0);
    expect(b.driver.calls).to.deep.equal(['create', 'start', 'stop', 'start']);
  });

  it('changes the conditions of a running phone on its host, and records those of one that is off on either', async () => {
    expect(await job(b, await create(b, 'on-b'))).to.include({ state: JobState.DONE });
    const change = async (level: number) =>
      (await a.devices.updateConditions({ name: 'on-b', battery: { level } }, { headers })).device;
    expect((await change(5))?.conditions?.battery).to.include({ level: 5 });
    expect([...b.driver.conditions.values()].at(-1)).to.deep.equal({ battery: { level: 5, charging: false } });
    expect(a.driver.conditions.size).to.equal(0);
    const stop = (await a.devices.stopDevice({ name: 'on-b' }, { headers })).job!;
    expect(await job(a, stop.id)).to.include({ state: JobState.DONE });
    await b.close();
    expect((await change(6))?.conditions?.battery).to.include({ level: 6 });
  });

  it('keeps the jobs of a host that is down until it is back, at any URL', async () => {
    await job(b, await create(b, 'on-b'));
    const { driver } = b;
    await b.close();
    const stop = (await a.devices.stopDevice({ name: 'on-b' }, { headers })).job!;
    expect((await device(a, 'on-b')).state).to.equal(DeviceState.STOPPING);
    b = await open('host-b', { driver });
    expect(await job(a, stop.id)).to.include({ state: JobState.DONE });
    // Through the URL that the other host learns anew.
    const start = (await a.devices.startDevice({ name: 'on-b' }, { headers })).job!;
    expect(await job(a, start.id)).to.include({ state: JobState.DONE });
  });

  it('forgets a host that is gone: its jobs end, DELETE is done, its devices report data_lost', async () => {
    for (const name of ['idle', 'restarting', 'deleting']) await job(b, await create(b, name));
    expect(await refusal(a.admin.forgetHost({ id: 'host-b' })))
      .to.be.instanceOf(ApiError)
      .with.property('kind', 'busy');
    await b.close();
    const restart = (await a.devices.restartDevice({ name: 'restarting' }, { headers })).job!;
    const remove = (await a.devices.deleteDevice({ name: 'deleting' }, { headers })).job!;
    await letLeaseLapse('host-b');
    expect((await a.admin.forgetHost({ id: 'host-b' })).devices).to.equal(3);
    const failed = await job(a, restart.id);
    expect(failed).to.include({ state: JobState.FAILED });
    expect(failed.error?.message).to.contain('data is not on its host');
    expect(await job(a, remove.id)).to.include({ state: JobState.DONE });
    await until(async () => (await device(a, 'idle')).state === DeviceState.FAILED);
    for (const name of ['idle', 'restarting']) {
      expect((await device(a, name)).problem, name).to.include({ kind: 'data_lost' });
    }
    expect(a.driver.calls).not.to.include('create');
    // Again, as after a crash in the middle of it.
    expect((await a.admin.forgetHost({ id: 'host-b' })).devices).to.equal(0);
    expect((await a.admin.listHosts({})).hosts.map(({ id }) => id)).to.deep.equal(['host-a']);
    const { driver } = b;
    b = await open('host-b', { driver, folderId: 'another folder' });
    // Its phones whose devices belong to the other host now do not run on; that of the deleted device is an orphan like any other.
    expect([...driver.phones.values()]).to.deep.equal(['stopped', 'stopped', 'running']);
    expect(await job(a, await create(b, 'new'))).to.include({ state: JobState.DONE });
  });

  it('gives a drained host no new devices, and does the jobs of its own', async () => {
    await job(b, await create(b, 'before'));
    await a.admin.drainHost({ id: 'host-b' });
    await job(b, await create(b, 'after'));
    expect([await hostOf('before'), await hostOf('after')]).to.deep.equal(['host-b', 'host-a']);
    const stop = (await a.devices.stopDevice({ name: 'before' }, { headers })).job!;
    expect(await job(a, stop.id)).to.include({ state: JobState.DONE });
    await a.admin.drainHost({ id: 'host-b', undo: true });
    await job(b, await create(b, 'undone'));
    expect(await hostOf('undone')).to.equal('host-b');
  });

  it('refuses a second service with the same HOST_ID and another data folder, in one line', async () => {
    const error = await refusal(open('host-b', { folderId: 'another folder' }));
    expect(error).to.be.instanceOf(Error);
    expect((error as Error).message).to.match(
      /^HOST_ID "host-b" is in use by another process with another data folder\. [^\n]+$/,
    );
    await b.close();
    // Its phones are in its folder, whether it runs or not.
    expect(((await refusal(open('host-b', { folderId: 'another folder' }))) as Error).message).to.contain(
      'host forget --id host-b',
    );
  });

  it('lets a second service with the same folder take over, and the first one know that it must end', async () => {
    await job(b, await create(b, 'on-b'));
    const first = b;
    b = await open('host-b', { driver: first.driver });
    // The first one notices at its next beat; its writes have no effect from now on.
    await first.service.announce('http://127.0.0.1:1');
    expect(first.lost.map(({ message }) => message)).to.deep.equal([
      'Another process has taken over the host "host-b", or the operator has forgotten it.',
    ]);
    const restart = (await a.devices.restartDevice({ name: 'on-b' }, { headers })).job!;
    expect(await job(a, restart.id)).to.include({ state: JobState.DONE });
    await first.close();
  });
});
