import { expect } from 'chai';
import { type Clock, systemClock } from '../../../kit/clock.js';
import { type KeptPhone } from '../../phones/kept-phone.js';
import { keptPhone } from '../../testing/screen-world.js';
import { bootPhone, type RealPhone } from '../../testing/real-phone.js';
import { until } from '../../../testing/until.js';
import { UiautomatorTrees } from '../uiautomator-trees.js';

// On a whole simulated phone, with the APKs of the package.
describe('trees of the resident server', () => {
  let phone: RealPhone;
  let kept: KeptPhone;
  before(async () => (phone = await bootPhone()));
  beforeEach(() => {
    aheadMs = 0;
    kept = keptPhone(phone.port, {}, clock, phone.identity);
  });
  afterEach(async () => {
    await kept.resident.close();
    kept.close();
    phone.phone.faults.clear();
  });
  after(() => phone.close());

  /** The system's clock, which the test can put forward. */
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
  const call = { signal: new AbortController().signal };
  const processes = () => phone.shell('pidof io.appium.uiautomator2.server');
  const tree = async () => (await kept.trees.next(call)).tree;

  /** Allows the server and waits until it runs. */
  async function run(): Promise<void> {
    kept.resident.allow(true);
    await until(async () => {
      await kept.trees.next(call);
      return kept.resident.isRunning;
    });
  }

  it('are dumps where it is not allowed, and nothing is installed', async () => {
    expect((await tree())?.roots).to.have.length(1);
    expect(await phone.shell('pm list packages io.appium')).to.equal('');
  });

  it('are dumps until it is installed, then the same trees, without the wait of a dump', async () => {
    kept.resident.allow(true);
    expect((await tree())?.roots).to.have.length(1);
    await run();
    phone.phone.faults.treeDelayMs = 600_000;
    const resident = await tree();
    await kept.resident.release();
    phone.phone.faults.treeDelayMs = 0;
    const { tree: dumped } = await new UiautomatorTrees(kept).next(call);
    expect(resident).to.deep.equal(dumped);
  });

  it('are dumps again at once when another program takes the connection, and its run goes on', async () => {
    await run();
    expect(await phone.shell('uiautomator dump /dev/tty')).to.contain('</hierarchy>');
    expect((await tree())?.roots).to.have.length(1);
    expect(kept.resident.isRunning).to.equal(false);
    // It rests: what took the connection may still be at work.
    await tree();
    expect(await processes()).to.equal('');
  });

  it('are tried again after a pause that grows with each loss', async () => {
    await run();
    const lose = () => kept.resident.lose(new Error('lost'));
    const connect = () => kept.resident.connect(call.signal);
    for (const pauseMs of [10_000, 20_000, 40_000]) {
      await lose();
      aheadMs += pauseMs - 1_000;
      expect(await connect()).to.equal(false);
      aheadMs += 1_000;
      expect(await connect()).to.equal(true);
    }
    // One that has lasted is as good as the first.
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
    kept.resident.allow(true);
    await until(() => phone.phone.machine.sockets.find('tcp:6790') !== undefined);
    await kept.resident.connect(call.signal);
    await until(() => kept.resident.isInstalled);
    const pid = await processes();
    expect(await kept.resident.connect(call.signal)).to.equal(false);
    await kept.resident.close();
    expect(await processes()).to.equal(pid);
    await phone.shell('am force-stop io.appium.uiautomator2.server');
    await theirs;
  });

  it('take over from an earlier process of the service that was killed', async () => {
    await run();
    const earlier = kept;
    kept = keptPhone(phone.port, {}, clock, phone.identity);
    await run();
    expect(earlier.resident.isRunning).to.equal(false);
  });

  it('leave nothing running when it is released or no longer allowed', async () => {
    await run();
    await kept.resident.release();
    expect(await processes()).to.equal('');
    await tree();
    expect(kept.resident.isRunning).to.equal(false);
    await run();
    kept.resident.allow(false);
    await until(async () => (await processes()) === '');
  });

  it('do not turn on a display that is off', async () => {
    await phone.shell('input keyevent 223');
    kept.resident.allow(true);
    expect(await kept.resident.connect(call.signal)).to.equal(false);
    await until(async () => (await kept.resident.connect(call.signal)) || kept.resident.isInstalled);
    expect(await kept.resident.connect(call.signal)).to.equal(false);
    await phone.shell('input keyevent 224');
    expect(await kept.resident.connect(call.signal)).to.equal(true);
  });
});

const COMPONENT = 'io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner';
