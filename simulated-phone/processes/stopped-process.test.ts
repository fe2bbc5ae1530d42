import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { until } from '../../testing/until.js';
import type { SimulatedDriver } from '../driver.js';
import { processFolder } from '../host/process-folder.js';
import { openSimulatedDriver } from '../open-driver.js';

/** Two phones that belong to different processes. */
const [STOPPED, WELL] = ['ph_1', 'ph_0'] as const;

describe('a simulator process that is stopped by a signal', function () {
  this.timeout(90_000);
  let directory: string;
  let driver: SimulatedDriver;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-stopped-'));
    driver = await open();
    for (const phoneId of [STOPPED, WELL]) {
      await driver.create({ phoneId, name: 'one', model: 'phone-720p', android: '14', exit: { type: 'direct', country: 'us', timezone: 'UTC' } }); // prettier-ignore
      await driver.start(phoneId);
    }
  });
  afterEach(() => process.kill(pidOf(0), 'SIGCONT'));
  after(async () => {
    const pids = [pidOf(0), pidOf(1)];
    await driver.close();
    await until(() => !pids.some(isAlive), 30_000);
    rmSync(directory, { recursive: true, force: true });
  });

  function open({ outlive = false } = {}): Promise<SimulatedDriver> {
    const environment = { PATH: process.env['PATH'], SIMULATED_BOOT_MS: '50', SIMULATED_PROCESSES: '2' };
    return openSimulatedDriver({ directory, environment, clock: systemClock, log: silentLog, phonesOutliveDriver: outlive }); // prettier-ignore
  }

  function pidOf(index: number): number {
    const lock = readFileSync(join(processFolder(directory, index), 'lock'), 'utf8');
    return (JSON.parse(lock) as { pid: number }).pid;
  }

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  async function states(): Promise<Record<string, string>> {
    return Object.fromEntries([...(await driver.list())].map(([phoneId, { state }]) => [phoneId, state]));
  }

  it('leaves the states of its own phones unknown, and of no others, until it goes on', async () => {
    process.kill(pidOf(0), 'SIGSTOP');
    expect(await states()).to.deep.equal({ [STOPPED]: 'unknown', [WELL]: 'running' });
    process.kill(pidOf(0), 'SIGCONT');
    await until(async () => (await states())[STOPPED] === 'running', 30_000);
  });

  it('does so also for a driver that finds it like that, as after a crash of the service', async () => {
    process.kill(pidOf(0), 'SIGSTOP');
    const second = await open({ outlive: true });
    try {
      expect((await second.list()).get(STOPPED)).to.deep.equal({ state: 'unknown' });
      process.kill(pidOf(0), 'SIGCONT');
      await until(async () => (await second.list()).get(STOPPED)?.state === 'running', 30_000);
    } finally {
      await second.close();
    }
  });
});
