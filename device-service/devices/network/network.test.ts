import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { deviceDocument, runningDocument } from '../../../testing/device-document.js';
import { FakeDriver } from '../../../test/fake-driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { type DeviceDocument, DeviceStore } from '../../store/devices.js';
import { PhoneDrivers } from '../phones/phone-drivers.js';
import { type Network, openNetwork } from './network.js';

const INVENTED = { type: 'mobile', country: 'de', timezone: 'Europe/Berlin', address: '203.0.113.9' };
const TRUE = { type: 'direct', country: 'nl', timezone: 'Europe/Berlin' };

describe('devices with a simulated exit from an earlier version', () => {
  let temporary: TemporaryDatabase;
  let devices: DeviceStore;
  let network: Network;
  const insert = (device: DeviceDocument) => temporary.database.collection<DeviceDocument>('devices').insertOne(device);
  const exitOf = async (id: string) => (await devices.findById(id))?.exit;
  const found = async (id: string): Promise<DeviceDocument> => {
    const device = await devices.findById(id);
    if (device === null) throw new Error(`no device ${id}`);
    return device;
  };

  beforeEach(async () => {
    temporary = await openTemporaryDatabase();
    devices = new DeviceStore(temporary.database);
    const real = Object.assign(new FakeDriver(), { kind: 'container' });
    network = openNetwork({
      ...{ directory: undefined, devices, drivers: new PhoneDrivers([new FakeDriver(), real]), hostId: 'host-1' },
      ...{ openLink: () => Promise.reject(new Error('no phone')), allowPrivateTargets: false, secretBox: undefined },
      ...{ hostPlace: { country: 'nl', timezone: 'Europe/Amsterdam' }, clock: systemClock, log: silentLog },
    });
  });
  afterEach(async () => {
    await network.close();
    await temporary.close();
  });

  it("have the host's own connection at the start of the service, whether they run or not", async () => {
    const real = { driver: 'container', exit: INVENTED };
    await insert(deviceDocument({ _id: 'ph_off', name: 'off', nameKey: 'acc_1/off', ...real }));
    await insert(runningDocument({ _id: 'ph_on', name: 'on', nameKey: 'acc_1/on', ...real }));
    await insert(deviceDocument({ _id: 'ph_sim', name: 'sim', nameKey: 'acc_1/sim', exit: INVENTED }));
    await network.start();
    expect([await exitOf('ph_off'), await exitOf('ph_on')]).to.deep.equal([TRUE, TRUE]);
    expect(await exitOf('ph_sim'), 'a simulated phone').to.deep.equal(INVENTED);
    await network.start();
    expect(await exitOf('ph_off'), 'after another start').to.deep.equal(TRUE);
  });

  it('are corrected at the next start of the phone where they came to the host later', async () => {
    await insert(deviceDocument({ driver: 'container', exit: INVENTED }));
    const given = await network.prepareExit(await found('ph_1'));
    expect(given).to.include(TRUE).and.to.have.property('forwarder');
    expect(given).not.to.have.property('address');
    expect(await exitOf('ph_1')).to.deep.equal(TRUE);
  });

  it('start also where the update is lost, as by another process that has the device, and keep what that wrote', async () => {
    await insert(deviceDocument({ driver: 'container', exit: INVENTED }));
    const read = await found('ph_1');
    const newer = { type: 'custom', country: 'zz', timezone: 'UTC', proxy: 'socks5://a:b@proxy.example:1080' };
    await temporary.database
      .collection<DeviceDocument>('devices')
      .updateOne({ _id: 'ph_1' }, { $set: { exit: newer } });
    expect(await network.prepareExit(read)).to.include(TRUE);
    expect(await exitOf('ph_1')).to.deep.equal(newer);
  });
});
