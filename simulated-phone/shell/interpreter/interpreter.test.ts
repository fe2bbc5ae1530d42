import { expect } from 'chai';
import { runScript } from '../../../testing/phone/run-script.js';
import { startPhone } from '../../../testing/phone/start-phone.js';

/** Scripts, each with its output. */
const SCRIPTS: [script: string, stdout: string][] = [
  [`echo 'a  b' "c $HOME" d\\ e`, 'a  b c / d e\n'],
  ['X="1 2"; echo $X; echo "$X"; echo ${X}3 ${Y:-no} ${#X}', '1 2\n1 2\n1 23 no 3\n'],
  ['A=5 sh -c \'echo $A\'; echo "[$A]"', '5\n[]\n'],
  ['false && echo no || echo yes; true || echo no', 'yes\n'],
  ['echo $(echo $(echo deep)) `echo back`', 'deep back\n'],
  ['echo one; (exit 3); echo $?; { echo two; }', 'one\n3\ntwo\n'],
  ['if [ -e /sdcard ]; then echo there; else echo gone; fi', 'there\n'],
  ['for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done', '1\n3\n'],
  ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i', '3\n'],
  ['i=0; while true; do i=$((i + 1)); [ $i -ge 4 ] && break; done; echo $i', '4\n'],
  ['printf "b\\na\\nb\\n" | sort -u | wc -l', '2\n'],
  ['yes | head -n 2', 'y\ny\n'],
  ['printf "l1\\nl2\\nl3\\n" | while read line; do echo "<$line>"; done', '<l1>\n<l2>\n<l3>\n'],
  ['echo out > /sdcard/f; echo more >> /sdcard/f; cat < /sdcard/f; cat /sdcard/f | tail -1', 'out\nmore\nmore\n'],
  ['nothing 2>/dev/null; echo $?', '127\n'],
  [
    '(. /acct; echo no) 2>&1; (. /nope; echo no) 2>&1',
    '/system/bin/sh: .: /acct: Is a directory\n/system/bin/sh: .: /nope: No such file or directory\n',
  ],
  ['ls /nope 2>&1', 'ls: /nope: No such file or directory\n'],
  ['nope 2>&1', '/system/bin/sh: nope: inaccessible or not found\n'],
  ['echo x > /system/f 2>/dev/null; echo $?', '1\n'],
  ['case foo.apk in *.txt) echo text;; *.apk|*.zip) echo zip;; esac', 'zip\n'],
  ['F=/a/b.txt; echo ${F##*/} ${F%.txt}', 'b.txt /a/b\n'],
  ['touch "/sdcard/ä ö.png"; ls /sdcard/*.png; echo /sdcard/*.none', '/sdcard/ä ö.png\n/sdcard/*.none\n'],
  ['cat <<E\n$HOME and\nmore\nE', '/ and\nmore\n'],
  ['exec echo last; echo never', 'last\n'],
  ['set -- a "b c"; for x in "$@"; do echo "<$x>"; done; echo $#', '<a>\n<b c>\n2\n'],
  ['echo a b c | tr a-z A-Z | sed "s/B/<&>/" | cut -d" " -f2', '<B>\n'],
  ['echo foo=1 | grep -o "[0-9]"; echo foo | grep -q bar; echo $?', '1\n1\n'],
  ['cd /sdcard && pwd && cd .. && pwd', '/sdcard\n/\n'],
  ['ps -A >/dev/null && echo ok', 'ok\n'],
  ['echo 日本語 🙂 | grep 🙂', '日本語 🙂\n'],
  ['timeout 0.01 sleep 5; echo $?', '143\n'],
  ['f() { echo "$1 of $#"; shift; echo $1; }; set -- x; f a b; echo $1', 'a of 2\nb\nx\n'],
  ['function f { return 3; echo no; }; f; echo $?; f || echo failed', '3\nfailed\n'],
  ['x=1; f() { local x=2; y=3; echo $x; }; f; echo $x$y', '2\n13\n'],
  [
    'f() { echo $X; }; X=5 f; echo "[$X]"; f() { echo new; }; f; unset -f f; f 2>/dev/null; echo $?',
    '5\n[]\nnew\n127\n',
  ],
  ['up()\n{\n  tr a-z A-Z\n}\necho abc | up > /sdcard/up; cat /sdcard/up', 'ABC\n'],
  ['f() { [ $1 = 0 ] || { echo $1; f $(($1 - 1)); }; }; f 3; command -v f', '3\n2\n1\nf\n'],
  ['echo $((0x10 + 010)) $((5 > 3 ? 7 : 8)); i=1; echo $((i += 2)) $i $((i = 9)) $i', '26 7\n3 3 9 9\n'],
  ['printf "%.2f %o %e %g\\n" 3.14159 8 12345 0.5; printf "%d-%f\\n" 1', '3.14 10 1.234500e+04 0.5\n1-0.000000\n'],
  ['printf "\\xc3\\xa4\\377" | xxd -p; echo "\\xe2\\x82\\xac ä"', 'c3a4ff\n€ ä\n'],
  ['(sleep 0.05; echo first) & wait; echo second; (exit 3) & wait $!; echo $?', 'first\nsecond\n3\n'],
  ['sleep 100 & kill $!; wait $!; echo $?', '143\n'],
  ['cd /sdcard; cd /data/local/tmp; cd -; echo $OLDPWD', '/sdcard\n/data/local/tmp\n'],
  ['ping localhost | head -n 2 | wc -l', '2\n'],
  ['false; X=1; echo $?; X=$(exit 3); echo $?', '0\n3\n'],
  ['set a b; echo $# $2; set -e; echo $# $-; set --; echo $#', '2 b\n2 e\n0\n'],
  ['sh -c "set -e; false; echo no"; echo $?; sh -ec "(exit 4); echo no"; echo $?', '1\n4\n'],
  [
    'set -e; if false; then echo no; fi; false || echo or; ! true; f() { false; echo in; }; f && echo and; while false; do :; done; echo end',
    'or\nin\nand\nend\n',
  ],
  ['sh -e -c "X=\\$(false); echo no"; echo $?; sh -c "set -e; f() { false; echo no; }; f; echo no"; echo $?', '1\n1\n'],
  ['sh -c "set -e; false | true; echo on; set -o pipefail; false | true; echo no"; echo $?', 'on\n1\n'],
  [
    'sh -c "set -u; echo \\${X-none} \\$#; echo \\$X; echo no" 2>&1; echo $?',
    'none 0\n/system/bin/sh: X: parameter not set\n1\n',
  ],
  ['set -x; X=1 echo a "b c" 2>&1; set +x 2>/dev/null; echo d', 'a b c\nd\n'],
  ['sh -c "set -q; echo no" 2>&1; echo $?', '/system/bin/sh: set: -q: unknown option\n1\n'],
  ['printf "10 b\\n9 a\\n10 a\\n" | sort -n; printf "b 2\\na 10\\n" | sort -k2 -n -r', '9 a\n10 a\n10 b\na 10\nb 2\n'],
  ['f() (exit 4); f; echo $?; for i in 1 2; do g() { return $i; }; g; echo $?; done', '4\n1\n2\n'],
];

describe('the shell', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => (world = await startPhone()));
  after(() => world.stop());

  for (const [script, expected] of SCRIPTS)
    it(`runs ${JSON.stringify(script)}`, async () => {
      expect((await runScript(world.phone.machine, script)).stdout).to.equal(expected);
    });

  it('reports a syntax error and runs the next script', async () => {
    const { status, stderr } = await runScript(world.phone.machine, 'echo "open');
    expect({ status, stderr }).to.deep.equal({
      status: 1,
      stderr: '/system/bin/sh: syntax error: unterminated quoted string\n',
    });
    expect((await runScript(world.phone.machine, 'if true; then echo')).status).to.equal(1);
  });

  it('lets others run while a script spins, and ends it on abort', async () => {
    const stop = new AbortController();
    const spinning = runScript(world.phone.machine, 'while true; do :; done', { signal: stop.signal });
    expect((await runScript(world.phone.machine, 'echo alive')).stdout).to.equal('alive\n');
    stop.abort();
    expect((await spinning).status).to.equal(141);
  });

  it('does not run nested substitutions without end', async () => {
    const { status } = await runScript(world.phone.machine, `echo ${'$('.repeat(5_000)}`);
    expect(status).to.equal(1);
  });

  it('survives scripts that eat themselves', async () => {
    const { machine } = world.phone;
    const run = async (script: string): Promise<string> => (await runScript(machine, script)).stderr;
    expect(await run(`X='eval "$X"'; eval "$X"`)).to.contain('nested too deeply');
    expect(await run('X=aaaaaaaaaaaaaaaa; while true; do X=$X$X; done')).to.contain('too long');
    await machine.shellFiles.write('/data/local/tmp/bomb', 'sh /data/local/tmp/bomb');
    expect(await run('sh /data/local/tmp/bomb')).to.contain("can't fork");
    expect((await runScript(machine, 'echo alive')).stdout).to.equal('alive\n');
    expect(machine.processes.list().filter(({ name }) => name === 'sh')).to.deep.equal([]);
  });

  it('refuses the commands that a locked phone refuses', async () => {
    for (const command of [
      'reboot',
      'mount -o remount,rw /',
      'setprop service.adb.tcp.port 5555',
      'setprop sys.powerctl reboot',
      'su',
      'svc usb setFunctions mtp',
      'stop',
      'cmd power reboot',
      'disable-verity',
      '/system/bin/reboot',
      'toybox reboot',
    ])
      // prettier-ignore
      expect((await runScript(world.phone.machine, command)).status, command).to.not.equal(0);
    expect(world.phone.machine.properties.get('sys.powerctl')).to.equal('');
  });
});
