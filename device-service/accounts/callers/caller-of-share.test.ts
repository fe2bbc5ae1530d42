import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { refusalOf } from '../../../testing/refusal.js';
import { authenticateWith } from './authenticate.js';
import { keyDigest } from './key-text.js';
import { LastUse } from './last-use.js';
import { openStores, type Stores } from '../../store/stores.js';
import { createShareToken } from './share-token.js';

describe('the caller of a share', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let clock: FakeClock;
  let lastUse: LastUse;
  const token = createShareToken();

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    // The clock is not before the present, as the database removes documents whose time is over.
    clock = new FakeClock(Date.now());
    stores = await openStores(opened.database, { clock, log: silentLog });
    lastUse = new LastUse(stores, clock, silentLog);
    const createdAt = new Date(clock.now());
    await stores.accounts.insert({ _id: 'acc_1', email: 'ann@example.com', passwordHash: '', createdAt, trial: { state: 'unused' } }); // prettier-ignore
    await stores.devices.insert(deviceDocument());
    const maker = { id: 'ses_1', isOwner: true };
    const expiresAt = new Date(clock.now() + 60_000);
    await stores.shares.insert({ _id: 'shr_1', digest: keyDigest(token), accountId: 'acc_1', phoneId: 'ph_1', place: 0, access: 'read', maker, createdAt, expiresAt }); // prettier-ignore
  });
  afterEach(async () => {
    await lastUse.close();
    await opened.close();
  });

  it('learns nothing of an account that is disabled while the share is looked up', async () => {
    const { accounts } = stores;
    const findActive = accounts.findActive.bind(accounts);
    let calls = 0;
    accounts.findActive = async (ids) => {
      const active = await findActive(ids);
      if (++calls === 1) await accounts.setDisabled('acc_1', new Date(clock.now()));
      return active;
    };
    const authenticate = authenticateWith({ ...stores, lastUse, clock, confirmSession: () => Promise.resolve(true) });
    expect(await authenticate(`Bearer ${token}`)).to.include({ accountId: 'acc_1', sharedPhoneId: 'ph_1' });
    const refused = await refusalOf(authenticate(`Bearer ${token}`));
    expect(refused.kind).to.equal('unauthorized');
    expect(refused.message).not.to.contain('disabled');
  });
});
