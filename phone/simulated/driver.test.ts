import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../kit/clock.js';
import { createLog } from '../../kit/log.js';
import { SimulatedDriver } from './driver.js';
import { linkToProcess } from './host/simulator-link.js';

const PHONE = {
  phoneId: 'ph_1',
  name: 'one',
  model: 'phone-720p',
  android: '14',
  exit: { type: 'direct', country: 'us', timezone: 'America/New_York' },
};

describe('SimulatedDriver', function () {
  this.timeout(30_000);
  let directory: string;
  let driver: SimulatedDriver;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-driver-'));
    const environment = { PATH: process.env['PATH'], SIMULATED_BOOT_MS: '300' };
    const link = linkToProcess({ directory, clock: systemClock, environment });
    const log = createLog({ level: 'silent', pretty: false });
    driver = new SimulatedDriver({ link, clock: systemClock, log, phonesOutliveDriver: false });
    await driver.open();
  });

  afterEach(async () => {
    await driver.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function killSimulator(): void {
    const { pid } = JSON.parse(readFileSync(join(directory, 'lock'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
  }

  it('boots a phone although the simulator is killed while it boots', async () => {
    await driver.create(PHONE);
    let killed = false;
    const endpoint = await driver.start('ph_1', {
      onProgress: () => {
        if (killed) return;
        killed = true;
        killSimulator();
      },
    });
    expect(killed).to.equal(true);
    expect(await driver.inspect('ph_1')).to.deep.equal({ state: 'running', endpoint });
  });

  it('does what it is asked right after the simulator was killed', async () => {
    await driver.create(PHONE);
    killSimulator();
    await driver.stop('ph_1', 'save');
    expect(await driver.inspect('ph_1')).to.deep.equal({ state: 'stopped' });
  });
});
