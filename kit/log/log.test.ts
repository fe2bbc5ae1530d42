import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';

const LOG = new URL('./log.js', import.meta.url).href;

/** Runs a script in a process of its own, as lines go to its standard error. */
function linesOf(script: string): string[] {
  const source = `import { createLog } from ${JSON.stringify(LOG)}; const log = createLog({ level: 'info', pretty: false }); ${script}`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  return stderr.split('\n').filter((line) => line.startsWith('{'));
}

describe('the log', () => {
  it('writes JSON lines in order, with level, time and message', () => {
    const lines = linesOf(`log.info({ size: 1 }, 'one'); setImmediate(() => log.warn('two')); log.debug('no');`);
    expect(lines.map((line) => JSON.parse(line) as object)).to.have.length(2);
    expect(JSON.parse(lines[0]!)).to.include({ level: 'info', size: 1, msg: 'one' }).and.have.property('time');
    expect(JSON.parse(lines[1]!)).to.include({ level: 'warn', msg: 'two' });
  });

  it('hides fields that can hold secrets', () => {
    const [line] = linesOf(`log.info({ authorization: 'a-secret', deep: { token: 'a-secret' } }, 'x');`);
    expect(line).to.include('[redacted]').and.not.include('a-secret');
  });

  for (const [end, script] of [
    ['process.exit', `log.info('last'); process.exit(0);`],
    ['an uncaught error', `log.info('last'); throw new Error('x');`],
  ] as const) {
    it(`loses no line when the process ends by ${end}`, () => {
      expect(linesOf(script).at(-1)).to.include('"last"');
    });
  }

  it('loses no line of many logs of a process, and adds no listeners for each of them', () => {
    const lines = linesOf(`
      const listeners = () => process.listenerCount('exit') + process.stderr.listenerCount('error');
      const before = listeners();
      for (let i = 0; i < 20; i++) createLog({ level: 'info', pretty: false }).info('line');
      log.info({ more: listeners() - before }, 'all');
      process.exit(0);`);
    expect(lines).to.have.length(21);
    expect(lines.filter((line) => line.includes('"more":0'))).to.have.length(1);
  });

  it('writes more lines in one turn than it holds', () => {
    expect(linesOf(`for (let i = 0; i < 5000; i++) log.info({ i }, 'line'); process.exit(0);`)).to.have.length(5000);
  });

  for (const [end, script] of [
    ['process.exit', 'process.exit(3);'],
    ['an uncaught error', "throw new Error('the end');"],
  ] as const) {
    it(`holds up nothing while nobody reads a pipe of it, nor the end by ${end}`, async () => {
      const source = `import { createLog } from ${JSON.stringify(LOG)};
        const log = createLog({ level: 'info', pretty: false });
        for (let at = 0; at < 100; at++) {
          for (let i = 0; i < 1000; i++) log.info({ i }, 'x'.repeat(200));
          await new Promise((resolve) => setImmediate(resolve));
        }
        console.log('done');
        setTimeout(() => { ${script} }, 10);`;
      // A pipe of the kernel, as container engines and shells make them: the reader sleeps on.
      const words = ['-c', '"$0" --input-type=module -e "$1" 2> >(exec sleep 60)', process.execPath, source];
      const child = spawn('bash', words, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
      try {
        const printed: string[] = [];
        child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
        const [status] = (await once(child, 'exit', { signal: AbortSignal.timeout(40_000) })) as [number];
        expect(printed.join('')).to.equal('done\n');
        expect(status).to.equal(end === 'process.exit' ? 3 : 1);
      } finally {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      }
    });
  }

  it('holds up nothing where another process makes writers of the same pipe wait', async () => {
    // A process that inherits standard error is started with pipes that make it wait.
    const source = `import { createLog } from ${JSON.stringify(LOG)}; import { spawnSync } from 'node:child_process';
      const log = createLog({ level: 'info', pretty: false });
      spawnSync('true', { stdio: 'inherit' });
      for (let at = 0; at < 10; at++) {
        for (let i = 0; i < 1000; i++) log.info({ i }, 'x'.repeat(200));
        await new Promise((resolve) => setImmediate(resolve));
      }
      process.exit(3);`;
    const words = ['-c', '"$0" --input-type=module -e "$1" 2> >(exec sleep 60)', process.execPath, source];
    const child = spawn('bash', words, { stdio: 'ignore', detached: true });
    try {
      expect(await once(child, 'exit', { signal: AbortSignal.timeout(20_000) })).to.deep.equal([3, null]);
    } finally {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    }
  });

  it('has its last lines before a crash, and the number of those that it lacks, once its reader goes on', async () => {
    const source = `import { createLog } from ${JSON.stringify(LOG)};
      const log = createLog({ level: 'info', pretty: false });
      for (let i = 0; i < 50000; i++) log.info({ i }, 'x'.repeat(200));
      setTimeout(() => { log.fatal('last'); throw new Error('the end'); }, 500);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // The output is not read for a while, and 10 MiB of lines are more than the log keeps waiting.
    const late = new Promise((resolve) => setTimeout(resolve, 700));
    await late;
    let output = '';
    for await (const chunk of child.stderr) output += String(chunk);
    const lines = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { i?: number; lines?: number; msg: string });
    expect(lines.at(-1)?.msg).to.equal('last');
    const dropped = lines.reduce((sum, { lines: count = 0 }) => sum + count, 0);
    expect(dropped).to.be.greaterThan(0);
    expect(lines.filter(({ i }) => i !== undefined).length + dropped).to.equal(50_000);
  });
});
