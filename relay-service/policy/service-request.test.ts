import { expect } from 'chai';
import { judge, readService, type Verdict } from './service-request.js';

const PHONE_PORT = 41_234;
const judged = (name: string): Verdict => judge(readService(name), PHONE_PORT);
const ruleOf = (name: string): string | undefined => judged(name).rule;

describe('a service request', () => {
  it('is refused for each service that is always refused, in the forms of old and new clients', () => {
    const names: Record<string, string[]> = {
      root: ['root:', 'root:anything'],
      remount: ['remount:', 'remount:-R', 'shell,v2,TERM=x,raw:remount', 'shell,v2,raw:remount -R'],
      reboot: ['reboot:', 'reboot:bootloader', 'reboot:sideload', 'reboot:fastboot', 'shell:reboot', 'exec:reboot'],
      'disable-verity': ['disable-verity:', 'shell,v2,TERM=x,raw:disable-verity'],
      reverse: [
        'reverse:forward:tcp:1;tcp:2',
        'reverse:list-forward',
        'reverse:killforward-all',
        'reverse:forward:norebind:x;y',
      ],
      tcpip: ['tcpip:5555'],
      usb: ['usb:'],
      jdwp: ['jdwp', 'jdwp:123', 'track-jdwp'],
      sideload: ['sideload:100', 'sideload-host:100:65536', 'rescue-install:1:2', 'rescue-wipe:userdata'],
      restore: ['restore:'],
    };
    for (const [rule, forms] of Object.entries(names))
      for (const name of forms) expect(ruleOf(name), name).to.equal(rule);
  });

  it('is refused for services that lead around the relay, and for unknown ones', () => {
    const names: Record<string, string> = {
      'unroot:': 'unroot',
      'enable-verity:': 'enable-verity',
      'track-app': 'track',
      'track-devices': 'track',
      'dev:/dev/block': 'dev',
      'dev-raw:/dev/x': 'dev',
      'vsock:3:5555': 'vsock',
      'acceptfd:3': 'acceptfd',
      'tcp:5555': 'forward',
      'tcp:127.0.0.1:5555': 'forward',
      'tcp:localhost:5555': 'forward',
      [`tcp:${PHONE_PORT}`]: 'forward',
      'tcp:0x15b3': 'forward',
      'tcp:05555': 'forward',
      'tcp:71091': 'forward',
      [`tcp:localhost:${PHONE_PORT + 65_536}`]: 'forward',
      'tcp:65536': 'forward',
      'tcp:+8080': 'forward',
      'tcp: 8080': 'forward',
      'tcp:8080 ': 'forward',
      'tcp:8e3': 'forward',
      'tcp:8080\n': 'forward',
      'tcp:0': 'forward',
      'tcp:10.0.0.7:80': 'forward',
      'tcp:::1:5555': 'forward',
      'localfilesystem:/dev/socket/adbd': 'forward',
      'localfilesystem:/dev/socket/property_service': 'forward',
      'localreserved:property_service': 'forward',
      'local:/dev/socket/property_service': 'forward',
      'localabstract:property_service': 'forward',
      'localabstract:scrcpy/../adbd': 'forward',
      'backup:;reboot': 'reboot',
      'backup:;x': 'unknown',
      'backup:$(x)': 'unknown',
      'shell:reboot\0x': 'unknown',
      'shell,v2,raw:ls\0x': 'unknown',
      'exec:ls\0x': 'unknown',
      'tcp:8080\0x': 'unknown',
      'shell:service-login\0x': 'unknown',
      'shell:nc 127.0.0.1 5555': 'forward',
      'shell:nc 127.0.0.1 71091': 'forward',
      [`shell:echo x | toybox nc localhost ${PHONE_PORT}`]: 'forward',
      'localabstract:jdwp-control': 'jdwp',
      reconnect: 'unknown',
      spin: 'unknown',
      '': 'unknown',
      'REBOOT:': 'unknown',
    };
    for (const [name, rule] of Object.entries(names)) expect(ruleOf(name), name).to.equal(rule);
  });

  it('is allowed for ordinary work', () => {
    for (const name of [
      'shell,v2,TERM=xterm,raw:ls -l /sdcard',
      'shell,v2,TERM=xterm,pty:',
      'shell:',
      `shell,v2,TERM=x:export ANDROID_LOG_TAGS="''"; exec logcat '-d'`,
      "exec:screencap '-p'",
      'sync:',
      'abb_exec:package\0install\0-S\x00100',
      'abb:settings\0get\0global\0x',
      'framebuffer:',
      "backup: '-all'",
      'tcp:8080',
      'tcp:65535',
      'tcp:127.0.0.1:8080',
      'localabstract:chrome_devtools_remote',
      'localabstract:webview_devtools_remote_1234',
      'localabstract:scrcpy',
      'localabstract:scrcpy_1a2b3c4d',
      'localabstract:minicap',
      "backup: '-apk' '-all' 'com.example.app'",
      'shell:nc -l 8080',
    ]) {
      expect(ruleOf(name), name).to.equal(undefined);
    }
  });

  it('is a login in every form, with the code without its quotes', () => {
    for (const name of [
      'shell,v2,TERM=xterm,raw:service-login CODE',
      'shell,v2,TERM=xterm,pty:service-login CODE',
      'shell,v2:service-login  CODE ',
      'shell:service-login CODE',
      "exec:service-login 'CODE'",
      'shell,v2,raw: service-login "CODE"',
      'shellfoo,bar:service-login CODE',
    ]) {
      expect(readService(name).loginCode, name).to.equal('CODE');
    }
    expect(readService('shell:service-login').loginCode).to.equal('');
    expect(readService('shell:service-loginx CODE').loginCode).to.equal(undefined);
  });

  it('is a transfer where a file is moved, with the size that is announced', () => {
    const transferOf = (name: string) => judged(name).transfer;
    expect(transferOf('sync:')).to.deep.equal({ kind: 'sync' });
    expect(transferOf('abb_exec:package\0install\0-S\x001234')).to.deep.equal({
      kind: 'install',
      announcedBytes: 1234,
    });
    expect(transferOf('abb_exec:package\0install-write\0-S\x0012\x007\0a.apk\0-')).to.deep.equal({
      kind: 'install',
      announcedBytes: 12,
    });
    expect(transferOf("exec:cmd package 'install' -S 99")).to.deep.equal({ kind: 'install', announcedBytes: 99 });
    expect(transferOf('exec:pm install-write -S 5 1 x -')).to.deep.equal({ kind: 'install', announcedBytes: 5 });
    expect(transferOf('exec:cat')).to.deep.equal({ kind: 'file' });
    for (const name of [
      "exec:screencap '-p'",
      'exec:/system/bin/screencap',
      'shell:ls',
      'abb_exec:package\0list\0packages',
    ])
      expect(transferOf(name), name).to.equal(undefined);
  });
});
