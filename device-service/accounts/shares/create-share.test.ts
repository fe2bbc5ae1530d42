import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { MAX_SHARES } from '../limits.js';
import { openStores } from '../../store/stores.js';
import { accountsContext } from '../../../testing/accounts-context.js';
import { createShare } from './create-share.js';

describe('shares made at the same time', () => {
  let opened: TemporaryDatabase;
  beforeEach(async () => (opened = await openTemporaryDatabase()));
  afterEach(() => opened.close());

  it('take every place of the device, and rarely try for the same one', async () => {
    const clock = new FakeClock(Date.now());
    const stores = await openStores(opened.database, { clock, log: silentLog });
    const device = deviceDocument();
    await stores.devices.insert(device);
    const { shares } = stores;
    const insert = shares.insert.bind(shares);
    let inserts = 0;
    shares.insert = (share) => {
      inserts++;
      return insert(share);
    };
    const caller = create(CallerSchema, { accountId: device.accountId, keyId: 'key_1', allDevices: true });
    const making = Array.from({ length: 200 }, () =>
      createShare(accountsContext(stores, clock), caller, { name: device.name, access: 'read' }),
    );
    const made = (await Promise.allSettled(making)).filter(({ status }) => status === 'fulfilled');
    expect(made).to.have.length(MAX_SHARES);
    // If all tried the first free place, one of them would get it in each round, after some 2,000 tries in all.
    expect(inserts).to.be.below(1_000);
  });
});
