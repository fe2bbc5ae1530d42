import { expect } from 'chai';
import { parseBootWords } from './boot-words.js';

describe('words on the command line of a phone in a container', () => {
  it('are the phone that redroid makes without any', () => {
    expect(parseBootWords(['qemu=1', 'androidboot.hardware=redroid'])).to.deep.equal({
      serial: '',
      screen: { width: 720, height: 1280, density: 320 },
      properties: new Map([
        ['ro.boot.hardware', 'redroid'],
        ['ro.hardware', 'redroid'],
      ]),
    });
  });

  it('set the screen, the serial number and properties, and the last of two counts', () => {
    const words = parseBootWords([
      'androidboot.redroid_width=540',
      'androidboot.redroid_height=960',
      'androidboot.redroid_dpi=240',
      'androidboot.serialno=FIRST',
      'androidboot.serialno=AB=12',
      'ro.product.model=Pixel 7',
      'ro.empty=',
    ]);
    expect(words.screen).to.deep.equal({ width: 540, height: 960, density: 240 });
    expect(words.serial).to.equal('AB=12');
    expect(Object.fromEntries(words.properties)).to.deep.equal({
      'ro.boot.redroid_width': '540',
      'ro.boot.redroid_height': '960',
      'ro.boot.redroid_dpi': '240',
      'ro.boot.serialno': 'AB=12',
      'ro.product.model': 'Pixel 7',
      'ro.empty': '',
    });
  });

  it('of no meaning are ignored', () => {
    expect(parseBootWords(['second_stage', '=x', 'persist.sys.x=1', 'androidboot', '']).properties.size).to.equal(0);
  });

  for (const word of ['redroid_width=0', 'redroid_width=99999', 'redroid_height=12a', 'redroid_dpi=', 'redroid_dpi=-1'])
    it(`are refused for a screen that cannot be: ${word}`, () => {
      expect(() => parseBootWords([`androidboot.${word}`])).to.throw(/^androidboot\.redroid_\w+=".*" is not a whole/);
    });

  it('are refused when a value is endless', () => {
    expect(() => parseBootWords([`ro.x=${'a'.repeat(5_000)}`])).to.throw('more than 4096 characters');
  });
});
