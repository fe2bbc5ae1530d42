import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { PhoneUseSchema } from '../../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { openStores, type Stores } from '../../store/stores.js';
import type { DevicesContext } from '../devices-context.js';
import { checkUses } from './check-uses.js';

describe('the check of uses of phones', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let clock: FakeClock;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    clock = new FakeClock();
    stores = await openStores(opened.database, { clock, log: silentLog });
    const createdAt = new Date(clock.now());
    const expiresAt = new Date(clock.now() + 60_000);
    await stores.accounts.insert({ _id: 'acc_1', email: 'ann@example.com', passwordHash: '', createdAt, trial: { state: 'unused' } }); // prettier-ignore
    await stores.sessions.insert({ _id: 'digest', id: 'ses_1', accountId: 'acc_1', address: '', createdAt, usedAt: createdAt, expiresAt }); // prettier-ignore
    await stores.keys.insert({ _id: 'key_1', digest: 'd', accountId: 'acc_1', name: 'k', scope: 'control', devices: ['*'], prefix: 'cp', createdAt }); // prettier-ignore
    await stores.devices.insert(deviceDocument());
  });
  afterEach(() => opened.close());

  const allowed = async (): Promise<string[]> => {
    const context: Partial<DevicesContext> = { ...stores, clock };
    const uses = ['key_1', 'ses_1'].map((keyId) => create(PhoneUseSchema, { phoneId: 'ph_1', keyId }));
    const { allowed: kept } = await checkUses(context as DevicesContext, uses);
    return kept.map(({ keyId }) => keyId);
  };

  it('ends that of a session once its account requires a second factor that the person lacks', async () => {
    expect(await allowed()).to.deep.equal(['key_1', 'ses_1']);
    await opened.database
      .collection<{ _id: string }>('accounts')
      .updateOne({ _id: 'acc_1' }, { $set: { requireSecondFactor: true } });
    expect(await allowed()).to.deep.equal(['key_1']);
  });
});
