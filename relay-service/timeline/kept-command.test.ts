import { expect } from 'chai';
import { processorMs } from '../../testing/processor-time.js';
import { MAX_TOKENS } from '../policy/shell-words.js';
import { keptCommand } from './kept-command.js';

const BASE64 = Buffer.from('input text hunter2').toString('base64');

/** Command lines that type `hunter2` or put it into the clipboard, by what is kept of them. */
const TYPING: Record<string, readonly string[]> = {
  'input text …': [
    "input text 'hunter2'",
    'input keyboard text hunter2',
    'input -d 0 text hunter2; ls',
    'input touchscreen -d 1 text hunter2',
    'input tap 1 2; input text hunter2\nls',
    "in''put text hunter2",
    'i"n"p\\ut te\\\nxt hunter2',
    "input text 'one\nhunter2'",
    'input text "one\nhunter2"; id',
    'ls && /system/bin/input text hunter2',
    'sh -c "input text hunter2"',
    'sh -c \'sh -c "input text hunter2"\'',
    'eval input text hunter2',
    'nohup timeout 5 input text hunter2 &',
    'timeout -s KILL 5 input text hunter2',
    'p=hunter2; input text "$p"',
    'echo hunter2 | while read p; do input text $p; done',
    'echo hunter2 | xargs input text',
    'echo hunter2 | xargs -I{} input text {}',
    'find /sdcard -name hunter2 -exec input text {} \\;',
    'cat > /data/local/tmp/a <<E\ninput text hunter2\nE',
    'type_it() { input text "$1"; }; type_it hunter2',
    "alias t='input text'; t hunter2",
    'awk \'BEGIN{system("input text hunter2")}\'',
    'cmd input text hunter2',
    'input\0text\0hunter2',
  ],
  'input …': [
    'x=text; input $x hunter2',
    'echo text hunter2 | xargs input',
    'input "$@" hunter2',
    'input te?t hunter2',
  ],
  'input keyevent …': [
    'input keyevent 36 49 42 48 33 46 9 # hunter2',
    'input keyevent KEYCODE_H KEYCODE_U; true hunter2',
    'input keyevent 0x24 # hunter2',
  ],
  'am broadcast -a ADB_INPUT_B64 …': [
    'am broadcast -a ADB_INPUT_B64 --es msg hunter2',
    "am broadcast --es msg 'hunter2' -a ADB_INPUT_B64",
    'am broadcast --es msg -a -a ADB_INPUT_B64 -n hunter2',
    'am broadcast --user 0 -e msg hunter2 -a ADB_INPUT_B64',
    'a\'m\' broad"cast" -a ADB_INPUT_B64 --es msg hunter2',
    'cmd activity broadcast -a ADB_INPUT_B64 --es msg hunter2',
    'activity\0broadcast\0-a\0ADB_INPUT_B64\0--es\0msg\0hunter2',
  ],
  'am broadcast -a ADB_KEYBOARD_INPUT_TEXT …': ['am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text hunter2'],
  'am broadcast -a ADB_SET_TEXT …': ['am broadcast -a ADB_SET_TEXT --es text "one\nhunter2"'],
  'am broadcast -a ADB_INPUT_CHARS …': ["am broadcast -a ADB_INPUT_CHARS --eia chars '104,117' # hunter2"],
  'am broadcast -a clipper.set …': ["am broadcast -a clipper.set -e text 'hunter2'"],
  'am broadcast -a io.appium.settings.clipboard.set …': [
    'am broadcast -a io.appium.settings.clipboard.set --es text hunter2',
  ],
  'am broadcast -a com.example.keys.TYPE …': ['am broadcast -a com.example.keys.TYPE --es t hunter2'],
  'am broadcast …': [
    'am broadcast -a "$a" --es msg hunter2',
    "am broadcast 'intent:#Intent;action=X;S.text=hunter2;end'",
    'echo "am broadcast -a ADB_INPUT_TEXT --es msg hunter2" > /sdcard/a',
  ],
  'am start -a android.intent.action.SEND …': [
    'am start -a android.intent.action.SEND --es android.intent.extra.TEXT hunter2',
  ],
  'am startservice …': ['am startservice -n com.example.clipboard/.Set --es text hunter2'],
  'content insert …': [
    'content insert --uri content://com.example.portal/keyboard/input --bind base64_text:s:hunter2',
    'content insert --bind text:s:"hunter2" --uri content://com.example.keys/text',
  ],
  'content call …': ['content call --uri content://com.example.keys --method type --arg hunter2'],
  'content query …': ["content query --uri 'content://com.example.keys/type?text=hunter2'"],
  'service call …': ['service call clipboard 2 s16 com.android.shell s16 hunter2'],
  'cmd clipboard …': ['cmd clipboard set-text hunter2'],
  'sh …': [
    `echo ${BASE64} hunter2 | base64 -d | sh`,
    'sh <<E\nx=hunter2; in""put te""xt $x\nE',
    'printf hunter2 | sh -s',
    'echo hunter2 | sh /dev/stdin',
    'sh -c $(echo hunter2)',
  ],
  '…': [
    '$(echo input) text hunter2',
    'x=1 `echo input` text hunter2',
    'in$(echo put) text hunter2',
    'a=in; b=put; $a$b text hunter2',
    'c="inp ut"; "$c" hunter2',
    'set -- hunter2; "$@"',
    'eval "$(echo hunter2 | base64 -d)"',
    'eval ls $(echo hunter2)',
    'env $(echo input) text hunter2',
    "$'in\\x70ut' text hunter2",
    '{input,text,hunter2}',
    'input${IFS}text${IFS}hunter2; ls',
    '/system/bin/inp* text hunter2',
    'sh -c "\\$0 \\$1 hunter2" input text',
  ],
};

describe('a command line in a timeline', () => {
  for (const [kept, commands] of Object.entries(TYPING)) {
    for (const command of commands) {
      it(`is ${JSON.stringify(kept)} of ${JSON.stringify(command)}`, () => {
        expect(command).to.contain('hunter2');
        expect(keptCommand(command)).to.equal(kept);
      });
    }
  }

  it('is kept whole where it types nothing', () => {
    for (const command of [
      'ls -l /sdcard',
      '',
      'id; input tap 1 2 && input swipe 1 2 3 4 500',
      'input keyevent 4 KEYCODE_HOME',
      'for i in 1 2 3; do input tap $i 20; sleep 1; done',
      'for p in $(pm list packages); do echo ${p#package:}; done',
      'kill $(pidof com.example)',
      'x=$(date); echo "$x"',
      'kill `pidof com.example` | cat',
      'am start -n com.example/.Main --es mode fast',
      'am broadcast -a android.intent.action.BOOT_COMPLETED',
      'am force-stop com.example',
      'content query --uri content://settings/secure --where "name=\'x\'"',
      'settings put global window_animation_scale 0',
      'service call SurfaceFlinger 1008 i32 1',
      'service list',
      'dumpsys input',
      'dumpsys window | grep -E "mCurrentFocus=|mFocusedApp="',
      'sh /data/local/tmp/run.sh --fast',
      'CLASSPATH=/data/local/tmp/a.jar app_process / com.example.Main 2>&1',
      'if [ -f /sdcard/a ]; then cat /sdcard/a; fi',
      'logcat -d *:E',
      'constructor toString',
    ])
      expect(keptCommand(command)).to.equal(command);
    expect(keptCommand('package\0list\0packages')).to.equal('package list packages');
  });

  it('is cut, and kept without anything where it is too long to be read', () => {
    expect(keptCommand('x'.repeat(50_000))).to.equal(`${'x'.repeat(4_000)} …`);
    expect(keptCommand(`echo ${'x'.repeat(50_000)}; input text hunter2`)).to.equal('input text …');
    expect(keptCommand(`hunter2${' x'.repeat(MAX_TOKENS)}`)).to.equal('…');
  });

  it('is read in linear time', async () => {
    for (const part of ['input ', '$(', '`', 'sh -c ', "'", 'am broadcast -a ', 'x=1 ', 'content insert ', '\\']) {
      const timeOf = async (bytes: number): Promise<number> => {
        const script = part.repeat(Math.ceil(bytes / part.length));
        const times: number[] = [];
        for (let at = 0; at < 3; at++) times.push(await processorMs(() => keptCommand(script)));
        return Math.min(...times);
      };
      // Eight times the text; a quadratic search would take 64 times as long.
      const most = 30 * Math.max(10, await timeOf(16_000));
      expect(await timeOf(128_000), part).to.be.below(most);
    }
  });
});
