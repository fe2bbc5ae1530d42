import { randomBytes } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Called, type Calling, startCli } from '../cli/program.js';
import { AdbClient, type Ran } from '../relay/adb-client.js';
import { DEMO, faultsOf, type KilledServicesWorld, startKilledServicesWorld } from './killed-services-world.js';

/** Far more than is sent before the kill, bytes. Nearly none of it is on the disk of this machine. */
const LARGE_BYTES = 1024 ** 3;

/** So many bytes on their way to the phone show that the push is in its middle. */
const UNDER_WAY_BYTES = 16 * 1024 * 1024;

/** Each program must have ended so long after the kill, ms, and each tunnel must be back so long after the service. */
const BOUND_MS = 60_000;

describe('kill -9 during adb through the API', () => {
  let world: KilledServicesWorld | undefined;
  let adb: AdbClient;
  const calls: Calling[] = [];

  before(async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    world = await startKilledServicesWorld();
    adb = await AdbClient.start(world.adbServerPort);
    writeFileSync(join(world.folder, 'large'), '');
    truncateSync(join(world.folder, 'large'), LARGE_BYTES);
  });
  afterEach(async () => {
    for (const { child, ended } of calls.splice(0)) {
      child.kill('SIGTERM');
      await ended;
    }
  });
  after(async () => {
    if (world === undefined) return;
    await adb.close();
    await world.close();
  });

  function call(...words: string[]): Calling {
    const calling = startCli(words, world!.environment);
    calls.push(calling);
    return calling;
  }

  /** Starts `cloudphone adb`, and returns the call and the serial. */
  async function openTunnel(): Promise<{ tunnel: Calling; serial: string }> {
    const tunnel = call('adb', DEMO);
    const serial = (): string => /^(127\.0\.0\.1:\d+) /m.exec(tunnel.stdout())?.[1] ?? '';
    await until(() => serial() !== '' || tunnel.child.exitCode !== null, BOUND_MS);
    expect(serial(), tunnel.stderr()).not.to.equal('');
    return { tunnel, serial: serial() };
  }

  const sessions = async (): Promise<number> =>
    (await world!.api.get(`/v1/devices/${DEMO}/adb`)).body.adb?.sessions?.length as number;
  const sentToPhone = async (): Promise<number> =>
    (await world!.services.relay.scrape()).sum('relay_bytes_total', { to: 'phone' }) ?? 0;
  const echoes = async (serial: string): Promise<boolean> =>
    (await adb.with({ timeoutMs: 10_000 }, '-s', serial, 'shell', 'echo here')).stdout.trim() === 'here';

  /** Has a push, a shell of adb and `cloudphone shell` under way, and kills. Returns how they ended. */
  async function killDuring(serial: string, kill: (shell: Calling) => Promise<void>): Promise<[Ran, Ran, Called]> {
    const { folder } = world!;
    await adb.run('-s', serial, 'shell', 'echo former > /sdcard/large');
    const before = await sentToPhone();
    const options = { timeoutMs: 2 * BOUND_MS };
    const push = adb.with(options, '-s', serial, 'push', join(folder, 'large'), '/sdcard/large');
    const shell = adb.with(options, '-s', serial, 'shell', 'echo begun > /sdcard/begun; sleep 1000');
    const byCli = call('shell', DEMO, 'echo begun; sleep 1000');
    await until(async () => (await sentToPhone()) - before > UNDER_WAY_BYTES && byCli.stdout() === 'begun\n', BOUND_MS);
    const begun = await adb.run('-s', serial, 'shell', 'cat /sdcard/begun; rm /sdcard/begun');
    expect(begun.stdout).to.equal('begun\n');
    const killedMs = performance.now();
    await kill(byCli);
    const ended = await Promise.all([push, shell, byCli.ended]);
    expect(performance.now() - killedMs).to.be.lessThan(BOUND_MS);
    return ended;
  }

  /** Checks the statuses and texts of programs whose tunnel was cut. The stock adb's own shell ends with 0 then, also at a real phone. */
  function assertReported([push, shell, byCli]: Awaited<ReturnType<typeof killDuring>>): void {
    expect([push.status, shell.status, byCli.status]).to.deep.equal([1, 0, 3]);
    expect(push.stdout + push.stderr).to.contain('failed to copy');
    expect(byCli.stderr).to.contain(`cloudphone: The connection to ${DEMO} was lost: `);
  }

  /** Checks that a phone can be used as before: three tunnels, a shell, a push that is whole. */
  async function worksAsBefore(serial: string): Promise<void> {
    const { folder } = world!;
    expect((await adb.run('-s', serial, 'shell', 'cat /sdcard/large')).stdout).to.equal('former\n');
    await until(async () => (await sessions()) === 1, BOUND_MS);
    for (const another of [await openTunnel(), await openTunnel()]) expect(await echoes(another.serial)).to.equal(true);
    expect(await sessions()).to.equal(3);
    expect((await world!.services.relay.scrape()).sum('relay_sessions')).to.equal(3);
    const bytes = randomBytes(3_000_001);
    writeFileSync(join(folder, 'there'), bytes);
    expect((await adb.run('-s', serial, 'push', join(folder, 'there'), '/sdcard/there')).status).to.equal(0);
    expect((await adb.run('-s', serial, 'pull', '/sdcard/there', join(folder, 'back'))).status).to.equal(0);
    expect(readFileSync(join(folder, 'back')).equals(bytes)).to.equal(true);
    expect(faultsOf(world!.services)).to.deep.equal([]);
  }

  for (const name of ['gateway', 'relay'] as const)
    it(`of the ${name} ends the push and the shells with an error, and the tunnel comes back`, async () => {
      const { serial } = await openTunnel();
      const ended = await killDuring(serial, () => world!.services.kill(name));
      assertReported(ended);
      await world!.services.start(name);
      await until(() => echoes(serial), BOUND_MS);
      await worksAsBefore(serial);
    });

  it('of the phone ends the push and the shells with an error, and the tunnel comes back with the phone', async () => {
    const { serial } = await openTunnel();
    const ended = await killDuring(serial, () => world!.cutPower());
    assertReported(ended);
    await world!.startPhone();
    await until(() => echoes(serial), BOUND_MS);
    await worksAsBefore(serial);
  });

  it('of the command line ends the push and the shells with an error, and frees its places', async () => {
    const { tunnel, serial } = await openTunnel();
    const ended = await killDuring(serial, async (shell) => {
      tunnel.child.kill('SIGKILL');
      shell.child.kill('SIGKILL');
    });
    expect(ended.map(({ status }) => status)).to.deep.equal([1, 0, -1]);
    expect(ended[0].stdout).to.contain('failed to copy');
    await until(async () => (await sessions()) === 0, BOUND_MS);
    await worksAsBefore((await openTunnel()).serial);
  });
});
