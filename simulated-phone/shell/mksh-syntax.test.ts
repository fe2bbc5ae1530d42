import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { MKSH_SCRIPTS } from '../../testing/phone/mksh-scripts.js';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { NEEDS_MKSH, skip } from '../../testing/skip.js';

/** Syntax of mksh that the phone's shell does not have, with a command after it that must not run. */
const REFUSED = [
  'select x in a b; do echo $x; done; echo no',
  'echo a |& cat; echo no',
  'echo !(a)b; echo no',
  'x=${ echo a;}; echo no',
  'echo ${|REPLY=a;}; echo no',
  'typeset -t x; echo no',
  'read -p x; echo no',
  'print -p x; echo no',
  'set -v; echo no',
  'set -m; echo no',
  'echo $((#5)); echo no',
];

/** Syntax that other shells have, and mksh does not have. */
const UNKNOWN = [
  '[[ abc =~ b ]]; echo no',
  'for ((i = 0; i < 2; i++)); do echo $i; done; echo no',
  'echo ${x^^}; echo no',
  'echo ${!x@}; echo no',
  'cat <(echo a); echo no',
  'echo $((2 ** 3)); echo no',
];

describe("mksh's syntax in the phone's shell", () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => (world = await startPhone()));
  after(() => world.stop());

  for (const [script, stdout, status] of MKSH_SCRIPTS)
    it(`does as mksh: ${JSON.stringify(script)}`, async () => {
      const outcome = await runScript(world.phone.machine, script);
      expect({ stdout: outcome.stdout, status: outcome.status }).to.deep.equal({ stdout, status });
    });

  for (const script of [...REFUSED, ...UNKNOWN])
    it(`ends the script with status 1: ${JSON.stringify(script)}`, async () => {
      const { stdout, stderr, status } = await runScript(world.phone.machine, script);
      expect({ stdout, status }).to.deep.equal({ stdout: '', status: 1 });
      expect(stderr).to.match(/^\/system\/bin\/sh: .+\n$/);
    });

  it('ends with the status of the signal that ended it or a job of it', async () => {
    const { machine } = world.phone;
    const status = async (script: string): Promise<number> => (await runScript(machine, script)).status;
    expect(await status('kill -9 $$; echo no')).to.equal(137);
    expect(await status('kill $$; sleep 100')).to.equal(143);
    expect(await status('sleep 100 & kill -9 $!; wait $!')).to.equal(137);
    expect(await status('sleep 100 & kill -s HUP $!; wait $!')).to.equal(129);
    expect(await status("sh -c 'kill -9 $$'")).to.equal(137);
    expect(await status('sleep 100 & kill -9 %1; wait %1')).to.equal(137);
    expect(await status('kill -WINCH $$; exit 3')).to.equal(3);
  });

  it('runs a trap while it waits, and for EXIT when it ends', async () => {
    const { stdout, status } = await runScript(
      world.phone.machine,
      "trap 'echo got; exit 4' TERM; trap 'echo end' EXIT; (kill $$) & sleep 100 & wait; echo no",
    );
    expect({ stdout, status }).to.deep.equal({ stdout: 'got\nend\n', status: 4 });
  });

  it('keeps arrays, attributes and locals apart from those of subshells and functions', async () => {
    const script =
      'a=(1 2); typeset -i n=5; (a[1]=x; n=9; unset a; echo "${#a[@]} $n"); f() { local a=(); a=(8 9); echo ${a[1]}; }; f 2>/dev/null; echo ${a[1]} $n';
    const { stdout } = await runScript(world.phone.machine, script.replace('local a=(); ', 'local a; '));
    expect(stdout).to.equal('0 9\n9\n2 5\n');
  });

  it('gives a new file the rights that umask leaves', async () => {
    const { stdout } = await runScript(
      world.phone.machine,
      'cd /data/local/tmp; umask 027; echo > masked; umask 0; echo > open; stat -c %a masked open',
    );
    expect(stdout).to.equal('640\n666\n');
  });

  it('is what mksh does', function () {
    if (spawnSync('mksh', ['-c', 'true']).status !== 0) skip(this, NEEDS_MKSH);
    for (const [script, stdout, status] of MKSH_SCRIPTS) {
      // A shell of this machine has another process table, may be slower, and its `sh` may be another shell.
      if (/\bsh\b|\bkill\b|&(?!&)|\bsleep\b/.test(script)) continue;
      const run = spawnSync('mksh', ['-c', script, 'sh'], { cwd: '/', input: '', env: { PATH: '/usr/bin:/bin', HOME: '/', LC_ALL: 'C.UTF-8' } }); // prettier-ignore
      expect({ script, stdout: run.stdout.toString(), status: run.status }).to.deep.equal({ script, stdout, status });
    }
  });
});
