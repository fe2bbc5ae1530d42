import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import type { ApiError } from '../../../kit/errors/api-error.js';
import { silentLog } from '../../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { runningDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { HOST_LEASE_MS } from '../limits.js';
import type { DeviceDocument } from '../../store/device-document.js';
import type { SnapshotDocument } from '../../store/snapshots.js';
import { openStores } from '../../store/stores.js';
import type { TemplateDocument } from '../../store/templates.js';
import { finishForgetting, forgetHost, type ForgetHostParts } from './forget-host.js';
import { Outages } from '../metering/outages.js';
import { HostLease } from './host-lease.js';

describe('forgetting a host', () => {
  let opened: TemporaryDatabase;
  let parts: ForgetHostParts;
  let clock: FakeClock;
  let adoptions: number;
  let seenAt: Date;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    const stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
    const { devices, libraryCopies, recordings, snapshots, templates, hosts } = stores;
    clock = new FakeClock();
    adoptions = 0;
    const own = { hostId: 'host-1', epoch: 7, driver: 'simulated' };
    parts = {
      devices,
      libraryCopies,
      recordings,
      snapshots,
      templates,
      hosts,
      clock,
      own,
      onAdopted: () => adoptions++,
    };
    const lease = await acquire();
    seenAt = new Date(clock.now());
    for (const name of ['one', 'two']) await insert(name, lease.epoch);
    clock.turn(HOST_LEASE_MS + 1);
  });

  afterEach(() => opened.close());

  /** Starts a process of the host that is to be forgotten. */
  function acquire(folderId = 'its folder'): Promise<HostLease> {
    return HostLease.acquire({
      outages: new Outages(clock),
      hosts: parts.hosts,
      hostId: 'host-2',
      folderId,
      measure: async () => [],
      lost: () => undefined,
      clock,
      log: silentLog,
    });
  }

  async function insert(name: string, fence: number): Promise<void> {
    const more = { _id: `ph_${name}`, name, nameKey: `acc_1/${name}`, hostId: 'host-2', fence };
    expect(await parts.devices.insert(runningDocument(more))).to.equal(true);
  }

  const snapshot = async (id: string, state: SnapshotDocument['state']): Promise<void> => {
    const files = { hostId: 'host-2', driver: 'simulated', label: '', model: 'phone-720p', android: '14' };
    const of = { accountId: 'acc_1', phoneId: 'ph_one', jobId: 'job_1', createdAt: new Date() };
    await parts.snapshots.begin({ _id: id, state, ...of, ...files });
  };

  const read = async (name: string): Promise<DeviceDocument> => (await parts.devices.findById(`ph_${name}`))!;
  const kindOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error: unknown) => (error as ApiError).kind,
    );

  it('gives up its snapshots: they have failed, and those being deleted still are', async () => {
    await snapshot('snap_ready', 'ready');
    await snapshot('snap_going', 'deleting');
    await forgetHost(parts, 'host-2');
    expect(await parts.snapshots.find('snap_ready')).to.include({ state: 'failed', hostId: 'host-1' });
    expect(await parts.snapshots.find('snap_going')).to.include({ state: 'deleting', hostId: 'host-1' });
  });

  it('gives up the templates that no other host has, and forgets those that were being deleted', async () => {
    const template = async (id: string, state: TemplateDocument['state'], ...hostIds: string[]): Promise<void> => {
      const of = { accountId: 'acc_1', phoneId: 'ph_one', jobId: 'job_1', snapshotId: 'snap_1', createdAt: new Date() };
      const files = { driver: 'simulated', model: 'phone-720p', android: '14', sizeBytes: 7 };
      const hosts = hostIds.map((hostId) => ({ hostId }));
      expect(await parts.templates.insert({ _id: id, name: id, state, ...of, ...files, hosts })).to.equal(true);
    };
    await template('tpl_here_alone', 'ready', 'host-2');
    await template('tpl_saving', 'saving', 'host-2');
    await template('tpl_elsewhere', 'ready', 'host-2', 'host-1');
    await template('tpl_going', 'deleting', 'host-2');
    await forgetHost(parts, 'host-2');
    expect(await parts.templates.find('tpl_elsewhere')).to.deep.include({
      state: 'ready',
      hosts: [{ hostId: 'host-1' }],
    });
    for (const id of ['tpl_here_alone', 'tpl_saving'])
      expect(await parts.templates.find(id)).to.deep.include({ state: 'failed', hosts: [] });
    expect(await parts.templates.storageBytes('acc_1')).to.equal(14);
    await parts.templates.forget('tpl_going');
    expect(await parts.templates.find('tpl_going')).to.equal(null);
  });

  it('moves its devices by one update each, with the time up to which they are charged', async () => {
    expect(await forgetHost(parts, 'host-2')).to.equal(2);
    for (const name of ['one', 'two']) {
      expect(await read(name)).to.deep.include({ hostId: 'host-1', fence: 7, lostAt: seenAt, state: 'running' });
    }
    expect(adoptions).to.equal(1);
    expect(await parts.hosts.list()).to.deep.equal([]);
  });

  it('goes on after a crash in its middle, when it is called again, with the same time', async () => {
    await parts.hosts.forget((await parts.hosts.find('host-2'))!);
    clock.turn(3_600_000);
    expect(await forgetHost(parts, 'host-2')).to.equal(2);
    expect((await read('one')).lostAt).to.deep.equal(seenAt);
    expect(await forgetHost(parts, 'host-2')).to.equal(0);
  });

  it('is gone on with by every host, also for a device that was created there at the same time', async () => {
    await parts.hosts.forget((await parts.hosts.find('host-2'))!);
    await finishForgetting(parts);
    expect(await read('two')).to.include({ hostId: 'host-1' });
    await insert('three', 1);
    await finishForgetting(parts);
    expect(await read('three')).to.include({ hostId: 'host-1', fence: 7 });
    await finishForgetting(parts);
    expect(adoptions).to.equal(2);
  });

  it('lets a host come back in a later epoch, with any folder, and leaves it the devices that it has by then', async () => {
    await forgetHost(parts, 'host-2');
    const forgotten = (await parts.hosts.find('host-2'))!;
    const back = await acquire('another folder');
    expect(back.epoch).to.equal(3);
    // This process can take a device that was inserted with the number of its old epoch.
    await insert('late', 1);
    await parts.devices.ofHost('host-2').takeAll(back.epoch, undefined);
    await parts.devices.ofHost('host-2').moveAll({ epoch: forgotten.epoch, lostAt: seenAt }, parts.own);
    expect(await read('late')).to.include({ hostId: 'host-2', fence: 3 });
    expect((await parts.hosts.list()).map(({ _id }) => _id)).to.deep.equal(['host-2']);
  });

  it('is refused for a host that is alive, for the own one, and for one that does not exist', async () => {
    await acquire();
    expect(await kindOf(forgetHost(parts, 'host-2'))).to.equal('busy');
    expect(await kindOf(forgetHost({ ...parts, own: { ...parts.own, hostId: 'host-2' } }, 'host-2'))).to.equal('busy');
    expect(await kindOf(forgetHost(parts, 'host-9'))).to.equal('not_found');
    expect(await read('one')).to.include({ hostId: 'host-2' });
  });
});
