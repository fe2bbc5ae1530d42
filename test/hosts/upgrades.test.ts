import { once } from 'node:events';
import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import type { HostDocument } from '../../device-service/store/hosts.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { NoRoom } from '../../phone/files/no-room.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobPhase, JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { until } from '../../testing/until.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { createOn, type Host, openHost, type TimedDriver } from './open-host.js';

const EMAIL = 'owner@localhost';
const NEWER = { android: '15' };

describe('giving a device the image that its model has now', () => {
  let opened: TemporaryDatabase;
  let host: Host;
  let headers: { authorization: string };

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    host = await openHost(opened.database, 'host-a');
    const first = await host.service.createFirstAccount(EMAIL);
    headers = { authorization: `Bearer ${first?.apiKey ?? ''}` };
    await job(await createOn(host, 'one', headers));
  });

  afterEach(async () => {
    await host.close();
    await opened.close();
  });

  const job = async (id: string) => (await host.jobs.getJob({ id, waitS: 20 }, { headers })).job!;
  const device = async () => (await host.devices.getDevice({ name: 'one' }, { headers })).device!;
  const stored = async (): Promise<DeviceDocument> =>
    (await opened.database.collection<DeviceDocument>('devices').findOne({ name: 'one' }))!;
  const stop = async (): Promise<void> => {
    const { job: stopping } = await host.devices.stopDevice({ name: 'one' }, { headers });
    await job(stopping!.id);
    host.driver.calls.length = 0;
  };
  const upgrade = async (now = false): Promise<string> =>
    (await host.admin.upgradeImage({ email: EMAIL, name: 'one', now })).job!.id;
  const stepOf = async (id: string): Promise<string | undefined> =>
    (await host.admin.getOwnedJob({ email: EMAIL, id })).step;
  /** Opens the service again, as after a crash of it: its driver and its phones are as they were. */
  const reopen = async (): Promise<void> => {
    const driver: TimedDriver = host.driver;
    await host.close();
    driver.images.onCall = () => undefined;
    host = await openHost(opened.database, 'host-a', { driver });
  };
  async function refusal(call: Promise<unknown>): Promise<ApiError> {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(ApiError);
    return error as ApiError;
  }

  it('boots a stopped one with its old image, then with the new one, and stops it again without a charge', async () => {
    await stop();
    host.driver.images.image = NEWER;
    const { minutes } = await stored();
    const done = await job(await upgrade());
    expect(done).to.deep.include({ state: JobState.DONE, progress: 100 });
    expect(done.result?.android).to.equal('15');
    expect(await stored()).to.deep.include({ state: 'stopped', wanted: 'stopped', android: '15', minutes });
    expect(host.driver.calls).to.deep.equal(
      ['fetch', 'start', 'survey', 'stop', 'keep', 'change', 'start', 'survey', 'drop', 'stop'], // prettier-ignore
    );
    expect(host.driver.images.kept.size).to.equal(0);
  });

  it('leaves a device alone that has the image already, also one that runs', async () => {
    host.driver.calls.length = 0;
    const { generation, startedAt } = await stored();
    const done = await job(await upgrade(true));
    expect(done.result).to.equal(undefined);
    expect(await stored()).to.deep.include({ state: 'running', generation, startedAt });
    expect(host.driver.calls).to.deep.equal(['fetch']);
  });

  it('refuses a running one without `now`, and phones of a driver whose image cannot be changed', async () => {
    const running = await refusal(upgrade());
    expect(running).to.include({ kind: 'busy' });
    expect(running.message).to.contain('--now');
    const hosts = opened.database.collection<HostDocument>('hosts');
    const devices = opened.database.collection<DeviceDocument>('devices');
    for (const [kind, text] of [
      ['attached', 'Attached phones have no image'],
      ['kubernetes', 'Phones in Kubernetes keep their image'],
      ['simulated', 'Simulated phones have no image'],
    ] as const) {
      await hosts.updateOne({}, { $unset: { 'drivers.0.upgrades': '' }, $set: { 'drivers.0.kind': kind } });
      await devices.updateOne({ name: 'one' }, { $set: { driver: kind } });
      expect((await refusal(upgrade(true))).message, kind).to.contain(text);
    }
  });

  it('keeps a running phone in use until its image is there: then it is off, and runs again', async () => {
    host.driver.images.image = NEWER;
    let fetched = (): void => undefined;
    let copied = (): void => undefined;
    host.driver.images.onCall = async (operation, { onPulling }) => {
      if (operation === 'fetch') onPulling?.();
      if (operation === 'fetch') await new Promise<void>((resolve) => (fetched = resolve));
      if (operation === 'keep') await new Promise<void>((resolve) => (copied = resolve));
    };
    const id = await upgrade(true);
    await until(async () => (await host.admin.getOwnedJob({ email: EMAIL, id })).job?.phase === JobPhase.PULLING);
    expect((await device()).state).to.equal(DeviceState.RUNNING);
    fetched();
    await until(() => host.driver.calls.includes('keep'));
    expect(await stepOf(id)).to.equal('copy');
    expect((await stored()).startedAt).to.equal(undefined);
    expect((await device()).state).to.equal(DeviceState.STARTING);
    expect((await refusal(host.devices.startDevice({ name: 'one' }, { headers }))).message).to.contain('(upgrade)');
    copied();
    expect(await job(id)).to.include({ state: JobState.DONE });
    expect(await stored()).to.deep.include({ state: 'running', wanted: 'running', android: '15' });
    expect(await stepOf(id)).to.equal(undefined);
  });

  it('can be deleted while its image is fetched', async () => {
    host.driver.images.image = NEWER;
    host.driver.images.onCall = async (operation, { onPulling, signal }) => {
      if (operation !== 'fetch') return;
      onPulling?.();
      await once(signal!, 'abort');
      throw new Error('the pull was cut off');
    };
    const id = await upgrade(true);
    await until(async () => (await stored()).job?.phase === 'pulling');
    const { job: deleting } = await host.devices.deleteDevice({ name: 'one' }, { headers });
    expect(await job(deleting!.id)).to.include({ state: JobState.DONE });
    expect(await job(id)).to.include({ state: JobState.FAILED });
    expect(host.driver.phones.size).to.equal(0);
  });

  describe('goes back', () => {
    for (const [title, image, text] of [
      ['does not boot', { ...NEWER, bootFailure: 'The phone went off.' }, 'the check "boot" failed: The phone went'],
      ['shows another version', { android: '16' }, 'the check "version" failed: the phone shows Android "16"'],
      ['has lost apps', { ...NEWER, packages: [] }, 'the check "apps" failed: apps are gone: org.example.app'],
    ] as const) {
      it(`where the new image ${title}: the device runs as before, and the job says which check failed`, async () => {
        host.driver.images.image = image;
        if (image.android === '16') host.driver.images.change = changedTo('15');
        const failed = await job(await upgrade(true));
        expect(failed).to.include({ state: JobState.FAILED });
        expect(failed.error?.message).to.contain('back on its old image, with its data').and.to.contain(text);
        expect(await stored()).to.deep.include({ state: 'running', wanted: 'running', android: '14' });
        expect((await stored()).problem).to.equal(undefined);
        const { of, kept } = host.driver.images;
        expect([[...of.values()], kept.size]).to.deep.equal([[{ android: '14' }], 0]);
        expect(host.driver.calls.slice(-2)).to.deep.equal(['back', 'start']);
      });
    }

    /** The model names another version than its image has. */
    const changedTo = (android: string) => {
      const { images } = host.driver;
      const change = images.change.bind(images);
      return async (phoneId: string): Promise<string> => (await change(phoneId), android);
    };

    it('of a stopped device: it is stopped again', async () => {
      await stop();
      host.driver.images.image = { ...NEWER, bootFailure: 'The phone went off.' };
      expect(await job(await upgrade())).to.include({ state: JobState.FAILED });
      expect(await stored()).to.deep.include({ state: 'stopped', wanted: 'stopped', android: '14' });
      expect([...host.driver.phones.values()]).to.deep.equal(['stopped']);
    });

    it('where there is no room for the copy', async () => {
      await stop();
      const { images } = host.driver;
      images.image = NEWER;
      images.onCall = (one) => {
        if (one === 'keep') throw new NoRoom();
      };
      const failed = await job(await upgrade());
      expect(failed.error?.message).to.contain('There is no room left');
      expect(await stored()).to.deep.include({ state: 'stopped', android: '14' });
      expect(host.driver.calls).not.to.include('change');
    });

    it('or changes nothing, where the old image does not boot', async () => {
      await stop();
      host.driver.images.image = NEWER;
      host.driver.failure = 'The phone went off.';
      const failed = await job(await upgrade());
      expect(failed.error?.message).to.equal('The image stays as it was: The phone went off.');
      expect(await stored()).to.deep.include({ state: 'stopped', android: '14' });
      expect(host.driver.calls).not.to.include('keep');
    });
  });

  it('goes on with the next process of its host, in the middle of the copy', async () => {
    host.driver.images.image = NEWER;
    let isThere = false;
    host.driver.images.onCall = async (operation, { signal }) => {
      if (operation !== 'keep') return;
      isThere = true;
      await once(signal!, 'abort');
      throw new Error('the process ends');
    };
    const id = await upgrade(true);
    await until(() => isThere);
    await reopen();
    expect(await job(id)).to.include({ state: JobState.DONE });
    expect(await stored()).to.deep.include({ state: 'running', android: '15' });
    expect(host.driver.images.kept.size).to.equal(0);
  });
});
