import { expect } from 'chai';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { openShell } from './interpreter/open-shell.js';
import { discardSink, emptySource } from '../streams/pipe.js';

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

/** Scripts that need more than there is, each with the error that it gets. */
const GREEDY: [script: string, stderr: string][] = [
  ['sort /dev/zero', 'out of memory'],
  ['tail -n 1000000000 /dev/zero', 'out of memory'],
  ['. /dev/zero', 'File too large'],
  ['sh /dev/zero', 'File too large'],
  ['set -- a b c d; while :; do set -- "$@" "$@"; done', 'argument list too long'],
  ['x=a; while :; do x=$x$x; done', 'argument too long'],
  [`echo $((${'~'.repeat(300)}1))`, 'nested too deeply'],
  [`echo $((${'('.repeat(1_000)}1${')'.repeat(1_000)}))`, 'nested too deeply'],
  [`echo $((${'1+'.repeat(400_000)}1))`, 'too long'],
  ['a0=1; for i in $(seq 1 50); do eval "a$i=a$((i-1))+a$((i-1))"; done; echo $((a50))', 'too long'],
  [`echo ${'{a,b}'.repeat(40)}`, 'argument list too long'],
  [`echo ${'{a,b}'.repeat(17)}${'x'.repeat(1_000)}`, 'argument list too long'],
  [`echo ${'{a,'.repeat(20_000)}${'}'.repeat(20_000)}`, 'out of memory'],
  ['i=0; while :; do a[i++]=x; done', 'out of memory'],
  ['a=(x); while :; do a+=("${a[@]}"); done', 'out of memory'],
  ['x=$(yes ab | head -c 4000000); echo ${x//a/bbbbbbbb} | wc -c', 'out of memory'],
  ['x=$(yes ab | head -c 400000); echo ${x//a?(*z)/b} | wc -c', 'out of memory'],
  ['x=a; while :; do alias $x="$x;$x"; x=${x}a; done', 'out of memory'],
  [
    "alias a='b;b' b='c;c' c='d;d' d='e;e' e='f;f' f='g;g' g='h;h' h='i;i' i='j;j' j='k;k' k='l;l' l='true;true'\na",
    'too many aliases',
  ],
  [`trap '${'x'.repeat(100_000)}' INT`, 'out of memory'],
  [`[[ ${'( '.repeat(1_000)}a${' )'.repeat(1_000)} ]]`, 'nested too deeply'],
  [`case x in ${'@('.repeat(1_000)}x${')'.repeat(1_000)}) ;; esac`, 'nested too deeply'],
  ['f() { local x=$1$1; f $x; }; f aaaaaaaaaaaaaaaa', 'argument too long'],
  ['while :; do exec 3>/dev/null; done', 'Too many open files'],
  ['typeset -n a=b b=a; a=1', 'nameref loop'],
  ['(f() { (f); }; f)', 'nested too deeply'],
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
      // A fork bomb takes seconds of processor time until it is refused.
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
    const { shell, finished } = openShell(machine, { memory: machine.memory.reserve(), signal: client.signal });
    await shell.run('logcat', { stdin: emptySource, stdout, stderr: discardSink });
    finished();
    expect(machine.processes.list()).to.have.length(before);
  });

  it('may have long lists', async () => {
    const { stdout } = await runScript(world.phone.machine, 'n=0; for i in $(seq 1 150000); do n=$i; done; echo $n');
    expect(stdout).to.equal('150000\n');
  });
});
