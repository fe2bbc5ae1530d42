import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import type { PhoneEndpoint } from '../driver.js';
import { findPhoneProcesses } from './phone-processes.js';
import { writeRun } from './run-record.js';
import { EmulatorWorld, MODEL, needsNamespaces } from './testing/emulator-world.js';

describe('phones in the emulator', () => {
  let world: EmulatorWorld;

  before(async function () {
    await needsNamespaces(this);
  });
  beforeEach(async () => {
    world = new EmulatorWorld();
    await world.driver.open();
  });
  afterEach(() => world.close());

  const failure = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'it did not fail',
      (error: unknown) => (error as Error).message,
    );
  const processes = (phoneId: string): number[] => findPhoneProcesses().get(world.folder(phoneId)) ?? [];
  const log = (phoneId: string): string => readFileSync(join(world.folder(phoneId), 'emulator.log'), 'utf8');

  async function started(phoneId: string): Promise<PhoneEndpoint> {
    await world.driver.create(world.spec(phoneId));
    return world.driver.start(phoneId);
  }

  it('are made, booted, stopped and deleted, each of it twice, and leave nothing', async () => {
    const { driver } = world;
    await driver.create(world.spec('ph_a'));
    await driver.create(world.spec('ph_a'));
    expect(await driver.inspect('ph_a')).to.deep.equal({ state: 'stopped' });
    // The port of its last start: one that no outgoing connection of this machine takes meanwhile.
    const port = await freePort();
    const owner = { pid: 1, host: 'another', started: '' };
    writeRun(world.folder('ph_a'), { owner, host: '127.0.0.1', port, ended: 'It ended.', inOrder: true });
    const endpoint = await driver.start('ph_a');
    expect(endpoint.port).to.equal(port);
    expect(await driver.start('ph_a')).to.deep.equal(endpoint);
    expect(await driver.inspect('ph_a')).to.deep.equal({ state: 'running', endpoint });
    expect(await driver.list()).to.deep.equal(new Map([['ph_a', { state: 'running', endpoint }]]));
    expect(await world.shell(endpoint, 'getprop ro.boot.qemu.avd_name')).to.equal('ph_a');
    await driver.stop('ph_a', 'save');
    await driver.stop('ph_a', 'save');
    expect(log('ph_a'), 'by its Android').to.contain('The emulator ended with status 0.').and.not.contain('SIGTERM');
    expect(await driver.inspect('ph_a')).to.deep.equal({ state: 'stopped' });
    const again = await driver.start('ph_a');
    expect(again.port).to.equal(port);
    expect(again.identity).not.to.equal(endpoint.identity);
    await driver.delete('ph_a');
    await driver.delete('ph_a');
    expect(await driver.inspect('ph_a')).to.deep.equal({ state: 'absent' });
    expect(processes('ph_a')).to.deep.equal([]);
    expect(readdirSync(join(world.data, 'phones'))).to.deep.equal(['.scratch']);
  });

  it('differ in their identity, and keep what was written', async () => {
    const [one, other] = await Promise.all([started('ph_a'), started('ph_b')]);
    expect(one.port).not.to.equal(other.port);
    expect(one.identity.split('/')[0]).not.to.equal(other.identity.split('/')[0]);
    await world.shell(one, 'echo mine > /sdcard/file');
    expect(await world.shell(other, 'cat /sdcard/file 2>&1')).to.contain('No such file');
    await world.driver.stop('ph_a', 'kill');
    expect(await world.shell(await world.driver.start('ph_a'), 'cat /sdcard/file')).to.equal('mine');
  });

  it('have no open gRPC, no port outside of their namespace but ADB, and ports that adb servers do not scan', async () => {
    const { port } = await started('ph_a');
    const command = log('ph_a').split('\n')[0] ?? '';
    expect(command).to.match(/ -grpc \d+ -grpc-use-token /);
    const [console, adb] = (/ -ports (\d+),(\d+) /.exec(command) ?? []).slice(1).map(Number);
    const isOpen = (to: number): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = net.connect({ host: '127.0.0.1', port: to }, () => resolve(true));
        socket.on('connect', () => socket.destroy()).on('error', () => resolve(false));
      });
    expect(await isOpen(port)).to.equal(true);
    for (const inside of [console, adb]) {
      expect(inside).not.to.be.within(5_554, 5_585);
      expect(await isOpen(inside ?? 0), String(inside)).to.equal(false);
    }
  });

  for (const [launch, reason] of [
    [
      'exits',
      'The emulator ended with status 1. Its last lines: ERROR        | PANIC: Cannot find the Vulkan of this test',
    ],
    ['hangs', 'The emulator opened no ports within'],
    ['other-avd', 'The emulator runs another virtual device (another,'],
  ] as const)
    it(`are off and start later where the emulator has a fault: ${launch}`, async () => {
      world.times.launchMs = launch === 'hangs' ? 500 : 20_000;
      await world.restart();
      world.sdk.behave({ launch });
      await world.driver.create(world.spec('ph_a'));
      expect(await failure(world.driver.start('ph_a'))).to.contain(reason);
      expect(processes('ph_a')).to.deep.equal([]);
      expect((await world.driver.inspect('ph_a')).state).to.equal('stopped');
      if (launch === 'exits') expect(log('ph_a')).to.contain('PANIC: Cannot find the Vulkan');
      world.sdk.behave({});
      world.times.launchMs = 20_000;
      await world.restart();
      await world.driver.start('ph_a');
    });

  for (const [boot, reason, bootLimitS] of [
    ['never', 'did not finish its boot within 10 s: its boot is not complete', 10],
    ['silent', 'did not finish its boot within 3 s: ', 3],
    ['exits', 'went off during its boot (The emulator ended with status 1.). Its last lines: ', MODEL.bootLimitS],
  ] as const)
    it(`are off and start later where Android has a fault: ${boot}`, async () => {
      world.models.value = [{ ...MODEL, bootLimitS }];
      world.sdk.behave({ boot });
      await world.driver.create(world.spec('ph_a'));
      const message = await failure(world.driver.start('ph_a'));
      expect(message).to.contain(reason).and.not.contain(world.directory);
      expect(processes('ph_a')).to.deep.equal([]);
      expect(await world.driver.inspect('ph_a')).to.deep.equal({ state: 'stopped' });
      world.sdk.behave({});
      world.models.value = [MODEL];
      await world.driver.start('ph_a');
    });

  for (const [name, behaviour, line] of [
    ['Android does not shut down', {}, undefined],
    ['the console refuses', { console: 'refuses' }, /its console did not end the emulator: .*refused auth/],
    ['the console hangs', { console: 'hangs' }, /its console did not end the emulator: .*did not respond within 1 s/],
    ['the console is of no effect', { console: 'deaf' }, /its console did not end the emulator within 1 s/],
    ['only SIGKILL ends it', { console: 'deaf', ignoresSigterm: true }, /SIGTERM did not end the emulator within 1 s/],
  ] as const)
    it(`are stopped although ${name}`, async () => {
      world.times.shutdownMs = 300;
      await world.restart();
      world.sdk.behave({ ...behaviour, ignoresShutdown: true });
      await started('ph_a');
      await world.driver.stop('ph_a', 'save');
      expect(processes('ph_a')).to.deep.equal([]);
      expect(await world.driver.inspect('ph_a')).to.deep.equal({ state: 'stopped' });
      if (line === undefined) expect(log('ph_a')).not.to.contain('did not end');
      else expect(log('ph_a')).to.match(line);
    });
});
