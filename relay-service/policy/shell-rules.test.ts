import { expect } from 'chai';
import { seededRandom } from '../../phone/simulated/clients/start-phone.js';
import { brokenShellRule } from './shell-rules.js';
import { simpleCommands } from './simple-commands.js';

describe('the commands of a shell script', () => {
  it('are taken apart as a shell does it', () => {
    const scripts: [script: string, commands: string[][]][] = [
      ['ls -l', [['ls', '-l']]],
      ['a; b && c || d | e & f\ng', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
      [`re''boot "-p"`, [['reboot', '-p']]],
      ['echo \'a;b\' "c|d" e\\;f', [['echo', 'a;b', 'c|d', 'e;f']]],
      ['x=1 y="2 3" reboot', [['reboot']]],
      ['(cd /; { ls; })', [['cd', '/'], ['ls']]],
      ['echo $(reboot) `su`', [['reboot'], ['su'], ['echo', '$(reboot)', '`su`']]],
      [
        'echo "$(svc power reboot)"',
        [
          ['svc', 'power', 'reboot'],
          ['echo', '$(svc power reboot)'],
        ],
      ],
      ['if true; then reboot; fi', [['true'], ['reboot'], ['fi']]],
      ['ls >/dev/null 2>&1 <in reboot', [['ls', 'reboot']]],
      ['ls # reboot\nid', [['ls'], ['id']]],
      ["$'\\x72eboot'", [['reboot']]],
      ['echo ${x:-a b} {a,b}', [['echo', '${x:-a b}', '{a,b}']]],
      ['', []],
      ["'", [['']]],
    ];
    for (const [script, commands] of scripts) expect(simpleCommands(script), script).to.deep.equal(commands);
  });

  it('end, whatever the text is', () => {
    const random = seededRandom(5);
    const letters = 'ab \'"`$(){}<>;&|\\\n#=!x';
    for (let count = 0; count < 20_000; count++) {
      const length = Math.floor(random() * 40);
      simpleCommands(Array.from({ length }, () => letters.charAt(Math.floor(random() * letters.length))).join(''));
    }
    const began = performance.now();
    brokenShellRule('$('.repeat(30_000));
    brokenShellRule('"'.repeat(60_000));
    brokenShellRule('('.repeat(60_000));
    brokenShellRule('`'.repeat(60_000));
    expect(performance.now() - began).to.be.below(2_000);
  });
});

describe('the rules for shell commands', () => {
  it('find the refused ones in the ways that people write them', () => {
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

  it('leave alone what only looks like them', () => {
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
      'cat > reboot',
      'toString',
      'constructor',
      '__proto__',
    ]) {
      expect(brokenShellRule(script), script).to.equal(undefined);
    }
  });
});
