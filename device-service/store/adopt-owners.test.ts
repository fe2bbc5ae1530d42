import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { adoptOwner, adoptOwners } from './adopt-owners.js';
import { openStores, type Stores } from './stores.js';

const createdAt = new Date(Date.UTC(2026, 0, 1));
const AN_ACCOUNT = { passwordHash: 'hash', createdAt, trial: { state: 'unused' as const } };

describe('accounts of an older release', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    stores = await openStores(opened.database, { clock: new FakeClock(Date.now()), log: silentLog });
  });
  afterEach(() => opened.close());

  it('get the person that they were made for as their one owner, also by repeated and simultaneous runs', async () => {
    for (let at = 0; at < 450; at++)
      await stores.accounts.insert({ _id: `acc_${at}`, email: `${at}@example.com`, ...AN_ACCOUNT });
    await Promise.all([adoptOwners(stores), adoptOwners(stores)]);
    await adoptOwners(stores);
    for (const at of [0, 199, 200, 449]) {
      const person = await stores.people.findByEmail(`${at}@example.com`);
      expect(person).to.include({ _id: `per_${at}`, passwordHash: 'hash' });
      const members = await stores.members.list(`acc_${at}`, 10);
      expect(members.map(({ _id, personId, role }) => ({ _id, personId, role }))).to.deep.equal([
        { _id: `mem_${at}`, personId: `per_${at}`, role: 'owner' },
      ]);
      expect((await stores.accounts.find(`acc_${at}`))?.owners).to.deep.equal([{ id: `mem_${at}` }]);
    }
  });

  it('go on after a crash at each step', async () => {
    const account = { _id: 'acc_1', email: 'ann@example.com', ...AN_ACCOUNT };
    await stores.accounts.insert(account);
    await stores.people.insert({ _id: 'per_1', email: account.email, passwordHash: 'hash', createdAt });
    expect(await adoptOwner(stores, account)).to.include({ _id: 'per_1' });
    await opened.database.collection('accounts').updateOne({}, { $unset: { owners: '' } });
    expect(await adoptOwner(stores, account)).to.include({ _id: 'per_1' });
    expect((await stores.accounts.find('acc_1'))?.owners).to.deep.equal([{ id: 'mem_1' }]);
  });

  it('take no person of the same address who is someone else', async () => {
    const account = { _id: 'acc_1', email: 'ann@example.com', ...AN_ACCOUNT };
    await stores.accounts.insert(account);
    await stores.people.insert({ _id: 'per_other', email: account.email, passwordHash: 'other', createdAt });
    expect(await adoptOwner(stores, account)).to.equal(null);
    expect(await stores.members.list('acc_1', 10)).to.deep.equal([]);
  });
});
