import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { platformWait, type Wait } from '../../../client/src/platform.js';
import { until } from '../../../testing/until.js';
import { Interrupted } from '../output/failure.js';
import { runUserProgram, type UserProgram } from './user-program.js';

/** Waits as the platform does, but the time until a program is ended by force is short. */
const shortGrace: Wait = (ms, signal) => platformWait(Math.min(ms, 200), signal);

function start(script: string, own: Partial<UserProgram> = {}, wait: Wait = platformWait) {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const ended = new AbortController();
  let printed = '';
  for (const stream of [output, errors]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const program = {
    command: ['bash', '-c', script],
    environment: process.env,
    prefix: '[1/2] ',
    isInForeground: false,
    ...own,
  };
  const status = runUserProgram(program, { wait, signal: ended.signal, output, errors });
  return { status, printed: () => printed, end: () => ended.abort(new Interrupted(143)) };
}

describe('the program of a run', () => {
  it('has its status kept, and that of a signal', async () => {
    expect(await start('exit 7').status).to.equal(7);
    expect(await start('kill -KILL $$').status).to.equal(137);
  });

  it('has its lines behind a prefix, the last one without an end too', async () => {
    const { status, printed } = start('printf "one\\ntwo"; printf "three\\n" >&2');
    await status;
    expect(printed().split('\n').sort()).to.deep.equal(['', '[1/2] one', '[1/2] three', '[1/2] two']);
  });

  it('has a line that never ends cut into pieces', async () => {
    const { status, printed } = start('head -c 700000 /dev/zero | tr "\\0" x');
    await status;
    expect(printed().split('\n').length).to.be.greaterThan(3);
    expect(printed().replace(/[^x]/g, '')).to.have.length(700_000);
  });

  it('is reported as shells do where it cannot be run', async () => {
    const { status, printed } = start('', { command: ['/no/such/program'] });
    expect(await status).to.equal(127);
    expect(printed()).to.include('/no/such/program cannot be run');
    expect(await start('', { command: ['/etc/passwd'] }).status).to.equal(126);
  });

  it('is ended when the time is up, with status 124', async () => {
    expect(await start('sleep 100', { timeoutMs: 50 }).status).to.equal(124);
  });

  it('is ended by a signal of ours, with all programs that it has started', async () => {
    const { status, printed, end } = start('sleep 100 & echo $!; wait');
    await until(() => /\d\n/.test(printed()));
    end();
    expect(await status).to.equal(143);
    const child = Number(/\d+(?=\n)/.exec(printed().replace('[1/2]', ''))?.[0]);
    await until(() => !isAlive(child));
  });

  it('is ended by force when it ignores the request', async () => {
    const { status, printed, end } = start('trap "" TERM; echo ready; while :; do sleep 0.1; done', {}, shortGrace);
    await until(() => printed().includes('ready'));
    end();
    expect(await status).to.equal(137);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
