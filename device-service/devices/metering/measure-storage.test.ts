import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import type { PhoneDriver } from '../../../phone/driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { PhoneDrivers } from '../phones/phone-drivers.js';
import { type DeviceDocument, DeviceStore } from '../../store/devices.js';
import { measureStorage } from './measure-storage.js';

describe('the measured storage of phones', () => {
  let opened: TemporaryDatabase;
  before(async () => (opened = await openTemporaryDatabase()));
  after(() => opened.close());

  it('stays as it was for one that cannot be measured, and is measured for all others', async () => {
    const devices = new DeviceStore(opened.database);
    for (const at of [1, 2, 3]) {
      const _id = `ph_${at}`;
      await devices.insert(deviceDocument({ _id, name: _id, nameKey: `acc_1/${_id}`, storageBytes: 7 }));
    }
    const usedBytes = async (phoneId: string): Promise<number> => {
      if (phoneId !== 'ph_3') throw new Error('EIO');
      return 1_000;
    };
    const drivers = new PhoneDrivers([{ kind: 'simulated', usedBytes } as unknown as PhoneDriver]);
    const parts = { devices, drivers, hostId: 'host-1', log: silentLog };
    const judged: [id: string, before: number | undefined, bytes: number][] = [];
    const judge = async ({ _id, storageBytes }: DeviceDocument, bytes: number): Promise<void> => {
      judged.push([_id, storageBytes, bytes]);
      throw new Error('the database is away');
    };
    await measureStorage(parts, judge, new AbortController().signal);
    expect(judged).to.deep.equal([['ph_3', 7, 1_000]]);
    const storage = await devices.findStorage('acc_1');
    expect(storage.map((one) => one.storageBytes)).to.have.members([7, 7, 1_000]);
  });
});
