import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../kit/async/clock.js';
import { MARK, markedBy, originOf } from './run-guard/processes.js';
import { skip } from './skip.js';
import { until } from './until.js';

const MOCHA = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url));
const SWEEPER = fileURLToPath(new URL('./run-guard/main.js', import.meta.url));
const GUARD = fileURLToPath(new URL('./run-guard.js', import.meta.url));

/** A test that starts a process in a group of its own which ignores SIGTERM, says which, and stays or ends. */
const suite = (ends: boolean): string => `
const { spawn } = require('node:child_process');
it('starts a process', async () => {
  const child = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.stdout.destroy();
  child.unref();
  process.stderr.write('started ' + child.pid + '\\n');
  if (!${ends}) await new Promise((resolve) => setTimeout(resolve, 600_000));
});`;

/** A test that passes once a file is there. It names mocha's main process, the parent of its worker. */
const passing = (go: string): string => `
const { existsSync } = require('node:fs');
it('passes', async () => {
  process.stderr.write('started ' + process.ppid + '\\n');
  while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 20));
});`;

describe('a run of the tests', () => {
  let folder: string;
  before(function () {
    if (process.platform !== 'linux') skip(this, 'processes are only seen on Linux');
    folder = mkdtempSync(join(tmpdir(), 'run-guard-'));
  });
  after(() => {
    if (folder) rmSync(folder, { recursive: true });
  });

  /** Runs a suite as npm does, by a shell that does not become mocha. Returns the process that the suite names. */
  async function run(source: string): Promise<{ shell: ChildProcess; child: number; output: () => string }> {
    const file = join(folder, `${randomUUID()}.test.cjs`);
    writeFileSync(file, source);
    const words = [
      '--no-config',
      '--timeout 600000',
      '--parallel',
      '--jobs 2',
      '--node-option max-semi-space-size=16',
      `--require '${GUARD}'`,
    ];
    // A run of its own, whose main process makes the mark.
    const env = { ...process.env, [MARK]: undefined };
    const line = `true && '${process.execPath}' '${MOCHA}' ${words.join(' ')} '${file}' '${file}'; exit $?`;
    const shell = spawn('sh', ['-c', line], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until(() => /started \d+/.test(output) || shell.exitCode !== null);
    const child = Number(/started (\d+)/.exec(output)?.[1]);
    expect(child, output).to.be.above(1);
    return { shell, child, output: () => output };
  }

  const lives = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  for (const [what, end] of [
    ['SIGTERM comes to npm alone, which passes it on to its shell', (pid: number) => process.kill(pid, 'SIGTERM')],
    ['a terminal sends SIGINT to its whole group', (pid: number) => process.kill(-pid, 'SIGINT')],
    ['it is killed', (pid: number) => process.kill(-pid, 'SIGKILL')],
  ] as const)
    it(`leaves no process behind when ${what}`, async () => {
      const { shell, child } = await run(suite(false));
      expect(lives(child)).to.equal(true);
      end(shell.pid ?? 0);
      await until(() => !lives(child), 30_000);
    });

  it('fails when a test has left a process behind, and ends it', async () => {
    const { shell, child, output } = await run(suite(true));
    const [status] = (await once(shell, 'exit')) as [number];
    expect(status).to.not.equal(0);
    expect(output()).to.contain('the tests have left processes behind:\nsh -c trap');
    await until(() => !lives(child), 30_000);
  });

  it('may leave the DNS server of the machine’s containers running', async () => {
    const mark = randomUUID();
    const env = { ...process.env, [MARK]: mark };
    const options = { env, stdio: 'ignore' as const };
    const server = spawn('sleep', ['60'], { ...options, argv0: '/usr/lib/podman/aardvark-dns' });
    const other = spawn('sleep', ['60'], options);
    await until(() => markedBy(mark).includes(other.pid ?? 0));
    expect(markedBy(mark)).to.deep.equal([other.pid]);
    for (const each of [server, other]) each.kill();
  });

  it('has the status of its tests, however long mocha takes to end after its pipe has closed', async () => {
    // A shell lies between, as the guard would end this test's own mocha with its child.
    const line = `'${process.execPath}' -e 'setTimeout(() => process.exit(3), 1500)' & echo $!; wait $!`;
    const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'ignore'] });
    const exits = once(shell, 'exit') as Promise<[number | null]>;
    const [main] = (await once(shell.stdout, 'data')) as [Buffer];
    const sweeper = spawn(process.execPath, [SWEEPER, randomUUID(), main.toString().trim()], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const swept = once(sweeper, 'exit');
    sweeper.stdin.end();
    expect((await exits)[0]).to.equal(3);
    await swept;
  });

  it('has the status of its tests, however late the wrapper of mocha passes it on', async () => {
    const go = join(folder, 'go');
    const { shell, child: main } = await run(passing(go));
    const wrapper = originOf(main)?.parent ?? 0;
    process.kill(wrapper, 'SIGSTOP');
    writeFileSync(go, '');
    await until(() => originOf(main) === undefined, 60_000);
    // The guard looks every 200 ms.
    await systemClock.sleep(1_000);
    const exits = once(shell, 'exit') as Promise<[number]>;
    process.kill(wrapper, 'SIGCONT');
    expect((await exits)[0]).to.equal(0);
  });
});
