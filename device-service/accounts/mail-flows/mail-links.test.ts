import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { ApiError } from '../../../kit/errors/api-error.js';
import { SecretBox } from '../../../kit/text/secret-box.js';
import { type MailWorld, openMailWorld, PASSWORD } from '../../../testing/mail-world.js';
import { openTestMail, type TestMailServer, tokenOf } from '../../../testing/mail-server.js';
import { systemClock } from '../../../kit/async/clock.js';
import { createAccount } from '../people/sign-up.js';
import { changePassword } from '../people/change-password.js';
import { signIn } from '../people/sign-in.js';
import type { DueMails } from './due-mails.js';
import { confirmPasswordReset, passwordLink, requestPasswordReset } from './reset-password-by-mail.js';
import { requestVerification, verifyEmail, welcomeByMail } from './verify-email.js';

const ANN = 'ann@example.com';
const ADDRESS = '192.0.2.1';
const NEW_PASSWORD = 'staple battery horse';
const MINUTE_MS = 60_000;

describe('links of mails', () => {
  let world: MailWorld;
  let server: TestMailServer;
  let sender: DueMails;

  beforeEach(async () => {
    world = await openMailWorld({ box: new SecretBox(randomBytes(32)) });
    server = await openTestMail();
    sender = await world.sender(server);
  });
  afterEach(async () => {
    await server.close();
    await world.close();
  });

  async function mailedToken(): Promise<string> {
    await world.round(sender);
    const mail = server.received.at(-1);
    if (mail === undefined) throw new Error('there is no mail');
    return tokenOf(mail);
  }

  async function resetToken(): Promise<string> {
    await requestPasswordReset(world.context, ANN, ADDRESS);
    return mailedToken();
  }

  const confirm = (token: string, newPassword = NEW_PASSWORD): Promise<void> =>
    confirmPasswordReset(world.context, { token, newPassword }, ADDRESS, () => undefined);
  const enter = (password: string) => signIn(world.context, { email: ANN, password }, ADDRESS);
  const person = async () => (await world.stores.people.findByEmail(ANN))!;

  async function failure(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => 'no failure',
      (error: unknown) => `${error instanceof ApiError ? error.kind : 'other'}: ${(error as Error).message}`,
    );
  }

  it('give a new password once, end all sessions, and verify the address', async () => {
    await enter(PASSWORD);
    const token = await resetToken();
    expect(server.received[0]?.text).to.contain(`https://phones.example.com/reset#${token}`);
    await confirm(token);
    expect(await world.stores.sessions.list((await person())._id)).to.deep.equal([]);
    expect((await person()).verifiedAt).to.be.instanceOf(Date);
    expect(await failure(enter(PASSWORD))).to.contain('unauthorized');
    await enter(NEW_PASSWORD);
    expect(await failure(confirm(token))).to.contain('not_found: This link does not exist');
  });

  it('work for one of many requests at the same time', async () => {
    const token = await resetToken();
    const ends = await Promise.all(
      Array.from({ length: 8 }, (_, at) => failure(confirm(token, `${NEW_PASSWORD} ${at}`))),
    );
    expect(ends.filter((end) => end === 'no failure')).to.have.length(1);
    expect(ends.filter((end) => end.startsWith('not_found'))).to.have.length(7);
  });

  it('work for 30 minutes from when the mail goes out, and not after another change of the password', async () => {
    await requestPasswordReset(world.context, ANN, ADDRESS);
    world.clock.turn(60 * MINUTE_MS);
    const token = await mailedToken();
    world.clock.turn(30 * MINUTE_MS);
    expect(await failure(confirm(token))).to.contain('not_found');
    const second = await resetToken();
    const caller = { sessionId: 'ses_1', address: ADDRESS };
    await changePassword(world.context, await person(), caller, { password: PASSWORD, newPassword: 'another one now' });
    expect(await failure(confirm(second))).to.contain('not_found');
  });

  it('can be used again where the password could not be changed', async () => {
    const token = await resetToken();
    const busy = Object.assign(Object.create(world.context.passwords), {
      hash: () => Promise.reject(new Error('busy')),
    }) as typeof world.context.passwords;
    const hindered = { ...world.context, passwords: busy };
    expect(
      await failure(confirmPasswordReset(hindered, { token, newPassword: NEW_PASSWORD }, ADDRESS, () => undefined)),
    ).to.contain('busy');
    await confirm(token);
    await enter(NEW_PASSWORD);
  });

  it('are for nobody where nobody has the address, and for nobody who signs in without a password', async () => {
    await requestPasswordReset(world.context, 'nobody@example.com', ADDRESS);
    const createdAt = new Date(world.clock.now());
    await world.stores.people.insert({ _id: 'per_sso', email: 'sso@example.com', createdAt });
    await requestPasswordReset(world.context, 'sso@example.com', ADDRESS);
    await world.round(sender);
    expect(server.connections()).to.equal(0);
    expect(await world.opened.database.collection('mails').countDocuments()).to.equal(0);
  });

  it('are asked for with the same work, whether or not somebody has the address', async () => {
    const writes: string[] = [];
    const spied = <T extends object>(store: T, name: string): T =>
      new Proxy(store, {
        get: (target, method) => {
          const member: unknown = Reflect.get(target, method);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => {
            writes.push(`${name}.${String(method)}`);
            return member.apply(target, args) as unknown;
          };
        },
      });
    const context = {
      ...world.context,
      people: spied(world.stores.people, 'people'),
      accounts: spied(world.stores.accounts, 'accounts'),
      mailLinks: spied(world.stores.mailLinks, 'mailLinks'),
    };
    await requestPasswordReset(context, ANN, ADDRESS);
    await requestPasswordReset(context, 'nobody@example.com', ADDRESS);
    expect(writes).to.deep.equal([]);

    // The times overlap: neither kind is always the faster one.
    await createAccount(world.context, { email: 'b@example.com', password: PASSWORD });
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let at = 0; at < 40; at++) {
      for (const kind of ['known', 'unknown'] as const) {
        const beganMs = systemClock.monotonicMs();
        const email = kind === 'known' ? (at % 2 === 0 ? ANN : 'b@example.com') : `nobody${at % 2}@example.com`;
        await failure(requestPasswordReset(context, email, `192.0.2.${at}`));
        times[kind].push(systemClock.monotonicMs() - beganMs);
      }
    }
    expect(Math.min(...times.known)).to.be.lessThan(Math.max(...times.unknown));
    expect(Math.min(...times.unknown)).to.be.lessThan(Math.max(...times.known));
  });

  it('come five times an hour to an address at most, also when nobody has it', async () => {
    for (const email of [ANN, 'nobody@example.com']) {
      const ends: string[] = [];
      for (let at = 0; at < 50; at++)
        ends.push(await failure(requestPasswordReset(world.context, email, `192.0.2.${at}`)));
      expect(ends.slice(0, 5)).to.deep.equal(Array<string>(5).fill('no failure'));
      expect(ends.slice(5).every((end) => end.startsWith('rate_limited: Too many mails'))).to.equal(true);
    }
    await world.round(sender);
    expect(server.received).to.have.length(5);
  });

  it('are asked for 20 times from one address of the network, and tried 100 times', async () => {
    const asked: string[] = [];
    for (let at = 0; at < 200; at++)
      asked.push(await failure(requestPasswordReset(world.context, `${at}@example.com`, ADDRESS)));
    expect(asked.filter((end) => end === 'no failure')).to.have.length(20);
    const tried: string[] = [];
    for (let at = 0; at < 1_000; at++) tried.push(await failure(confirm('pwr_wrong')));
    expect(tried.filter((end) => end.startsWith('not_found'))).to.have.length(100);
    expect(tried.at(-1)).to.contain('rate_limited');
  });

  it('verify an address, for 24 hours and any number of times', async () => {
    await welcomeByMail(world.context, ANN);
    const token = await mailedToken();
    expect(server.received[0]?.text).to.contain(`https://phones.example.com/verify#${token}`);
    expect(await failure(confirm(token))).to.contain('not_found');
    await verifyEmail(world.context, token, ADDRESS);
    await verifyEmail(world.context, token, ADDRESS);
    const { verifiedAt } = await person();
    expect(verifiedAt).to.deep.equal(new Date(world.clock.now()));
    // Who has verified the address gets no further mail.
    await requestVerification(world.context, await person());
    await world.round(sender);
    expect(server.received).to.have.length(1);
    world.clock.turn(24 * 60 * MINUTE_MS);
    expect(await failure(verifyEmail(world.context, token, ADDRESS))).to.contain('not_found');
  });

  it('are made by the operator without a mail server, and do not verify the address', async () => {
    const { path } = await passwordLink(world.context, await person());
    const token = path.replace('/reset#', '');
    await confirm(token);
    expect((await person()).verifiedAt).to.equal(undefined);
    await enter(NEW_PASSWORD);
    expect(server.connections()).to.equal(0);
  });

  it('are refused by a service without mail', async () => {
    const context = { ...world.context, mailQueue: undefined };
    expect(await failure(requestPasswordReset(context, ANN, ADDRESS))).to.contain(
      'bad_request: This service sends no mail',
    );
    await welcomeByMail(context, ANN);
    expect(await world.opened.database.collection('mails').countDocuments()).to.equal(0);
  });

  it('leave nothing in the database by which a reader could use them', async () => {
    const token = await resetToken();
    const collections = await Promise.all(
      ['mails', 'mailLinks', 'mailWindows'].map((name) => world.opened.database.collection(name).find().toArray()),
    );
    expect(JSON.stringify(collections)).not.to.contain(token);
    expect(JSON.stringify(collections)).not.to.contain(token.slice(4, 20));
  });
});
