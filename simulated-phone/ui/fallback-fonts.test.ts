import { expect } from 'chai';
import { createCanvas } from '@napi-rs/canvas';
import { fallbackFamilies } from './fallback-fonts.js';
import { fontFor } from './fonts.js';

const SIZE = 40;

function pixels(text: string): Buffer {
  const context = createCanvas(SIZE * 2, SIZE * 2).getContext('2d', { alpha: false });
  context.fillStyle = '#fff';
  context.fillRect(0, 0, SIZE * 2, SIZE * 2);
  context.fillStyle = '#000';
  context.font = fontFor(text, 400, SIZE);
  context.fillText(text, 8, SIZE * 1.4);
  return Buffer.from(context.getImageData(0, 0, SIZE * 2, SIZE * 2).data);
}

function width(text: string): number {
  const context = createCanvas(1, 1).getContext('2d');
  context.font = fontFor(text, 400, 100);
  return context.measureText(text).width;
}

describe('fonts of other scripts', () => {
  /** Two letters of each script; without a font both are the same empty box. */
  const scripts: [string, string, string][] = [
    ['simplified Chinese', '买', '东'],
    ['traditional Chinese', '買', '東'],
    ['kana', 'あ', 'カ'],
    ['Hangul', '장', '보'],
    ['Devanagari', 'ह', 'क'],
    ['Bengali', 'ব', 'ক'],
    ['Tamil', 'த', 'ம'],
    ['Telugu', 'త', 'ల'],
    ['Thai', 'ส', 'ว'],
    ['Arabic', 'م', 'ح'],
    ['Hebrew', 'ש', 'ל'],
    ['emoji', '😀', '🚀'],
  ];
  for (const [name, one, other] of scripts) {
    it(`have the letters of ${name}`, () => {
      expect(fallbackFamilies(one)).to.have.length(1);
      expect(pixels(one).equals(pixels(other))).to.equal(false);
      expect(pixels(one).equals(pixels('\u{10ffff}')), 'an empty box').to.equal(false);
    });
  }

  it('are not loaded for letters that the phone’s own font has', () => {
    for (const text of ['Hello, Wörld! 12 €', 'Ελληνικά Русский Türkçe Việt', '© ™ → ½', '']) {
      expect(fallbackFamilies(text), text).to.deep.equal([]);
    }
  });

  it('are of the language that the rest of the text shows', () => {
    expect(fallbackFamilies('直')[0]).to.contain('noto-sans-sc');
    expect(fallbackFamilies('直す').join())
      .to.match(/noto-sans-jp/)
      .and.not.match(/noto-sans-sc/);
    expect(pixels('直').equals(pixels('直す')), 'the Chinese and the Japanese form').to.equal(false);
  });

  it('join emoji with skin tones, flags and sequences into one picture', () => {
    const one = width('😀');
    for (const joined of ['👍🏽', '👩🏿‍🚀', '👨‍👩‍👧‍👦', '🇩🇪', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴‍☠️', '1️⃣', '❤️']) {
      expect(width(joined), joined).to.be.closeTo(one, 1);
    }
  });

  it('join Arabic letters, and combine those of Devanagari', () => {
    expect(width('ببب')).to.be.lessThan(width('ب') * 3);
    expect(width('क्ष')).to.be.lessThan(width('क') + width('ष'));
  });
});
