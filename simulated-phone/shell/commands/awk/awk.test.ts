import { expect } from 'chai';
import { AWK_SCRIPTS } from '../../../../testing/phone/awk-scripts.js';
import { runScript } from '../../../../testing/phone/run-script.js';
import { startPhone } from '../../../../testing/phone/start-phone.js';
import { until } from '../../../../testing/until.js';

/** Scripts with features that this awk, or any awk, does not have. */
const REFUSED = [
  `awk 'BEGIN { "date" | getline d; print "no" }'`,
  `awk 'BEGIN { print "no" | "cat" }'`,
  `awk 'BEGIN { system("echo no") }'`,
  `awk 'BEGIN { print "no"; print 1, 2, }'`,
  `awk 'BEGIN { print "no"; for ((i, j) in a) print }'`,
  `awk 'BEGIN { print "no"; x = (1, 2) }'`,
  `awk 'BEGIN { print "no"; print substr("a") }'`,
  `awk 'BEGIN { print "no"; @x }'`,
  `awk 'BEGIN { print "no" `,
  `awk 'function f() { next } BEGIN { print "no" }'`,
  `awk 'BEGIN { print "no"; a < b < c }'`,
];

/** Scripts that never end by themselves. */
const ENDLESS = [
  `awk 'BEGIN { while (1) x++ }'`,
  `awk 'BEGIN { for (;;) ; }'`,
  `awk 'function f() { while (1) x = x y } BEGIN { f() }'`,
  `yes | awk '{ print }' > /dev/null`,
  `awk 'BEGIN { while (1) print "x" > "/dev/null" }'`,
  `awk 'BEGIN { s = sprintf("%100000s", ""); while (1) gsub(/ | .*b/, "c", s) }'`,
  `awk 'BEGIN { s = sprintf("%1000000s", ""); while (1) toupper(s) }'`,
  `awk 'BEGIN { for (i = 0; i < 100000; i++) a[i]; while (1) for (k in a) break }'`,
  `awk 'BEGIN { while (1) { $(++i % 100000 + 1) = i; x = $0 } }'`,
];

/** Scripts that need more than there is, each with the error that it gets. */
const GREEDY: [script: string, stderr: string][] = [
  [`awk 'BEGIN { s = "a"; while (1) s = s s }'`, 'out of memory'],
  [`awk 'BEGIN { while (1) a[i++] = "some text that is kept" }'`, 'out of memory'],
  [`awk 'BEGIN { s = sprintf("%2000000s", ""); gsub(/ /, "abcdefgh", s) }'`, 'out of memory'],
  [`awk 'BEGIN { printf "%1000000000s", "" }'`, 'out of memory'],
  [`awk 'BEGIN { $1e9 = 1 }'`, 'out of memory'],
  [`awk 'BEGIN { NF = 1e9 }'`, 'out of memory'],
  [`awk '{ print }' /dev/zero`, 'out of memory'],
  [`awk 'BEGIN { s = sprintf("%2000000s", ""); s ~ /(a|a.*b)*c| x/ }'`, 'out of memory'],
  [`awk 'BEGIN { while (1) print "x" > ("/data/local/tmp/f" i++) }'`, 'Too many open files'],
  [`awk 'function f() { f() } BEGIN { f() }'`, 'function calls nested too deeply'],
  [`awk 'function f(a) { return f(a a) } BEGIN { f("aaaaaaaa") }'`, 'out of memory'],
  [`awk 'BEGIN { print ${'('.repeat(3_000)}1${')'.repeat(3_000)} }'`, 'nested too deeply'],
  [`awk 'BEGIN { print ${'1+'.repeat(40_000)}1 }'`, 'nested too deeply'],
  [`awk 'BEGIN { print ${'2^'.repeat(40_000)}1 }'`, 'nested too deeply'],
  [`awk 'BEGIN { ${'{'.repeat(5_000)} }'`, 'nested too deeply'],
  [`awk 'BEGIN { x ~ /(a{1,900}){1,900}/ }'`, 'illegal regular expression'],
];

describe('awk', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => (world = await startPhone()));
  after(() => world.stop());

  const run = (script: string, signal?: AbortSignal): ReturnType<typeof runScript> =>
    runScript(world.phone.machine, `cd /data/local/tmp; ${script}`, { ...(signal && { signal }) });

  for (const [script, stdout, status] of AWK_SCRIPTS)
    it(`does as one-true-awk: ${JSON.stringify(script)}`, async () => {
      const outcome = await run(script);
      expect({ stdout: outcome.stdout, status: outcome.status }).to.deep.equal({ stdout, status });
    });

  for (const script of REFUSED)
    it(`refuses before it runs: ${script}`, async () => {
      const { stdout, stderr, status } = await run(script.endsWith("'") ? script : `${script}'`);
      expect({ stdout, status }).to.deep.equal({ stdout: '', status: 2 });
      expect(stderr).to.match(/^awk: .+/);
    });

  it('refuses a regular expression that it does not know', async () => {
    const { stderr, status } = await run(`awk 'BEGIN { a ~ /(?:x)/ }'`);
    expect({ stderr, status }).to.deep.equal({ stderr: 'awk: illegal regular expression (?:x)\n', status: 2 });
  });

  it('counts characters, not bytes', async () => {
    const { stdout } = await run(
      `awk 'BEGIN { print length("äé€😀"), index("äé€", "€"), substr("ä😀b", 2, 1); printf "%3s|%c\\n", "é", 8364 }'`,
    );
    expect(stdout).to.equal('4 3 😀\n  é|€\n');
  });

  it('prints what it has while it waits for more', async () => {
    const { stdout } = await run(
      `(echo a; sleep 0.1; cat out; echo b) | awk '{ print > "/dev/stdout" }' > out; cat out; rm out`,
    );
    expect(stdout).to.equal('a\na\nb\n');
  });

  it('shows its version', async () => {
    expect((await run('awk --version')).stdout).to.match(/^awk version \d+\n$/);
  });

  for (const script of ENDLESS)
    it(`ends with its client, and lets others run: ${script}`, async () => {
      const client = new AbortController();
      let turns = 0;
      const isEnded = run(script, client.signal);
      for (; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
      client.abort();
      expect((await isEnded).status).to.equal(141);
      expect(world.phone.machine.memory.usedBytes).to.equal(0);
    });

  it('is ended by a signal, and gives back its memory', async () => {
    const script = `awk 'BEGIN { while (1) a[i++ % 10000] = i }' & sleep 0.2; kill -9 $!; wait $!; echo $?`;
    expect((await run(script)).stdout).to.equal('137\n');
    await until(() => world.phone.machine.memory.usedBytes === 0);
    const waiting = `printf 'a\\nb\\n' > in; sleep 100 | awk 'BEGIN { getline x < "in" } { print }' & sleep 0.1; kill -9 $!; wait; rm in`;
    await run(waiting);
    expect(world.phone.machine.memory.usedBytes).to.equal(0);
  });

  for (const [script, reason] of GREEDY)
    it(`stops at a limit: ${script.slice(0, 100)}`, async () => {
      const { stderr, status } = await run(script);
      expect(stderr)
        .to.match(/^awk: /)
        .and.contain(reason);
      expect(status).to.equal(2);
      expect(world.phone.machine.memory.usedBytes).to.equal(0);
    });
});
