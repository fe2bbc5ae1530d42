import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import type { PhoneChange } from '../driver.js';
import { inNamespace } from './namespace.js';
import { emulatorEnvironment } from './command-line.js';
import { findPhoneProcesses } from './phone-processes.js';
import { readRun } from './run-record.js';
import { EmulatorWorld, needsNamespaces } from './testing/emulator-world.js';

describe('phones in the emulator after a crash', () => {
  let world: EmulatorWorld;
  let watching: AbortController;
  let changes: PhoneChange[];

  before(async function () {
    await needsNamespaces(this);
  });
  beforeEach(async () => {
    world = new EmulatorWorld();
    await world.driver.open();
    watch();
  });
  afterEach(async () => {
    watching.abort();
    await world.close();
  });

  function watch(): void {
    changes = [];
    watching = new AbortController();
    const [into, { signal }] = [changes, watching];
    void (async () => {
      for await (const change of world.driver.watch(signal)) into.push(change);
    })();
  }

  async function restartService(): Promise<void> {
    watching.abort();
    await world.restart();
    watch();
  }

  const processes = (phoneId: string): number[] => findPhoneProcesses().get(world.folder(phoneId)) ?? [];
  const supervisorOf = (phoneId: string): number => readRun(world.folder(phoneId))?.owner.pid ?? 0;
  /** The emulator is the child of its supervisor. */
  const emulatorOf = (phoneId: string): number => {
    const supervisor = supervisorOf(phoneId);
    return Number(readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8').trim().split(' ')[0]);
  };

  it('of the service run on, with the same identity and port, and are watched by the next one', async () => {
    await world.driver.create(world.spec('ph_a'));
    const endpoint = await world.driver.start('ph_a');
    await restartService();
    expect(await world.driver.inspect('ph_a')).to.deep.equal({ state: 'running', endpoint });
    expect(await world.driver.start('ph_a')).to.deep.equal(endpoint);
    process.kill(emulatorOf('ph_a'), 'SIGKILL');
    await until(() => changes.length > 0);
    expect(changes).to.deep.equal([{ phoneId: 'ph_a', reason: 'The emulator ended by SIGKILL.' }]);
    expect(await world.driver.inspect('ph_a')).to.deep.equal({
      state: 'stopped',
      reason: 'The emulator ended by SIGKILL.',
    });
  });

  it('of their emulator are reported, and start with the locks that it left', async () => {
    await world.driver.create(world.spec('ph_a'));
    const { identity } = await world.driver.start('ph_a');
    process.kill(emulatorOf('ph_a'), 'SIGKILL');
    await until(() => changes.length > 0);
    const again = await world.driver.start('ph_a');
    expect(again.identity).not.to.equal(identity);
    expect(again.identity.split('/')[0]).to.equal(identity.split('/')[0]);
  });

  it('that damaged their disk are off with the reason, until a snapshot is restored', async () => {
    const { driver } = world;
    await driver.create(world.spec('ph_a'));
    await driver.start('ph_a');
    await driver.stop('ph_a', 'save');
    await driver.snapshots.take('ph_a', 'sn_a');
    const overlay = join(world.folder('ph_a'), 'data', 'userdata-qemu.img.qcow2');
    const damage = (): void => appendFileSync(overlay, 'damaged');
    damage();
    // The files are not checked, as the emulator ended in order.
    const start = (): Promise<string> => driver.start('ph_a').then(() => 'started', (error: unknown) => (error as Error).message); // prettier-ignore
    expect(await start()).to.contain('Could not open backing file');
    expect(await start()).to.match(
      /^The phone's disk was damaged when it lost its power\. Restore one of its snapshots/,
    );
    await driver.snapshots.restore('ph_a', 'sn_a');
    expect(await start()).to.equal('started');
  });

  it('of their supervisor are off, with all that it had started', async () => {
    world.sdk.behave({ leavesProcess: true });
    await world.driver.create(world.spec('ph_a'));
    await world.driver.start('ph_a');
    expect(processes('ph_a')).to.have.length(3);
    process.kill(supervisorOf('ph_a'), 'SIGKILL');
    await until(() => changes.length > 0);
    expect(changes[0]?.reason).to.equal('its emulator was killed');
    await until(() => processes('ph_a').length === 0);
    expect(await world.driver.inspect('ph_a')).to.deep.equal({
      state: 'stopped',
      reason: 'The emulator and its supervisor were killed.',
    });
    await world.driver.start('ph_a');
  });

  it('that left processes behind have none once they are stopped or deleted', async () => {
    world.sdk.behave({ leavesProcess: true });
    for (const phoneId of ['ph_a', 'ph_b']) {
      await world.driver.create(world.spec(phoneId));
      await world.driver.start(phoneId);
    }
    await world.driver.stop('ph_a', 'save');
    expect(processes('ph_a')).to.deep.equal([]);
    await world.driver.delete('ph_b');
    expect(processes('ph_b')).to.deep.equal([]);
  });

  it('whose folder is gone are ended by the next service, and phones of other services are not', async () => {
    const other = new EmulatorWorld();
    try {
      await other.driver.open();
      for (const one of [world, other]) {
        await one.driver.create(one.spec('ph_a'));
        await one.driver.start('ph_a');
      }
      renameSync(world.folder('ph_a'), `${world.directory}/moved`);
      await restartService();
      expect(processes('ph_a')).to.deep.equal([]);
      expect((await other.driver.inspect('ph_a')).state).to.equal('running');
    } finally {
      await other.close();
    }
  });

  it('that are given up while they start leave nothing, and start again', async () => {
    await world.driver.create(world.spec('ph_a'));
    const givenUp = new AbortController();
    const starting = world.driver.start('ph_a', { signal: givenUp.signal }).catch((error: unknown) => error);
    await until(() => processes('ph_a').length > 0);
    givenUp.abort(new Error('given up'));
    expect(await starting).to.have.property('message', 'given up');
    await world.driver.start('ph_a');
    // The supervisor and its emulator.
    expect(processes('ph_a')).to.have.length(2);
  });

  it('of a service that ended before it sent the plan leave no supervisor', async () => {
    await world.driver.create(world.spec('ph_a'));
    const folder = world.folder('ph_a');
    const seen = `${world.data}/phone`;
    mkdirSync(seen, { recursive: true });
    const supervisor = fileURLToPath(new URL('supervisor/main.js', import.meta.url));
    const [command, words] = inNamespace({ folder, seen, isRoot: process.getuid?.() === 0 }, [
      process.execPath,
      supervisor,
    ]);
    const env = emulatorEnvironment({ folder, seen, androidHome: world.sdk.path }, world.environment);
    const child = spawn(command, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env, detached: true });
    child.disconnect();
    await until(() => child.exitCode !== null);
    expect(child.exitCode).not.to.equal(0);
    expect(processes('ph_a')).to.deep.equal([]);
  });

  it('of the host are off, and start', async () => {
    await world.driver.create(world.spec('ph_a'));
    await world.driver.start('ph_a');
    for (const pid of processes('ph_a')) process.kill(pid, 'SIGKILL');
    await until(() => processes('ph_a').length === 0);
    // Its record was in memory.
    rmSync(`${world.folder('ph_a')}/run.json`);
    await restartService();
    expect(await world.driver.inspect('ph_a')).to.deep.equal({ state: 'stopped', reason: 'it went off' });
    await world.driver.start('ph_a');
  });
});
