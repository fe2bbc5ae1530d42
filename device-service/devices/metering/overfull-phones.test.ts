import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import type { PhoneDriver } from '../../../phone/driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { runningDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { isCleared } from '../../record/problems.js';
import { type DeviceDocument, DeviceStore } from '../../store/devices.js';
import { LOW_DISK_MB, OVERFULL_GRACE_MS } from '../limits.js';
import { PhoneDrivers } from '../phones/phone-drivers.js';
import { OverfullPhones } from './overfull-phones.js';

const MIB = 1024 ** 2;
const MAX_MIB = 1_000;
/** The most that such a phone may take. */
const ALLOWED_MIB = 1_100;

describe('phones that take more of a shared disk than their models have', () => {
  let opened: TemporaryDatabase;
  let devices: DeviceStore;
  let clock: FakeClock;
  let overfull: OverfullPhones;
  let begun: string[];
  let measured: string[];
  let sizes: Record<string, number>;
  let freeMb: number;

  before(async () => (opened = await openTemporaryDatabase()));
  after(() => opened.close());
  beforeEach(async () => {
    devices = new DeviceStore(opened.database);
    await opened.database.collection('devices').deleteMany({});
    clock = new FakeClock();
    [begun, measured, sizes, freeMb] = [[], [], {}, LOW_DISK_MB];
    const driver = {
      kind: 'container',
      sharedDisk: { freeMb: async () => freeMb, maxBytes: async () => MAX_MIB * MIB },
      usedBytes: async (phoneId: string) => {
        measured.push(phoneId);
        const size = sizes[phoneId];
        if (size === undefined) throw new Error('EIO');
        return size * MIB;
      },
    };
    const other = { kind: 'simulated', usedBytes: async () => 10_000 * MIB };
    const drivers = new PhoneDrivers([driver, other] as unknown as PhoneDriver[]);
    const dispatch = {
      begin: ({ _id }: DeviceDocument) => void begun.push(_id),
      wake: () => undefined,
      deviceOf: () => undefined,
    };
    overfull = new OverfullPhones({ devices, drivers, dispatch, clock, hostId: 'host-1', log: silentLog });
  });

  async function insert(_id: string, more: Partial<DeviceDocument> = {}): Promise<DeviceDocument> {
    const startedAt = new Date(clock.now());
    const base = { _id, name: _id, nameKey: `acc_1/${_id}`, driver: 'container', startedAt };
    const device = runningDocument({ ...base, ...more });
    await devices.insert(device);
    return device;
  }
  const judge = async (device: DeviceDocument, mib: number): Promise<string | undefined> => {
    await overfull.judge(device, mib * MIB);
    return (await devices.findById(device._id))?.job?.kind;
  };

  it('are stopped, with what their owner can do', async () => {
    const device = await insert('ph_1', { storageBytes: 900 * MIB });
    expect(await judge(device, ALLOWED_MIB)).to.equal(undefined);
    expect(await judge(device, ALLOWED_MIB + 1)).to.equal('stop');
    const stored = await devices.findById('ph_1');
    expect(stored).to.include({ state: 'stopping', wanted: 'stopped' });
    expect(stored?.problem).to.include({ kind: 'storage' });
    expect(stored?.problem?.message)
      .to.contain('its files take 1101 MiB and its model has 1000 MiB')
      .and.to.contain('POST /v1/devices/ph_1/start')
      .and.to.contain('restore a snapshot');
    expect(stored?.deviceEvents?.map(({ type }) => type)).to.include.members(['health.problem', 'device.state']);
    expect(begun).to.deep.equal(['ph_1']);
    // The problem stays until the phone is started again.
    expect(isCleared(stored?.problem, 'stopped')).to.equal(false);
    expect(isCleared(stored?.problem, 'started')).to.equal(true);
  });

  it('have time after a start to be made smaller, unless they go on growing', async () => {
    const device = await insert('ph_1', { storageBytes: 2_000 * MIB });
    expect(await judge(device, 2_050)).to.equal(undefined);
    clock.turn(OVERFULL_GRACE_MS - 1);
    expect(await judge(device, 2_000)).to.equal(undefined);
    clock.turn(1);
    expect(await judge(device, 2_000)).to.equal('stop');

    const growing = await insert('ph_2', { storageBytes: 2_000 * MIB });
    expect(await judge(growing, 2_101)).to.equal('stop');
  });

  it('are left alone while they are off or busy, and where they share no disk', async () => {
    const off = await insert('ph_1', { state: 'stopped', wanted: 'stopped' });
    expect(await judge(off, 5_000)).to.equal(undefined);
    const job = { id: 'job_1', kind: 'install' as const, progress: 0, createdAt: new Date() };
    const busy = await insert('ph_2', { job });
    expect(await judge(busy, 5_000)).to.equal('install');
    expect(await judge(await insert('ph_3', { driver: 'simulated' }), 5_000)).to.equal(undefined);
    // A phone that was stopped during its measurement.
    const stale = await insert('ph_4');
    await devices.changeIdle(stale, { state: 'stopped' });
    expect(await judge(stale, 5_000)).to.equal(undefined);
    expect(begun).to.deep.equal([]);
  });

  it('go first where the disk is nearly full, without time, the largest before others; no other phone goes', async () => {
    await insert('ph_1', { storageBytes: 1_500 * MIB });
    await insert('ph_2', { storageBytes: 3_000 * MIB });
    await insert('ph_3', { storageBytes: 800 * MIB });
    await insert('ph_4', { storageBytes: 4_000 * MIB });
    await insert('ph_5', { driver: 'simulated', storageBytes: 10_000 * MIB });
    sizes = { ph_1: 1_500, ph_2: 3_000, ph_3: 900 };
    const { signal } = new AbortController();
    await overfull.relieve(signal);
    expect(measured).to.deep.equal([]);
    freeMb = LOW_DISK_MB - 1;
    await overfull.relieve(signal);
    // One that cannot be measured delays no other.
    expect(measured).to.deep.equal(['ph_4', 'ph_2', 'ph_1', 'ph_3']);
    expect(begun).to.deep.equal(['ph_2', 'ph_1']);
    expect((await devices.findById('ph_3'))?.storageBytes).to.equal(900 * MIB);
  });
});
