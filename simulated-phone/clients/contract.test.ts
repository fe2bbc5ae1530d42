import { expect } from 'chai';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';

/** The commands that clients run right after connecting: the client, the command, and the text that the client searches in its output. */
const CONTRACT: [client: string, command: string, expected: RegExp][] = [
  ['appium', 'echo ping', /^ping\n$/],
  ['all', 'getprop', /^\[dalvik\.vm\.heapsize\]: \[512m\]\n(\[[^\]]+\]: \[[^\n]*\]\n)+$/],
  ['all', 'getprop ro.build.version.sdk', /^34\n$/],
  ['all', 'getprop no.such.property', /^\n$/],
  ['appium', 'getprop sys.boot_completed; getprop init.svc.bootanim', /^1\nstopped\n$/],
  ['mobile-mcp', 'getprop ro.boot.qemu.avd_name; getprop ro.product.model', /^\nPhone 720p\n$/],
  ['appium', 'getprop persist.sys.timezone', /^Europe\/Paris\n$/],
  ['appium', 'service list', /\d+\tactivity: \[android\.app\.IActivityManager\]\n[^]*\tpackage: [^]*\twindow: /],
  ['adbkit', 'service check package', /^Service package: found\n$/],
  ['mobile-mcp', 'wm size', /^Physical size: 360x640\n$/],
  ['adbutils', 'wm size 720x1280; wm size; wm size reset', /^Physical size: 360x640\nOverride size: 720x1280\n$/],
  ['mobile-mcp', 'wm density', /^Physical density: 320\n$/],
  ['all', 'settings put global k v; settings get global k; settings delete global k; settings get global k', /^v\nDeleted 1 rows\nnull\n$/], // prettier-ignore
  ['appium', 'settings list system', /^accelerometer_rotation=1\n/],
  ['mobile-mcp', 'content insert --uri content://settings/system --bind name:s:user_rotation --bind value:i:1; settings get system user_rotation', /^1\n$/], // prettier-ignore
  ['all', 'pm list packages', /^package:com\.example\.home\npackage:com\.example\.notes\n$/],
  ['all', 'pm list packages -3', /^$/],
  ['appium', 'cmd package list packages --show-versioncode notes', /^package:com\.example\.notes versionCode:1\n$/],
  ['agent-device', 'pm list packages -f home', /^package:\/system\/app\/\S+\.apk=com\.example\.home\n$/],
  ['adbkit', 'pm list features 2>/dev/null', /^feature:reqGlEsVersion=0x30000\n(feature:\S+\n)*feature:android\.hardware\.touchscreen\n/], // prettier-ignore
  ['adbkit', 'pm path com.example.notes 2>/dev/null', /^package:\/.+\.apk\n$/],
  ['adbkit', 'pm path no.such; echo $?', /^1\n$/],
  [
    'agent-device',
    'cmd package resolve-activity --brief com.example.notes',
    /^priority=0 .*\ncom\.example\.notes\/\.MainActivity\n$/,
  ],
  ['agent-device', 'cmd package resolve-activity --brief no.such', /^No activity found\n$/],
  ['mobile-mcp', 'cmd package query-activities -a android.intent.action.MAIN -c android.intent.category.LAUNCHER', /packageName=com\.example\.notes\n/], // prettier-ignore
  [
    'agent-device',
    'cmd package query-activities --brief -a android.intent.action.MAIN',
    /\n {2}com\.example\.notes\/\.MainActivity\n/,
  ],
  ['agent-device', 'cmd package has-feature android.hardware.touchscreen', /^true\n$/],
  ['appium', 'dumpsys package com.example.notes', /Packages:\n {2}Package \[com\.example\.notes\] \(\w+\):\n {4}userId=\d+\n[^]* {4}versionCode=1 minSdk=\d+ targetSdk=\d+\n {4}versionName=1\.0\n[^]*User 0: .*installed=true/], // prettier-ignore
  ['appium', 'dumpsys package no.such', /^Unable to find package: no\.such\n$/],
  ['appium', 'dumpsys window displays', /init=360x640 320dpi cur=360x640 app=360x\d+[^]*mCurrentFocus=Window\{\w+ u0 com\.example\.home\/com\.example\.home\.HomeActivity\}\n {2}mFocusedApp=ActivityRecord\{\w+ u0 com\.example\.home\/\.HomeActivity t\d+\}/], // prettier-ignore
  ['appium', 'dumpsys window', /mDreamingLockscreen=false[^]*KeyguardStateMonitor\n {4}mIsShowing=false\n {4}mInputRestricted=false[^]*screenState=SCREEN_STATE_ON[^]*mScreenOnFully=true/], // prettier-ignore
  ['appium', 'dumpsys activity activities', /mResumedActivity: ActivityRecord\{\w+ u0 com\.example\.home\/\.HomeActivity t\d+\}\n {2}topResumedActivity=ActivityRecord/], // prettier-ignore
  ['adbutils', 'dumpsys activity top', /ACTIVITY com\.example\.home\/\.HomeActivity \w+ pid=\d+ userId=0/],
  ['uiautomator2', 'dumpsys input', /SurfaceOrientation: 0\n/],
  [
    'android_world',
    'dumpsys input | grep logicalFrame',
    /logicalFrame=\[0, 0, 360, 640\], physicalFrame=\[0, 0, 360, 640\]/,
  ],
  [
    'android_env',
    'am stack list',
    /visible=true topActivity=ComponentInfo\{com\.example\.home\/com\.example\.home\.HomeActivity\}\n/,
  ],
  [
    'adbutils',
    'dumpsys display',
    /DisplayViewport\{type=INTERNAL, .*orientation=0, .*deviceWidth=360, deviceHeight=640\}/,
  ],
  ['mobile-mcp', 'dumpsys SurfaceFlinger --display-id', /^Display \d+ \(HWC display 0\): port=0 [^\n]*\n$/],
  ['appium', 'dumpsys input_method', /mInputShown=true\n {2}mIsInputViewShown=true\n {2}mImeWindowVis=0x3\n[^]*inputType=0x1[^]*packageName=com\.example\.home/], // prettier-ignore
  ['appium', 'dumpsys power', / {2}mWakefulness=Awake\n/],
  ['stf', 'dumpsys battery', / {2}AC powered: true\n[^]* {2}status: 2\n[^]* {2}level: 100\n/],
  ['appium', 'ime list -s -a', /^\S+\/\S+\n/],
  ['uiautomator2', 'ime set com.github.uiautomator/.AdbKeyboard', /^Input method com\.github\.uiautomator\/\.AdbKeyboard selected for user #0\n$/], // prettier-ignore
  ['appium', 'am start -W -n com.example.notes/.MainActivity', /^Starting: Intent \{ cmp=com\.example\.notes\/\.MainActivity \}\nStatus: ok\nLaunchState: COLD\nActivity: com\.example\.notes\/\.MainActivity\nTotalTime: \d+\nWaitTime: \d+\nComplete\n$/], // prettier-ignore
  [
    'adbkit',
    'am start -n com.example.notes/.MainActivity 2>&1',
    /Warning: Activity not started, intent has been delivered/,
  ],
  [
    'appium',
    'am start -n com.x/com.x.Y 2>&1; echo $?',
    /Error type 3\nError: Activity class \{com\.x\/com\.x\.Y\} does not exist\.\n1\n$/,
  ],
  [
    'appium',
    'am start -a android.intent.action.VIEW -d nope:1 2>&1',
    /Error: Activity not started, unable to resolve Intent \{ act=/,
  ],
  ['uiautomator2', 'pidof com.example.notes', /^\d+\n$/],
  ['mobile-mcp', 'am force-stop com.example.notes; pidof com.example.notes; echo $?', /^1\n$/],
  ['mobile-mcp', 'monkey -p com.example.notes -c android.intent.category.LAUNCHER 1', /^Events injected: 1\n/],
  ['mobile-mcp', 'monkey -p no.such -c android.intent.category.LAUNCHER 1 2>&1; echo $?', /\*\* No activities found to run, monkey aborted\.\n252\n$/], // prettier-ignore
  ['appium', 'am broadcast -a io.appium.x --es a b', /^Broadcasting: Intent \{ act=io\.appium\.x flg=0x400000 \(has extras\) \}\nBroadcast completed: result=0\n$/], // prettier-ignore
  [
    'uiautomator2',
    `am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text aGk=`,
    /Broadcast completed: result=-1, data="success"\n$/,
  ],
  ['all', 'pm clear com.example.notes; pm clear no.such', /^Success\nFailed\n$/],
  ['appium', 'pm uninstall no.such', /^Failure \[DELETE_FAILED_INTERNAL_ERROR\]\n$/],
  ['mobile-mcp', 'ps -A', /^USER +PID +PPID +VSZ +RSS +WCHAN +ADDR +S +NAME\n[^]*u0_a\d+ +\d+ +\d+ +\d+ +\d+ +\S+ +\S+ +S +com\.example\.home\n/], // prettier-ignore
  ['appium', 'ps --help', /^-A\t/m],
  ['all', 'id', /^uid=2000\(shell\) gid=2000\(shell\) groups=/],
  ['all', 'whoami; uname -a', /^shell\nLinux localhost .* Toybox\n$/],
  ['all', 'ls -l /data/local/tmp; echo x > /data/local/tmp/f; ls -l /data/local/tmp/f', /-rw[-r]{7} 1 shell +shell +2 \d{4}-\d\d-\d\d \d\d:\d\d \/data\/local\/tmp\/f\n$/], // prettier-ignore
  ['uiautomator2', 'toybox md5sum /data/local/tmp/f; md5sum /data/local/tmp/f', /^(401b30e3b8b5d629635a5c613cdb7919 {2}\/data\/local\/tmp\/f\n){2}$/], // prettier-ignore
  ['stf', 'cat /proc/meminfo', /^MemTotal: +\d+ kB\nMemFree: +\d+ kB\n/],
  ['appium', 'cat /proc/net/tcp', /^ {2}sl {2}local_address/],
  [
    'appium',
    'ip addr show wlan0; ifconfig wlan0',
    /inet 10\.0\.2\.16\/24[^]*inet addr:10\.0\.2\.16 {2}Bcast:10\.0\.2\.255/,
  ],
  ['appium', 'cmd connectivity airplane-mode enable; settings get global airplane_mode_on; cmd connectivity airplane-mode disable', /^1\n$/], // prettier-ignore
  ['appium', 'svc wifi disable; settings get global wifi_on; svc wifi enable; svc data disable; settings get global mobile_data', /^0\n0\n$/], // prettier-ignore
  ['appium', 'cmd location is-location-enabled', /^true\n$/],
  ['appium', 'cmd alarm set-timezone Asia/Tokyo; getprop persist.sys.timezone; date +%z', /^Asia\/Tokyo\n\+0900\n$/],
  [
    'appium',
    'logcat -d -v threadtime',
    /^--------- beginning of system\n\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ I \S+ *: /,
  ],
  [
    'stf',
    'log -t Probe hello; logcat -d -b main -v brief -s Probe:I',
    /^--------- beginning of main\nI\/Probe {3}\( *\d+\): hello\n$/,
  ],
  ['all', 'logcat -c; logcat -d', /^$/],
  ['all', 'uiautomator dump; head -c 60 /sdcard/window_dump.xml', /^UI hierchary dumped to: \/sdcard\/window_dump\.xml\n<\?xml version='1\.0' encoding='UTF-8' standalone='yes' \?><hie/], // prettier-ignore
  ['mobile-mcp', 'uiautomator dump /dev/tty', /<\/hierarchy>UI hierchary dumped to: \/dev\/tty\n$/],
  [
    'uiautomator2',
    'CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main 2>&1; echo $?',
    /^Error: could not find or load main class com\.wetest\.uia2\.Main\nAborted\n134\n$/,
  ],
  ['appium', 'am instrument -w io.appium.uiautomator2.server.test/x.Runner 2>&1', /INSTRUMENTATION_FAILED: io\.appium/],
  ['all', 'input tap 1 2>&1; echo $?', /^Error: Invalid arguments for command: tap\n[^]*255\n$/],
  ['all', 'input text é 2>&1; echo $?', /NullPointerException[^]*255\n$/],
  ['all', 'foo 2>&1; echo $?', /^\/system\/bin\/sh: foo: inaccessible or not found\n127\n$/],
];

describe('the shell contract', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => (world = await startPhone()));
  after(() => world.stop());

  for (const [client, command, expected] of CONTRACT)
    it(`serves ${client}: ${command}`, async () => {
      expect((await runScript(world.phone.machine, command)).stdout).to.match(expected);
    });

  it('touches and types as input commands', async () => {
    const { screen } = world;
    screen.touches.length = 0;
    await runScript(world.phone.machine, 'input tap 10 20.5; input swipe 0 0 100 50 20; input motionevent DOWN 3 4');
    expect(screen.touches.slice(0, 3)).to.deep.equal([
      { phase: 'down', x: 10, y: 20.5, pointer: 0 },
      { phase: 'up', x: 10, y: 20.5, pointer: 0 },
      { phase: 'down', x: 0, y: 0, pointer: 0 },
    ]);
    expect(screen.touches.slice(-2)).to.deep.equal([
      { phase: 'up', x: 100, y: 50, pointer: 0 },
      { phase: 'down', x: 3, y: 4, pointer: 0 },
    ]);
    screen.keys.length = 0;
    await runScript(world.phone.machine, 'input keyevent KEYCODE_HOME 66 paste');
    expect(screen.keys.map(({ code, phase }) => `${code}${phase}`)).to.deep.equal(['3down', '3up', '66down', '66up', '279down', '279up']); // prettier-ignore
  });

  it('takes Unicode text by broadcast only', async () => {
    world.screen.text = '';
    const text = Buffer.from('héllo 例 🙂').toString('base64');
    await runScript(
      world.phone.machine,
      `input text 'a%sb'; am broadcast -a ADB_INPUT_B64 --es msg ${text}; am broadcast -a ADB_INPUT_TEXT --es msg ' ü'`,
    );
    expect(world.screen.text).to.equal('a bhéllo 例 🙂 ü');
    await runScript(world.phone.machine, 'am broadcast -a ADB_CLEAR_TEXT');
    expect(world.screen.text).to.equal('');
  });

  it('leaves the old dump and reports it in text only, when there is nothing to dump', async () => {
    await runScript(world.phone.machine, 'uiautomator dump');
    world.screen.outcome = { kind: 'null-root' };
    const dumped = await runScript(world.phone.machine, 'uiautomator dump');
    expect(dumped).to.include({
      status: 0,
      stdout: '',
      stderr: 'ERROR: null root node returned by UiTestAutomationBridge.\n',
    });
    world.screen.outcome = { kind: 'not-idle' };
    expect((await runScript(world.phone.machine, 'uiautomator dump')).stderr).to.equal(
      'ERROR: could not get idle state.\n',
    );
    expect((await runScript(world.phone.machine, 'cat /sdcard/window_dump.xml')).stdout).to.contain('</hierarchy>');
  });

  it('captures black where the window is secure, and a broken picture by a fault', async () => {
    world.screen.secure = true;
    const { bytes } = await runScript(world.phone.machine, 'screencap');
    expect(bytes.subarray(16).equals(Buffer.alloc(360 * 640 * 4, Buffer.from([0, 0, 0, 255])))).to.equal(true);
    world.screen.secure = false;
    const { machine, faults } = world.phone;
    const whole = (await runScript(machine, 'screencap -p')).bytes;
    faults.lie = 'broken-png';
    expect((await runScript(machine, 'screencap -p')).bytes.length).to.be.lessThan(whole.length);
    faults.lie = 'xml-bomb';
    expect((await runScript(machine, 'uiautomator dump /dev/tty')).stdout).to.contain('<!ENTITY');
    faults.clear();
  });
});
