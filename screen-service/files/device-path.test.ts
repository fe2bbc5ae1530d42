import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { changeablePath, devicePath } from './device-path.js';

describe('paths of files on a phone', () => {
  it('are resolved by their text', () => {
    const resolved: Record<string, string> = {
      '/sdcard': '/sdcard',
      '/sdcard/': '/sdcard',
      '//sdcard//a/./b/': '/sdcard/a/b',
      '/sdcard/a/../b': '/sdcard/b',
      '/sdcard/../data/local/tmp/x': '/data/local/tmp/x',
      '/data/local/tmp/-rf': '/data/local/tmp/-rf',
      '/sdcard/a \'b\' "c"\n$(d)': '/sdcard/a \'b\' "c"\n$(d)',
      '/sdcard/...': '/sdcard/...',
    };
    for (const [given, path] of Object.entries(resolved)) expect(devicePath(given), given).to.equal(path);
  });

  const refused = [
    ...[
      '',
      'sdcard/a',
      './a',
      '/',
      '/..',
      '/sdcardx',
      '/sdcard/..',
      '/sdcard/../etc/hosts',
      '/data/local',
      '/data/local/tmpx',
    ],
    ...['/storage/emulated/0', '/sdcard/a\0b', `/sdcard/${'ä'.repeat(600)}`, '/sdcard/../../../sdcard/../etc'],
  ];
  for (const given of refused) {
    it(`are refused outside of what can be reached: ${JSON.stringify(given).slice(0, 40)}`, () => {
      expect(() => devicePath(given))
        .to.throw(ApiError)
        .with.property('kind', 'bad_request');
    });
  }

  it('of the directories themselves cannot be changed', () => {
    for (const given of ['/sdcard', '/sdcard/.', '/data/local/tmp/x/..'])
      expect(() => changeablePath(given), given).to.throw(/itself cannot be/);
    expect(changeablePath('/sdcard/a')).to.equal('/sdcard/a');
  });
});
