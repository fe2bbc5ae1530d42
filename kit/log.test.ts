import { spawnSync } from 'node:child_process';
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

  it('writes more lines in one turn than it holds', () => {
    expect(linesOf(`for (let i = 0; i < 5000; i++) log.info({ i }, 'line'); process.exit(0);`)).to.have.length(5000);
  });
});
