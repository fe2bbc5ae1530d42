import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { expect } from 'chai';
import { systemClock } from '../kit/async/clock.js';
import { PhoneLink } from '../phone/link/phone-link.js';
import { EXTRA_APPS_FOLDER } from '../testing/phone/extra-apps.js';
import { FolderInUseError, lockFolder } from '../kit/files/folder-lock.js';
import { createLog } from '../kit/log/log.js';
import { SimulatorService } from '../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { type PhoneChange, PhoneFailure, type PhoneSpec, type RestoreOptions } from '../phone/driver.js';
import type { SimulatedDriver } from './driver.js';
import { processFolder } from './host/process-folder.js';
import { processOf, RunFile } from './host/run-record.js';
import { openSimulatedDriver } from './open-driver.js';

/** Returns a phone. With two processes, `ph_1` belongs to the first and `ph_0` to the second; with one process, both belong to it. */
const phone = (phoneId: string): PhoneSpec => ({
  phoneId,
  name: 'one',
  model: 'phone-720p',
  android: '14',
  exit: { type: 'direct', country: 'us', timezone: 'America/New_York' },
});
const [FIRST, SECOND] = ['ph_1', 'ph_0'] as const;

const log = createLog({ level: 'silent', pretty: false });

describe('SimulatedDriver', function () {
  let directory: string;
  let driver: SimulatedDriver;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-driver-'));
    driver = await open();
  });

  afterEach(async () => {
    await driver.close();
    for (const index of [0, 1, 2]) while (isLocked(index)) await systemClock.sleep(10);
    rmSync(directory, { recursive: true, force: true });
  });

  function open(
    processes = 2,
    { outlive = false, ...more }: { outlive?: boolean; PHONE_HOST?: string; SIMULATED_APPS_DIR?: string } = {},
  ) {
    const environment = { PATH: process.env['PATH'], SIMULATED_BOOT_MS: '300', SIMULATED_PROCESSES: String(processes), ...more }; // prettier-ignore
    return openSimulatedDriver({ directory, environment, clock: systemClock, log, phonesOutliveDriver: outlive });
  }

  const lockOf = (index: number): string => join(processFolder(directory, index), 'lock');
  /** Whether the process of this index lives: the file of its lock stays when it ends. */
  function isLocked(index: number): boolean {
    if (!existsSync(lockOf(index))) return false;
    try {
      lockFolder(processFolder(directory, index)).close();
      return false;
    } catch (error) {
      if (error instanceof FolderInUseError) return true;
      throw error;
    }
  }
  const pidOf = (index: number): number => (JSON.parse(readFileSync(lockOf(index), 'utf8')) as { pid: number }).pid;

  function kill(index: number): void {
    process.kill(pidOf(index), 'SIGKILL');
  }

  it('starts no process before there is a phone, and one process for one phone', async () => {
    expect(await driver.list()).to.have.property('size', 0);
    expect(await driver.inspect(FIRST)).to.deep.equal({ state: 'absent' });
    expect((await driver.capacity()).freeMemoryMb).to.be.greaterThan(0);
    await driver.stop(FIRST, 'save');
    expect([isLocked(0), isLocked(1)]).to.deep.equal([false, false]);
    await driver.create(phone(FIRST));
    expect([isLocked(0), isLocked(1)]).to.deep.equal([true, false]);
    await driver.create(phone(SECOND));
    expect([isLocked(0), isLocked(1)]).to.deep.equal([true, true]);
  });

  it('boots a phone although the simulator is killed while it boots', async () => {
    await driver.create(phone(FIRST));
    let killed = false;
    const endpoint = await driver.start(FIRST, {
      onProgress: () => {
        if (!killed) kill(0);
        killed = true;
      },
    });
    expect(killed).to.equal(true);
    expect(await driver.inspect(FIRST)).to.deep.equal({ state: 'running', endpoint });
  });

  it('gives a phone an ANDROID_ID of its own with the snapshot of another phone, and none with its own', async () => {
    await driver.create(phone(FIRST));
    await driver.create(phone(SECOND));
    const settings = join(directory, 'phones', FIRST, 'state/settings.json');
    writeFileSync(settings, '{"secure":{"android_id":"0123456789abcdef","other":"kept"}}');
    await driver.snapshots.take(FIRST, 'tpl_1');
    const restored = async (phoneId: string, options?: RestoreOptions): Promise<unknown> => {
      await driver.snapshots.restore(phoneId, 'tpl_1', options);
      return JSON.parse(readFileSync(join(directory, 'phones', phoneId, 'state/settings.json'), 'utf8'));
    };
    for (let times = 0; times < 2; times++)
      expect(await restored(SECOND, { forgetIdentity: true })).to.deep.equal({ secure: { other: 'kept' } });
    expect(await restored(FIRST)).to.deep.equal({ secure: { android_id: '0123456789abcdef', other: 'kept' } });
    await driver.snapshots.check('tpl_1');
  });

  it('gives its phones the apps of a folder, and names a folder that is none', async () => {
    await driver.close();
    driver = await open(2, { SIMULATED_APPS_DIR: EXTRA_APPS_FOLDER });
    await driver.create(phone(FIRST));
    const { host, port } = await driver.start(FIRST);
    const connectSocket = (to: string, at: number) => connect({ host: to, port: at });
    const link = await PhoneLink.open({ host, port, clock: systemClock, connectSocket, timeoutMs: 60_000 });
    const options = { timeoutMs: 60_000, maxBytes: 65_536, doing: 'list apps' };
    expect((await link.shell('pm list packages lab', options)).stdout.toString()).to.equal(
      'package:com.cloudphone.lab\n',
    );
    link.close();
    const none = join(directory, 'none');
    const failure = await open(2, { SIMULATED_APPS_DIR: none }).catch((error: unknown) => (error as Error).message);
    expect(failure).to.contain(`SIMULATED_APPS_DIR="${none}" is not a folder`);
  });

  it('works right after the simulator was killed', async () => {
    await driver.create(phone(FIRST));
    kill(0);
    await driver.stop(FIRST, 'save');
    expect(await driver.inspect(FIRST)).to.deep.equal({ state: 'stopped' });
  });

  it('reports every phone that ran in a process that ended, and no other', async () => {
    for (const phoneId of [FIRST, SECOND]) {
      await driver.create(phone(phoneId));
      await driver.start(phoneId);
    }
    const watching = new AbortController();
    const changes = driver.watch(watching.signal)[Symbol.asyncIterator]();
    const next = changes.next();
    const pid = pidOf(1);
    kill(1);
    const reason = 'the process that it ran in ended';
    expect((await next).value).to.deep.equal({ phoneId: SECOND, reason } satisfies PhoneChange);
    const after = changes.next();
    expect(await driver.inspect(SECOND)).to.deep.equal({ state: 'stopped', reason });
    expect((await driver.list()).get(FIRST)).to.have.property('state', 'running');
    await driver.start(SECOND);
    expect(pidOf(1)).to.not.equal(pid);
    watching.abort();
    expect(await after).to.have.property('done', true);
  });

  it('boots a phone again that is still in the start that must be over, and leaves any other start', async () => {
    await driver.create(phone(FIRST));
    const first = await driver.start(FIRST);
    expect(await driver.start(FIRST)).to.deep.equal(first);
    const second = await driver.start(FIRST, { endedIdentity: first.identity });
    expect(second.identity).to.not.equal(first.identity);
    expect(second.identity.split('/')[0]).to.equal(first.identity.split('/')[0]);
    expect(await driver.start(FIRST, { endedIdentity: first.identity })).to.deep.equal(second);
    await driver.stop(FIRST, 'kill');
    expect(await driver.inspect(FIRST)).to.deep.equal({ state: 'stopped' });
    expect((await driver.start(FIRST, { endedIdentity: second.identity })).identity).to.not.equal(second.identity);
  });

  it('boots a phone of a release that gave a phone its files at its first start', async () => {
    await driver.close();
    // Commit 544390e left a device that was created with `start: false` in this state.
    const path = join(directory, 'phones', FIRST);
    await mkdir(join(path, 'state'), { recursive: true });
    writeFileSync(join(path, 'phone.json'), JSON.stringify(phone(FIRST)));
    driver = await open();
    expect(await driver.inspect(FIRST)).to.deep.equal({ state: 'stopped' });
    expect((await driver.list()).get(FIRST)).to.deep.equal({ state: 'stopped' });
    const endpoint = await driver.start(FIRST);
    expect(await driver.inspect(FIRST)).to.deep.equal({ state: 'running', endpoint });
  });

  it('never boots a phone whose files are lost or damaged', async () => {
    for (const phoneId of [FIRST, SECOND]) await driver.create(phone(phoneId));
    await rm(join(directory, 'phones', FIRST, 'state'), { recursive: true });
    writeFileSync(join(directory, 'phones', SECOND, 'phone.json'), '{');
    for (const phoneId of [FIRST, SECOND]) {
      expect(await driver.inspect(phoneId)).to.have.property('state', 'broken');
      const failure: unknown = await driver.start(phoneId).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(PhoneFailure);
      expect((await driver.list()).get(phoneId)).to.have.property('state', 'broken');
      await driver.delete(phoneId);
      expect(await driver.inspect(phoneId)).to.deep.equal({ state: 'absent' });
    }
    const failure: unknown = await driver.start(FIRST).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(PhoneFailure);
  });

  it('finds phones where they run, with any number of processes', async () => {
    await driver.close();
    driver = await open(2, { outlive: true });
    await driver.create(phone(SECOND));
    const endpoint = await driver.start(SECOND);
    await driver.close();

    driver = await open(1);
    expect(await driver.inspect(SECOND)).to.deep.equal({ state: 'running', endpoint });
    expect(await driver.start(SECOND)).to.deep.equal(endpoint);
    expect(isLocked(0)).to.equal(false);
    const watching = new AbortController();
    const changes = driver.watch(watching.signal)[Symbol.asyncIterator]();
    const next = changes.next();
    kill(1);
    expect((await next).value).to.have.property('phoneId', SECOND);
    watching.abort();
    // The connection of the process breaks a moment before it has ended, and until then the phone belongs to it.
    const run = new RunFile(join(directory, 'phones', SECOND));
    while (processOf(await run.read()) !== undefined) await systemClock.sleep(5);
    await driver.start(SECOND);
    expect([isLocked(0), isLocked(1)]).to.deep.equal([true, false]);
  });

  it('publishes the address of PHONE_HOST, where the phone listens', async () => {
    await driver.close();
    driver = await open(2, { PHONE_HOST: '127.0.0.5' });
    await driver.create(phone(FIRST));
    const { host } = await driver.start(FIRST);
    expect(host).to.equal('127.0.0.5');
    const failure: unknown = await open(1, { PHONE_HOST: '0.0.0.0' }).catch((error: unknown) => error);
    expect((failure as Error).message).to.contain('PHONE_HOST="0.0.0.0" is not one address');
  });

  /** Starts a process of another release, which has only Attend and Quit. Another request fails the test. */
  async function startOlderSimulator(folder: string, protocol: number): Promise<{ asked: string[] }> {
    await mkdir(folder, { recursive: true });
    const lock = lockFolder(folder);
    const asked: string[] = [];
    const server = createServer(
      {},
      connectNodeAdapter({
        interceptors: [(next) => (request) => (asked.push(request.method.name), next(request))],
        routes: (router) =>
          router.service(SimulatorService, {
            attend: async function* (_request, { signal }) {
              yield { protocol, reason: 'ready' };
              await new Promise((resolve) => signal.addEventListener('abort', resolve));
            },
            quit: () => {
              // The process saves its phones for a while.
              setTimeout(() => {
                server.close();
                for (const session of sessions) session.destroy();
                setTimeout(() => lock.close(), 100);
              }, 100);
              return {};
            },
          }),
      }),
    );
    const sessions = new Set<{ destroy(): void }>();
    server.on('session', (session) => sessions.add(session));
    await new Promise<void>((resolve) => server.listen(join(folder, 'simulator.sock'), resolve));
    return { asked };
  }

  it('makes a process of another release save its phones and end, and calls nothing else of it', async () => {
    await driver.close();
    const newer = await startOlderSimulator(processFolder(directory, 0), 99);
    driver = await open();
    await driver.create(phone(FIRST));
    expect(newer.asked).to.deep.equal(['Attend', 'Quit']);
    expect(await driver.inspect(FIRST)).to.deep.equal({ state: 'stopped' });
    expect(pidOf(0)).to.not.equal(process.pid);
  });
});
