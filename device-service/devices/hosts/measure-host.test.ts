import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import type { PhoneCapacity, PhoneDriver } from '../../../phone/driver.js';
import { FakeDriver } from '../../../test/fake-driver.js';
import { measureHost } from './measure-host.js';

describe('the measure of a host', () => {
  const measured = async (more: Partial<PhoneCapacity>) => {
    const driver: PhoneDriver = new FakeDriver();
    const capacity = await driver.capacity();
    driver.capacity = async () => ({ ...capacity, ...more });
    const [found] = await measureHost([driver], new FakeClock());
    return found;
  };

  it('has a problem for each disk that has no room for another phone, with its name', async () => {
    const disks = [
      { name: 'DATA_DIR', freeDiskMb: 100_000 },
      { name: 'the container engine (/var/lib/containers/storage)', freeDiskMb: 511 },
    ];
    const found = await measured({ freeDiskMb: 511, disks });
    expect(found).to.deep.include({ freeDiskMb: 511, disks });
    expect(found?.problems).to.have.length(1);
    expect(found?.problems?.[0]).to.contain('511 MiB are free on the disk of the container engine (/var/lib');
  });

  it('takes the disk of DATA_DIR for the only one where a driver names none', async () => {
    expect((await measured({ freeDiskMb: 3 }))?.problems?.[0]).to.contain('3 MiB are free on the disk of DATA_DIR');
    expect(await measured({ freeDiskMb: 512 })).not.to.have.property('problems');
  });
});
