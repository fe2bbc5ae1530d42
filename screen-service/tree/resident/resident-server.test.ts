import { expect } from 'chai';
import { type Clock, systemClock } from '../../../kit/async/clock.js';
import { type PhoneSession } from '../../phones/phone-session.js';
import { openTestSession } from '../../testing/screen-world.js';
import { bootPhone, type RealPhone } from '../../testing/real-phone.js';
import { until } from '../../../testing/until.js';
import { UiautomatorTrees } from '../uiautomator-trees.js';

// The tests run on a whole simulated phone, with the APKs of the package.
describe('trees of the resident server', () => {
  let phone: RealPhone;
  let phoneSession: PhoneSession;
  before(async () => (phone = await bootPhone()));
  beforeEach(() => {
    aheadMs = 0;
    phoneSession = openTestSession(phone.port, {}, clock, phone.identity);
  });
  afterEach(async () => {
    await phoneSession.resident.close();
    phoneSession.close();
    phone.phone.faults.clear();
  });
  after(() => phone.close());

  /** The system's clock, which the test can put forward. */
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
  const call = { signal: new AbortController().signal };
  const processes = () => phone.shell('pidof io.appium.uiautomator2.server');
  const tree = async () => (await phoneSession.trees.next(call)).tree;

  /** Allows the server and waits until it runs. */
  async function run(): Promise<void> {
    phoneSession.resident.allow(true);
    await until(async () => {
      await phoneSession.trees.next(call);
      return phoneSession.resident.isRunning;
    });
  }

  it('are dumps where it is not allowed, and nothing is installed', async () => {
    expect((await tree())?.roots).to.have.length(1);
    expect(await phone.shell('pm list packages io.appium')).to.equal('');
  });

  it('are dumps until it is installed, then the same trees, without the wait of a dump', async () => {
    phoneSession.resident.allow(true);
    expect((await tree())?.roots).to.have.length(1);
    await run();
    phone.phone.faults.treeDelayMs = 600_000;
    const resident = await tree();
    await phoneSession.resident.release();
    phone.phone.faults.treeDelayMs = 0;
    const { tree: dumped } = await new UiautomatorTrees(phoneSession).next(call);
    expect(resident).to.deep.equal(dumped);
  });

  it('are dumps again at once when another program takes the connection, and its run goes on', async () => {
    await run();
    expect(await phone.shell('uiautomator dump /dev/tty')).to.contain('</hierarchy>');
    expect((await tree())?.roots).to.have.length(1);
    expect(phoneSession.resident.isRunning).to.equal(false);
    // The server rests, as the program that took the connection may still be at work.
    await tree();
    expect(await processes()).to.equal('');
  });

  it('are tried again after a pause that grows with each loss', async () => {
    await run();
    const lose = () => phoneSession.resident.lose(new Error('lost'));
    const connect = () => phoneSession.resident.connect(call.signal);
    for (const pauseMs of [10_000, 20_000, 40_000]) {
      await lose();
      aheadMs += pauseMs - 1_000;
      expect(await connect()).to.equal(false);
      aheadMs += 1_000;
      expect(await connect()).to.equal(true);
    }
    // The pause after a start that has lasted is as short as after the first one.
    aheadMs += 120_000;
    await lose();
    aheadMs += 10_000;
    expect(await connect()).to.equal(true);
  });

  it('are dumps at once when the server fails, which then has ended', async () => {
    await run();
    phone.phone.faults.lie = 'source-error';
    expect((await tree())?.roots).to.have.length(1);
    expect(await processes()).to.equal('');
  });

  it('leave a server alone that another client has started', async () => {
    const theirs = phone.shell(`am instrument -w ${COMPONENT}`);
    await until(async () => (await processes()) !== '');
    phoneSession.resident.allow(true);
    await until(() => phone.phone.machine.sockets.find('tcp:6790') !== undefined);
    await phoneSession.resident.connect(call.signal);
    await until(() => phoneSession.resident.isInstalled);
    const pid = await processes();
    expect(await phoneSession.resident.connect(call.signal)).to.equal(false);
    await phoneSession.resident.close();
    expect(await processes()).to.equal(pid);
    await phone.shell('am force-stop io.appium.uiautomator2.server');
    await theirs;
  });

  it('take over from an earlier process of the service that was killed', async () => {
    await run();
    const earlier = phoneSession;
    phoneSession = openTestSession(phone.port, {}, clock, phone.identity);
    await run();
    expect(earlier.resident.isRunning).to.equal(false);
  });

  it('leave nothing running when it is released or no longer allowed', async () => {
    await run();
    await phoneSession.resident.release();
    expect(await processes()).to.equal('');
    await tree();
    expect(phoneSession.resident.isRunning).to.equal(false);
    await run();
    phoneSession.resident.allow(false);
    await until(async () => (await processes()) === '');
  });

  it('do not turn on a display that is off', async () => {
    await phone.shell('input keyevent 223');
    phoneSession.resident.allow(true);
    expect(await phoneSession.resident.connect(call.signal)).to.equal(false);
    await until(async () => (await phoneSession.resident.connect(call.signal)) || phoneSession.resident.isInstalled);
    expect(await phoneSession.resident.connect(call.signal)).to.equal(false);
    await phone.shell('input keyevent 224');
    expect(await phoneSession.resident.connect(call.signal)).to.equal(true);
  });
});

const COMPONENT = 'io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner';
