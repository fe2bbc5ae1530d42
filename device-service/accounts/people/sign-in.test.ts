import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { openStores, type Stores } from '../../store/stores.js';
import { authenticateWith } from '../callers/authenticate.js';
import { resetPassword } from './change-password.js';
import { LastUse } from '../callers/last-use.js';
import { Passwords } from './passwords.js';
import { accountsContext } from '../../../testing/accounts-context.js';
import { signIn } from './sign-in.js';
import type { AccountsContext } from '../accounts-context.js';

const DAY_MS = 86_400_000;
const PASSWORD = 'correct horse';

describe('a session', () => {
  let opened: TemporaryDatabase;
  let clock: FakeClock;
  let stores: Stores;
  let lastUse: LastUse;
  let parts: AccountsContext;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    // The clock is not before the present, as the database removes documents whose time is over.
    clock = new FakeClock(Date.now());
    stores = await openStores(opened.database, { clock, log: silentLog });
    lastUse = new LastUse(stores, clock, silentLog);
    await stores.accounts.insert({
      _id: 'acc_1',
      email: 'ann@example.com',
      passwordHash: await new Passwords().hash(PASSWORD),
      createdAt: new Date(clock.now()),
      trial: { state: 'unused' },
    });
  });
  afterEach(async () => {
    await lastUse.close();
    await opened.close();
  });

  async function open(verify = () => Promise.resolve(true)): Promise<string> {
    const passwords = { hash: () => Promise.resolve('another hash'), verify } as unknown as Passwords;
    parts = accountsContext(stores, clock, { passwords });
    const signedIn = await signIn(parts, { email: 'ann@example.com', password: PASSWORD }, '192.0.2.1');
    if ('challenge' in signedIn) throw new Error('a person without a second factor is asked for one');
    return signedIn.token;
  }

  /** Uses the session, and waits until the use is noted. */
  async function isOpen(token: string): Promise<boolean> {
    const used = await authenticateWith({ ...stores, lastUse, clock, confirmSession: () => Promise.resolve(true) })(
      `Session ${token}`,
    ).then(
      () => true,
      () => false,
    );
    await lastUse.close();
    return used;
  }

  it('ends 30 days after its last use', async () => {
    const token = await open();
    clock.turn(29 * DAY_MS);
    expect(await isOpen(token)).to.equal(true);
    clock.turn(29 * DAY_MS);
    expect(await isOpen(token)).to.equal(true);
    clock.turn(31 * DAY_MS);
    expect(await isOpen(token)).to.equal(false);
  });

  it('ends 90 days after it began, however much it is used', async () => {
    const token = await open();
    for (let day = 0; day < 89; day++) {
      clock.turn(DAY_MS);
      expect(await isOpen(token), `day ${day + 1}`).to.equal(true);
    }
    clock.turn(DAY_MS);
    expect(await isOpen(token)).to.equal(false);
  });

  it('of an older release has an unknown address, and ends as early', async () => {
    const token = await open();
    const sessions = opened.database.collection('sessions');
    const createdAt = new Date(clock.now() - 89 * DAY_MS);
    await sessions.updateOne({}, { $unset: { address: '' }, $set: { createdAt } });
    await stores.sessions.addAddresses();
    expect((await sessions.findOne({}))?.['address']).to.equal('unknown');
    expect(await isOpen(token)).to.equal(true);
    clock.turn(DAY_MS);
    expect(await isOpen(token)).to.equal(false);
  });

  it('does not begin with a password that is replaced while it is checked', async () => {
    const refusal: unknown = await open(async () => {
      const person = await stores.people.findByEmail('ann@example.com');
      await resetPassword(parts, person!, 'battery staple');
      return true;
    }).catch((error: unknown) => error);
    expect(refusal).to.include({ kind: 'unauthorized', message: 'Wrong e-mail or password.' });
    expect(await stores.sessions.list('per_1')).to.deep.equal([]);
  });

  it('is one of at most 50 of its account: one more ends the oldest', async () => {
    const tokens: string[] = [];
    for (let n = 0; n < 52; n++) {
      tokens.push(await open());
      clock.turn(1_000);
    }
    const stillOpen = await Promise.all(tokens.map(isOpen));
    expect(stillOpen).to.deep.equal([false, false, ...Array<boolean>(50).fill(true)]);
  });
});
