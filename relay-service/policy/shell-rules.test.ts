import { expect } from 'chai';
import { processorMs } from '../../testing/processor-time.js';
import { seededRandom } from '../../testing/seeded-random.js';
import { brokenShellRule as brokenRule } from './shell-rules.js';
import { MAX_TOKENS, shellCommands } from './shell-words.js';

const brokenShellRule = (script: string): string | undefined => brokenRule(script, 41_234);

describe('the commands of a shell script', () => {
  it('are split as a shell does it', () => {
    const scripts: [script: string, commands: string[][]][] = [
      ['ls -l', [['ls', '-l']]],
      ['a; b && c || d | e & f\ng', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
      [`re''boot "-p"`, [['reboot', '-p']]],
      ['echo \'a;b\' "c|d" e\\;f', [['echo', 'a;b', 'c|d', 'e;f']]],
      ['x=1 y="2 3" reboot', [['reboot']]],
      ['(cd /; { ls; })', [['cd', '/'], ['ls']]],
      ['echo $(reboot) `su`', [['echo'], ['reboot'], ['su']]],
      [
        'echo "$(svc power reboot)"',
        [
          ['echo', '$(svc power reboot)'],
          ['svc', 'power', 'reboot'],
        ],
      ],
      ['if true; then reboot; fi', [['true'], ['reboot'], ['fi']]],
      ['ls >/dev/null 2>&1 <in reboot', [['ls', 'reboot']]],
      ['ls # reboot\nid', [['ls'], ['id']]],
      ["$'reboot'", [['reboot']]],
      ['echo ${x:-$(reboot)}', [['echo', '${x:-'], ['reboot']]],
      ['cat <<EOF; id\nreboot\nEOF\nls', [['cat'], ['id'], ['ls']]],
      ["cat <<-'A'\nreboot\n\tA\nls", [['cat'], ['ls']]],
      ['cat <<A\nreboot', [['cat']]],
      ['case x in a) reboot;; esac', [['case', 'x', 'in', 'a'], ['reboot'], ['esac']]],
      ['', []],
      ["'", [['']]],
    ];
    for (const [script, commands] of scripts) expect(shellCommands(script), script).to.deep.equal(commands);
  });

  it('end for any text', () => {
    const random = seededRandom(5);
    const letters = 'ab \'"`$(){}<>;&|\\\n#=!x';
    for (let count = 0; count < 20_000; count++) {
      const length = Math.floor(random() * 40);
      shellCommands(Array.from({ length }, () => letters.charAt(Math.floor(random() * letters.length))).join(''));
    }
  });

  it('are found in linear time in any text', async () => {
    const parts = [
      '$(',
      '"',
      '(',
      '`',
      '<<a ',
      'find -exec ',
      'nice ',
      'sh -c ',
      'eval ',
      '\\',
      '#\n',
      'mount a ',
      "sh -c '$(",
      'x=1 ',
    ];
    for (const part of parts) {
      const timeOf = async (bytes: number): Promise<number> => {
        const script = part.repeat(Math.ceil(bytes / part.length));
        const times: number[] = [];
        for (let at = 0; at < 3; at++) times.push(await processorMs(() => brokenShellRule(script)));
        return Math.min(...times);
      };
      // Eight times the text; a quadratic search would take 64 times as long.
      const most = 30 * Math.max(10, await timeOf(16_000));
      expect(await timeOf(128_000), part).to.be.below(most);
    }
  });
});

describe('the rules for shell commands', () => {
  it('find refused commands in the forms in which people write them', () => {
    const scripts: Record<string, string[]> = {
      reboot: [
        'reboot',
        ' /system/bin/reboot -p',
        'toybox reboot',
        'sh -c reboot',
        'sh -c "sleep 1; reboot"',
        'sh -c \'sh -c "reboot"\'',
        'svc power reboot',
        'svc power shutdown',
        'setprop sys.powerctl reboot,recovery',
        'cmd power reboot',
        'nohup reboot &',
        'timeout 5 reboot',
        'env A=1 reboot',
        'exec reboot',
        'echo x | xargs reboot',
        'am broadcast -a android.intent.action.REBOOT',
        'am start -a android.intent.action.ACTION_REQUEST_SHUTDOWN',
        'eval reboot',
        "trap 'reboot' EXIT",
        'find / -exec reboot ;',
        'id;reboot',
        'x=$(reboot)',
        '\\reboot',
        'time -p reboot',
        'command -p reboot',
        'setsid -c reboot',
        'sh -c -- reboot',
        'logwrapper reboot',
        'chrt -f 50 reboot',
        'nice -n 5 ionice -c 2 reboot',
        'run-as com.x reboot',
        'setprop -- sys.powerctl reboot',
        'echo ${x:-$(reboot)}',
        'if true; then reboot; fi',
        "nohup sh -c 'sleep 1; reboot' &",
      ],
      root: [
        'su',
        'su 0 id',
        '/system/xbin/su -c id',
        'setprop service.adb.root 1',
        'setprop ctl.restart adbd',
        'stop adbd',
      ],
      remount: ['remount', 'mount -o rw,remount /system', 'mount -orw,remount /', 'mount -t ext4 /dev/x /vendor'],
      'disable-verity': ['disable-verity', 'avbctl disable-verity'],
      'enable-verity': ['enable-verity'],
      tcpip: [
        'setprop service.adb.tcp.port 5555',
        'setprop persist.adb.tcp.port 5555',
        'settings put global adb_wifi_enabled 1',
      ],
      usb: ['svc usb setFunctions mtp', 'setprop sys.usb.config mtp', 'setprop persist.sys.usb.config adb'],
      jdwp: ['am set-debug-app com.x'],
      restore: ['bu restore', 'bmgr restore x', 'cmd backup restore'],
    };
    for (const [rule, forms] of Object.entries(scripts))
      for (const script of forms) expect(brokenShellRule(script), script).to.equal(rule);
  });

  it('allow commands that only look like them', () => {
    for (const script of [
      'echo reboot',
      'ls /system/bin/reboot /system/bin/su',
      'grep -r "reboot; su" /sdcard',
      'am start -n com.reboot/.Main',
      'mount',
      'mount | grep system',
      'pm list packages | grep su',
      'settings get global adb_enabled',
      'setprop debug.x 1',
      'svc wifi enable',
      'cmd package list packages',
      'start',
      'which su',
      'find reboot',
      'find / -name su',
      'cat > reboot',
      'toString',
      'constructor',
      '__proto__',
      'command -v su',
      'command -V reboot',
      'svc usb getFunctions',
      'cat > x <<EOF\nreboot\nsu\nEOF',
      'timeout 5 grep su file',
      'nc -l 8080',
    ]) {
      expect(brokenShellRule(script), script).to.equal(undefined);
    }
  });

  it('are read up to a number of words and signs, those of scripts inside of them included', () => {
    const half = 'a '.repeat(MAX_TOKENS / 4);
    expect(brokenShellRule(`${half}; eval b`)).to.equal(undefined);
    expect(brokenShellRule(half + half)).to.equal('length');
    expect(brokenShellRule(`sh -c '${half}'; ${half}`)).to.equal('length');
    expect(brokenShellRule(`"$(${half})"; ${half}`)).to.equal('length');
    expect(brokenShellRule(`reboot; ${half} ${half}`)).to.equal('reboot');
    for (const part of ['a#', 'a;', '#\n', '`', '"$(', 'eval ']) {
      expect(brokenShellRule(part.repeat(60_000 / part.length)), part).to.equal('length');
    }
  });

  it('have comments where a word could begin only', () => {
    expect(shellCommands('a#b c # d; e\nf ## g')).to.deep.equal([['a#b', 'c'], ['f']]);
  });
});
