import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import type { EndedJob } from '../../record/ended-job.js';
import type { Job } from '../../store/device-document.js';
import { openStores, type Stores } from '../../store/stores.js';
import { HOST_GONE_MS } from '../limits.js';
import { failJobsOfSilentHosts } from './silent-hosts.js';

describe('the jobs of a host that has been silent for long', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  const clock = new FakeClock();

  before(async () => {
    opened = await openTemporaryDatabase();
    stores = await openStores(opened.database, { clock, log: silentLog });
    const lapsed = new Date(clock.now());
    await stores.hosts.insert({
      ...{ _id: 'host-1', epoch: 1, folderId: 'folder', leaseUntil: lapsed, seenAt: lapsed, drivers: [] },
    });
    clock.turn(HOST_GONE_MS);
  });
  after(() => opened.close());

  async function failed(id: string, job: Partial<Job> & Pick<Job, 'kind'>): Promise<boolean> {
    const createdAt = new Date(clock.now() - HOST_GONE_MS);
    const whole = { id: `job_${id}`, createdAt, progress: 0, ...job };
    await stores.devices.insert(deviceDocument({ _id: id, name: id, nameKey: `acc_1/${id}`, job: whole }));
    const ended: EndedJob[] = [];
    const { devices, hosts } = stores;
    await failJobsOfSilentHosts({ devices, hosts, clock, log: silentLog }, (one) => ended.push(one));
    expect((await devices.findById(id))?.job === undefined).to.equal(ended.length === 1);
    return ended.length === 1;
  }

  it('fail, except upgrades that have begun to change the phone: nobody else knows which of its data counts', async () => {
    expect(await failed('ph_start', { kind: 'start' })).to.equal(true);
    expect(await failed('ph_fetch', { kind: 'upgrade', upgrade: { step: 'fetch' } })).to.equal(true);
    const checkedAt = new Date(clock.now());
    expect(await failed('ph_boot', { kind: 'upgrade', checkedAt, upgrade: { step: 'boot' } })).to.equal(false);
  });

  it('fail, except moves whose phone was given to the host: only the job puts its copy in place', async () => {
    const move = { from: 'host-2', to: 'host-1' };
    expect(await failed('ph_sent', { kind: 'move', move })).to.equal(true);
    expect(await failed('ph_given', { kind: 'move', move: { ...move, arrived: true } })).to.equal(false);
  });
});
