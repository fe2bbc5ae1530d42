import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { memberOfSession } from '../accounts/callers/member-of-session.js';
import { findPerson } from '../accounts/people/find-person.js';
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
    expect((await stores.accounts.find('acc_1'))?.owners).to.deep.equal([]);
    await stores.accounts.removeNew('acc_1');
    expect(await stores.accounts.find('acc_1')).to.equal(null);
  });

  it('have their person only once they have an owner, so that nobody is found in no account', async () => {
    const account = { _id: 'acc_1', email: 'ann@example.com', ...AN_ACCOUNT };
    await stores.accounts.insert(account);
    const died = new Error('the process was killed');
    const dying = { ...stores, accounts: { addOwner: () => Promise.reject(died) } as unknown as Stores['accounts'] };
    expect(await adoptOwner(dying, account).catch((error: unknown) => error)).to.equal(died);
    expect(await stores.people.findByEmail(account.email)).to.equal(null);
    expect(await findPerson(stores, account.email)).to.include({ _id: 'per_1' });
    expect((await stores.accounts.find('acc_1'))?.owners).to.deep.equal([{ id: 'mem_1' }]);
  });

  it('do not bring back the person that they were made for, once that was removed from their owners', async () => {
    const account = { _id: 'acc_1', email: 'ann@example.com', ...AN_ACCOUNT };
    await stores.accounts.insert(account);
    await adoptOwner(stores, account);
    await stores.accounts.addOwner('acc_1', 'mem_other');
    await stores.accounts.removeOwner('acc_1', 'mem_1');
    await stores.members.remove({ _id: 'mem_1', role: 'owner' });
    expect(await memberOfSession(stores, { accountId: 'acc_1' })).to.equal(undefined);
    expect(await stores.members.list('acc_1', 10)).to.deep.equal([]);
  });
});
