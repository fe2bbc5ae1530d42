import { expect } from 'chai';
import { freePort } from '../../../testing/free-port.js';
import { openMailWorld, type MailWorld } from '../../../testing/mail-world.js';
import { openTestMail, smtpError, type TestMailServer } from '../../../testing/mail-server.js';
import { selfSigned } from '../../../testing/self-signed.js';
import { until } from '../../../testing/until.js';
import type { DueMails } from './due-mails.js';
import type { Queued } from '../mail/mail-queue.js';

const HOUR_MS = 3_600_000;

describe('due mails', () => {
  let world: MailWorld;
  let server: TestMailServer | undefined;

  beforeEach(async () => (world = await openMailWorld()));
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await world.close();
  });

  async function accountId(): Promise<string> {
    return (await world.stores.accounts.findByEmail('ann@example.com'))?._id ?? '';
  }

  async function queueNotice(about = 'dev_1', to = 'ann@example.com'): Promise<Queued> {
    const once = { about, windowMs: 6 * HOUR_MS };
    return world.queue.add({ kind: 'attention', to, accountId: await accountId(), data: { device: 'demo' }, once });
  }

  /** Turns the clock on in steps of a minute, with a round after each. */
  async function rounds(sender: DueMails, minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      world.clock.turn(60_000);
      await world.round(sender);
    }
  }

  async function waiting(): Promise<number> {
    return (await world.stores.mails.measure(1_000)).queued;
  }

  it('are sent once, with their words and without a trace of the token', async () => {
    server = await openTestMail();
    const sender = await world.sender(server);
    expect(await queueNotice()).to.equal('queued');
    await world.round(sender);
    await world.round(sender);
    const [mail] = server.received;
    expect(server.received).to.have.length(1);
    expect(mail?.to).to.deep.equal(['ann@example.com']);
    expect(mail?.subject).to.equal('The device demo needs attention');
    expect(mail?.text).to.match(/^Auto-Submitted: auto-generated/m);
    expect(mail?.messageId).to.match(/^mail_.*@example\.com$/);
    expect(await waiting()).to.equal(0);
    expect(sender.problems).to.deep.equal([]);
  });

  it('come once within their window, and again after it', async () => {
    server = await openTestMail();
    const sender = await world.sender(server);
    for (let at = 0; at < 10; at++) await queueNotice();
    await world.round(sender);
    expect(await queueNotice()).to.equal('known');
    expect(await queueNotice('dev_2')).to.equal('queued');
    await world.round(sender);
    world.clock.turn(6 * HOUR_MS - 1);
    expect(await queueNotice()).to.equal('known');
    world.clock.turn(1);
    expect(await queueNotice()).to.equal('queued');
    await world.round(sender);
    expect(server.received.map(({ subject }) => subject)).to.have.length(3);
  });

  it('are tried again later where the server does not take them now, with the same Message-ID', async () => {
    const tried: string[] = [];
    server = await openTestMail({
      content: ({ messageId }) => {
        tried.push(messageId);
        if (tried.length <= 3) throw smtpError(451);
      },
    });
    const sender = await world.sender(server);
    await queueNotice();
    await world.round(sender);
    expect(tried).to.have.length(1);
    // The next attempt is not due yet.
    await world.round(sender);
    expect(tried).to.have.length(1);
    await rounds(sender, 5);
    expect(tried).to.have.length(4);
    expect(new Set(tried).size).to.equal(1);
    expect(server.received).to.have.length(1);
    expect(sender.problems).to.deep.equal([]);
  });

  it('end at a refusal for good, of the recipient or of the content', async () => {
    let attempts = 0;
    server = await openTestMail({
      recipient: (to) => {
        attempts++;
        if (to.startsWith('gone')) throw smtpError(550);
      },
      content: () => {
        throw smtpError(554);
      },
    });
    const sender = await world.sender(server);
    await queueNotice('dev_1', 'gone@example.com');
    await queueNotice('dev_2');
    await rounds(sender, 60);
    expect(attempts).to.equal(2);
    expect(await waiting()).to.equal(0);
    expect(await world.metrics.metrics()).to.contain('mail_attempts_total{kind="attention",outcome="refused"} 2');
  });

  it('wait for a server that is away, try it seldom, and are sent when it is back', async () => {
    const port = await freePort();
    const sender = await world.sender({ port });
    for (let at = 0; at < 20; at++) await queueNotice(`dev_${at}`);
    await world.round(sender);
    expect(sender.problems[0]).to.contain('admin mail test');
    await rounds(sender, 30);
    expect(await waiting()).to.equal(20);
    server = await openTestMail({ port });
    await rounds(sender, 30);
    expect(new Set(server.received.map(({ messageId }) => messageId)).size).to.equal(20);
    expect(server.received).to.have.length(20);
    expect(sender.problems).to.deep.equal([]);
  });

  it('wait for a login that the operator corrects', async () => {
    server = await openTestMail({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) => {
        done(password === 'right' ? null : smtpError(535), { user: 'ann' });
      },
    });
    await queueNotice();
    const wrong = await world.sender({ ...server, login: { user: 'ann', pass: 'wrong' } });
    await world.round(wrong);
    expect(wrong.problems).to.have.length(1);
    expect(wrong.problems.join()).not.to.contain('wrong');
    world.clock.turn(60_000);
    await world.round(await world.sender({ ...server, login: { user: 'ann', pass: 'right' } }));
    expect(server.received).to.have.length(1);
  });

  it('are given up after a day', async () => {
    const sender = await world.sender({ port: await freePort() });
    await queueNotice();
    for (let hour = 0; hour < 26; hour++) await rounds(sender, 1).then(() => world.clock.turn(HOUR_MS));
    await world.round(sender);
    expect(await waiting()).to.equal(0);
    expect(await world.metrics.metrics()).to.contain('mail_attempts_total{kind="attention",outcome="given_up"} 1');
  });

  it('cut an attempt at a server that takes too long', async () => {
    let held = 0;
    server = await openTestMail({ content: () => new Promise(() => held++) });
    const sender = await world.sender(server, world.clock);
    await queueNotice();
    const round = world.round(sender);
    await until(() => held === 1);
    world.clock.turn(60_000);
    await round;
    expect(sender.problems.join()).to.contain('no end within 60 s');
    expect(await waiting()).to.equal(1);
  });

  it('go to a server with TLS, from the first byte and by STARTTLS, whose certificate is trusted', async () => {
    const { key, cert } = selfSigned();
    for (const [secure, tls] of [
      [true, 'always'],
      [false, 'starttls'],
    ] as const) {
      const trusted = await openTestMail({ key, cert, secure, disabledCommands: [] });
      await queueNotice(tls);
      const sender = await world.sender({ port: trusted.port, tls, host: 'localhost' });
      await world.round(sender);
      expect(trusted.received).to.deep.equal([]);
      expect(sender.problems.join()).to.match(/self-signed certificate/i);
      world.clock.turn(HOUR_MS);
      await world.round(await world.sender({ port: trusted.port, tls, host: 'localhost', ca: cert }));
      expect(trusted.received).to.have.length(1);
      await trusted.close();
    }
  });

  it('do not go to a server that offers no STARTTLS', async () => {
    server = await openTestMail();
    await queueNotice();
    const sender = await world.sender({ ...server, tls: 'starttls' });
    await world.round(sender);
    expect(server.received).to.deep.equal([]);
    expect(sender.problems).to.have.length(1);
  });

  it('are sent once by senders of several processes, over few connections', async () => {
    let open = 0;
    let most = 0;
    server = await openTestMail({
      content: async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
      },
    });
    for (let at = 0; at < 60; at++) await queueNotice(`dev_${at}`);
    const senders = await Promise.all([world.sender(server), world.sender(server), world.sender(server)]);
    await Promise.all(senders.map((sender) => world.round(sender)));
    expect(server.received).to.have.length(60);
    expect(new Set(server.received.map(({ messageId }) => messageId)).size).to.equal(60);
    expect(most).to.be.at.most(12);
  });
});
