import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { ApiError } from '../../../kit/errors/api-error.js';
import { silentLog } from '../../../kit/log/log.js';
import { receiveErrors } from '../../../kit/rpc/error-crossing.js';
import { EventService } from '../../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { type MailWorld, openMailWorld, PASSWORD } from '../../../testing/mail-world.js';
import type { MailDocument } from '../../store/mails.js';
import type { RoleWord } from '../../store/members.js';
import type { ProblemKind } from '../../store/problem-kinds.js';
import { publishDeviceEvents } from '../../history/events/device-events.js';
import { credit } from '../billing/credit.js';
import { createAccount } from '../people/sign-up.js';
import { notifyLowBalances } from './notify-low-balances.js';
import { notifyProblem } from './notify-problem.js';

const DAY_MS = 86_400_000;

describe('notices', () => {
  let world: MailWorld;
  let accountId: string;

  beforeEach(async () => {
    world = await openMailWorld();
    accountId = (await world.stores.accounts.findByEmail('ann@example.com'))?._id ?? '';
    await addMember('admin@example.com', 'admin');
    await addMember('tester@example.com', 'operator');
  });
  afterEach(() => world.close());

  async function addMember(email: string, role: RoleWord): Promise<void> {
    const own = await createAccount(world.context, { email, password: PASSWORD });
    const personId = own._id.replace('acc_', 'per_');
    const createdAt = new Date(world.clock.now());
    await world.stores.members.insert({ _id: `mem_${email}`, accountId, personId, role, devices: ['*'], createdAt });
  }

  function problem(phoneId: string, kind: ProblemKind, message = 'Restart it.'): Promise<void> {
    const device = { _id: phoneId, accountId, name: phoneId };
    const since = new Date(world.clock.now());
    return notifyProblem(world.context, device, { type: 'health.problem', problem: { kind, message, since } });
  }

  async function queued(): Promise<string[]> {
    const mails = await world.opened.database.collection<MailDocument>('mails').find().toArray();
    return mails.map(({ kind, to, data }) => `${kind} ${data['device'] ?? ''} ${to}`).sort();
  }

  it('about a device that needs attention go to owners and admins, once in 6 hours', async () => {
    for (let at = 0; at < 10; at++) await problem('one', at % 2 === 0 ? 'adb' : 'screen');
    await problem('two', 'start');
    expect(await queued()).to.deep.equal([
      'attention one admin@example.com',
      'attention one ann@example.com',
      'attention two admin@example.com',
      'attention two ann@example.com',
    ]);
  });

  it('are queued before the event of the problem is published, and once though it is published again', async () => {
    const since = new Date(world.clock.now());
    const event = {
      id: 'evt_1',
      type: 'health.problem',
      at: since,
      problem: { kind: 'adb', message: 'x', since },
    } as const;
    await world.stores.devices.insert(deviceDocument({ accountId, deviceEvents: [event] }));
    const away = createRouterTransport((router) =>
      router.service(EventService, {
        record: () => {
          throw new ConnectError('away', Code.Unavailable);
        },
      }),
    );
    const events = createClient(EventService, receiveErrors(away, 'the webhook service'));
    const sources = { ...world.stores, mailQueue: world.queue, log: silentLog };
    const { signal } = new AbortController();
    for (let at = 0; at < 3; at++) {
      const end = await publishDeviceEvents({ ...sources, events }, signal).catch((error: unknown) => error);
      expect(end).to.be.instanceOf(ApiError);
    }
    await publishDeviceEvents({ ...sources, events: undefined }, signal);
    expect(await queued()).to.deep.equal(['attention one admin@example.com', 'attention one ann@example.com']);
    expect((await world.stores.devices.findById('ph_1'))?.deviceEvents ?? []).to.deep.equal([]);
  });

  it('about the balance are one for all devices that stop', async () => {
    for (const device of ['one', 'two', 'three']) await problem(device, 'balance', 'The device was stopped.');
    expect(await queued()).to.deep.equal(['balance one admin@example.com', 'balance one ann@example.com']);
  });

  it('can be switched off, each kind by itself', async () => {
    await world.stores.accounts.setChoices(accountId, { 'mail.attention': false });
    await problem('one', 'adb');
    await problem('one', 'balance');
    expect(await queued()).to.deep.equal(['balance one admin@example.com', 'balance one ann@example.com']);
    await world.stores.accounts.setChoices(accountId, { 'mail.balance': false });
    await problem('two', 'balance');
    expect(await queued()).to.have.length(2);
  });

  it('are none for the end of a problem, a device that is gone, and an account that is disabled', async () => {
    const event = { problem: { kind: 'adb', message: 'x', since: new Date() } } as const;
    const device = { _id: 'one', accountId, name: 'one' };
    await notifyProblem(world.context, device, { ...event, type: 'health.resolved' });
    await notifyProblem(world.context, { ...device, gone: true }, { ...event, type: 'health.problem' });
    await world.stores.accounts.setDisabled(accountId, new Date());
    await problem('one', 'adb');
    expect(await queued()).to.deep.equal([]);
  });

  it('of one account are 100 a day, however many devices fail', async () => {
    for (let at = 0; at < 500; at++) await problem(`dev_${at}`, 'adb');
    expect(await queued()).to.have.length(100);
    world.clock.turn(DAY_MS);
    await problem('later', 'adb');
    expect(await queued()).to.have.length(102);
  }).timeout(120_000);

  it('come before the balance is used up, while what runs costs more than is left for a day', async () => {
    const running = deviceDocument({
      _id: 'dev_1',
      accountId,
      state: 'running',
      plan: 'minute',
      startedAt: new Date(world.clock.now()),
    });
    await world.stores.devices.insert(running);
    const check = (): Promise<void> => notifyLowBalances(world.context, new AbortController().signal);
    // A day of one device costs 5.76 USD.
    await credit(world.context, accountId, 6_000_000, 'one');
    await check();
    expect(await queued()).to.deep.equal([]);
    await world.stores.devices.insert({ ...running, _id: 'dev_2', name: 'two', nameKey: 'two' });
    await check();
    await check();
    expect(await queued()).to.deep.equal(['low_balance  admin@example.com', 'low_balance  ann@example.com']);
  });

  it('come before the balance is used up also where the trial was begun and is not over', async () => {
    const trial = { state: 'active', phoneId: 'dev_0' };
    await world.opened.database.collection('accounts').updateOne({ email: 'ann@example.com' }, { $set: { trial } });
    const startedAt = new Date(world.clock.now());
    const running = { _id: 'dev_1', accountId, state: 'running', plan: 'minute', startedAt } as const;
    await world.stores.devices.insert(deviceDocument(running));
    const check = (): Promise<void> => notifyLowBalances(world.context, new AbortController().signal);
    await check();
    expect(await queued(), 'on the trial alone').to.deep.equal([]);
    await credit(world.context, accountId, 1_000_000, 'one');
    await check();
    expect(await queued()).to.have.length(2);
  });
});
