import { expect } from 'chai';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { createShellState } from './create-shell-state.js';
import { Interpreter } from './interpreter.js';
import { discardSink, emptySource } from './pipe.js';

/** Scripts that never wait for anything outside of the phone and never end. */
const ENDLESS = [
  'yes > /dev/null',
  'yes | cat > /dev/null',
  'seq 1 1000000000000 > /dev/null',
  'cat /dev/zero > /dev/null',
  'md5sum /dev/zero',
  'grep x /dev/zero',
  'head -c 100000000000 /dev/zero > /dev/null',
  'yes | while read x; do :; done',
  'tail -f /dev/zero > /dev/null',
  'while :; do :; done',
  'monkey 100000',
  'yes | sed p > /dev/null',
  'yes | xargs -n 1 true',
];

/** Scripts that need more than there is -> the error they get. */
const GREEDY: [script: string, stderr: string][] = [
  ['sort /dev/zero', 'out of memory'],
  ['tail -n 1000000000 /dev/zero', 'out of memory'],
  ['. /dev/zero', 'File too large'],
  ['sh /dev/zero', 'File too large'],
  ['set -- a b c d; while :; do set -- "$@" "$@"; done', 'argument list too long'],
  ['x=a; while :; do x=$x$x; done', 'argument too long'],
  [`echo $((${'-'.repeat(300)}1))`, 'nested too deeply'],
  ['echo $((1 constructor 2))', 'unexpected'],
  [`echo a ${'| cat '.repeat(300)}`, 'pipeline too long'],
  ['f() { f; }; f', 'nested too deeply'],
  ['f() { f | f; }; f', 'out of memory'],
  ['while :; do i=$((i+1)); eval "f$i() { echo some text that is kept; }"; done', 'out of memory'],
  ['while :; do sleep 100 & done', "can't fork"],
  ['echo a | xargs -n 0 echo', "bad -n '0'"],
  [`tr 'a-\uffff${'\u0001-\uffff'.repeat(100)}' x`, 'set too long'],
];

/** Expressions that make a backtracking engine try every way there is. */
const TRAPS: [script: string, stdout: string][] = [
  [`echo ${'a'.repeat(60)}! | grep -cE '^(a+)+$'`, '0\n'],
  [`echo ${'a'.repeat(60)}! | sed -E 's/^(a|a)*$/x/' | wc -c`, '62\n'],
  [`x=${'a'.repeat(400)}; case $x in *a*a*a*a*a*a*a*a*a*b) echo y;; *) echo n;; esac`, 'n\n'],
  [`log -t trap ${'a'.repeat(60)}!; logcat -d -s trap -e '^(a+)+$' | wc -l`, '0\n'],
  [`pgrep '^(.+)+Z$'; echo $?`, '1\n'],
  ['x=$(yes ab | head -c 400000); y=${x%%z*}; echo ${#y}', '400000\n'],
];

describe('a hostile script', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  beforeEach(async () => (world = await startPhone()));
  afterEach(() => world.stop());

  for (const script of ENDLESS)
    it(`lets the process work and ends with its client: ${script}`, async () => {
      const client = new AbortController();
      const running = runScript(world.phone.machine, script, { signal: client.signal });
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      client.abort();
      await running;
    });

  for (const [script, stderr] of GREEDY)
    it(`is refused: ${script.slice(0, 60)}`, async () => {
      expect((await runScript(world.phone.machine, script)).stderr).to.contain(stderr);
      // A fork bomb takes seconds of a processor until it is refused.
    });

  for (const [script, stdout] of TRAPS)
    it(`matches in linear time: ${script.slice(-60)}`, async () => {
      expect((await runScript(world.phone.machine, script)).stdout).to.equal(stdout);
    });

  it('leaves no process behind when its client goes while it is given the past log', async () => {
    const { machine } = world.phone;
    const client = new AbortController();
    const before = machine.processes.list().length;
    const stdout = { write: async () => client.abort() };
    const state = createShellState(machine, machine.memory.reserve());
    const shell = new Interpreter({ machine, state, signal: client.signal });
    await shell.run('logcat', { stdin: emptySource, stdout, stderr: discardSink });
    expect(machine.processes.list()).to.have.length(before);
  });

  it('may have long lists', async () => {
    const { stdout } = await runScript(world.phone.machine, 'n=0; for i in $(seq 1 150000); do n=$i; done; echo $n');
    expect(stdout).to.equal('150000\n');
  });
});
