import { expect } from 'chai';
import { failedCheck, remembered } from './compare-facts.js';
import { factsIn, MAX_PACKAGES } from './read-facts.js';

const MARK = '--- cloudphone ---';
const output = (packages: string, files: string, android = '14'): string =>
  `${android}\n${MARK}\n${packages}listed\n${MARK}\n${files}listed\n`;

describe('the facts of a phone that is upgraded', () => {
  const before = { android: '14', packages: ['a', 'b'], entries: ['Download', 'mark'] };

  it('are its version, its own apps without helpers, and the names of its files', () => {
    const packages = 'package:b\r\npackage:a\npackage:io.appium.uiautomator2.server\n';
    expect(factsIn(output(packages, 'mark\nDownload\n'))).to.deep.equal(before);
    expect(factsIn(output('', 'listed\n'))).to.deep.include({ packages: [], entries: ['listed'] });
  });

  it('are none where the phone lists nothing: that is no phone without apps', () => {
    expect(() => factsIn('')).to.throw('did not list its apps');
    expect(() => factsIn(`14\n${MARK}\n${MARK}\nlisted\n`)).to.throw('did not list its apps');
    expect(() => factsIn(`14\n${MARK}\nlisted\n${MARK}\nls: no such file\n`)).to.throw('did not list its files');
  });

  it('are bounded', () => {
    const many = Array.from({ length: MAX_PACKAGES + 1 }, (_, at) => `package:org.example.app${at}\n`).join('');
    expect(() => factsIn(output(many, ''))).to.throw('more than 1000 apps');
    const entries = Array.from({ length: 5_000 }, (_, at) => `file${at}`);
    expect(remembered({ ...before, entries }).entries).to.have.length(200);
  });

  for (const [title, after, android, text] of [
    ['the same', before, '14', undefined],
    ['a more exact version', { ...before, android: '15.0' }, '15', undefined],
    ['a less exact version', { ...before, android: '15' }, '15.0', undefined],
    ['new files', { ...before, entries: [...before.entries, 'Recordings'] }, '14', undefined],
    ['another version', { ...before, android: '1' }, '14', 'the phone shows Android "1", and its model names "14"'],
    ['no version', { ...before, android: '' }, '14', 'the check "version" failed'],
    ['lost apps', { ...before, packages: ['b'] }, '14', 'the check "apps" failed: apps are gone: a.'],
    ['added apps', { ...before, packages: ['a', 'b', 'c\n'] }, '14', 'apps were added: c?.'],
    [
      'lost files',
      { ...before, entries: ['Download'] },
      '14',
      'the check "data" failed: files of /sdcard are gone: mark',
    ],
  ] as const) {
    it(`are compared: ${title}`, () => {
      const found = failedCheck(
        before,
        { ...after, packages: [...after.packages], entries: [...after.entries] },
        android,
      );
      if (text === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(text);
    });
  }

  it('are named in part where many differ', () => {
    const packages = Array.from({ length: 20 }, (_, at) => `org.example.app${at}`);
    const found = failedCheck({ ...before, packages }, { ...before, packages: [] }, '14');
    expect(found).to.match(/org\.example\.app4 and 15 more\.$/);
  });
});
