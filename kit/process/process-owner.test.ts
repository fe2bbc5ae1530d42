import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { isRunning, thisProcess } from './process-owner.js';
import { skip } from '../../testing/skip.js';

describe('isRunning', () => {
  it('knows this process', () => {
    expect(isRunning(thisProcess())).to.equal(true);
  });

  it('takes a process that started at another time for another one', () => {
    expect(isRunning({ ...thisProcess(), started: 'before' })).to.equal(false);
  });

  it('takes one that was killed but is not collected by its parent yet for gone', async function () {
    if (process.platform !== 'linux') skip(this, 'needs Linux');
    // The shell would collect its child; once it has become `sleep` it never does.
    const parent = spawn('sh', ['-c', 'sleep 30 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const pid = Number(
        await new Promise<string>((resolve) => parent.stdout.once('data', (text) => resolve(String(text)))),
      );
      const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
      while (readFileSync(`/proc/${parent.pid}/comm`, 'latin1') !== 'sleep\n') await turn();
      process.kill(pid, 'SIGKILL');
      const fields = (): string[] => {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      };
      while (fields()[0] !== 'Z') await turn();
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
      expect(isRunning({ pid, host: hostname(), started: `${boot} ${fields()[19] ?? ''}` })).to.equal(false);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
