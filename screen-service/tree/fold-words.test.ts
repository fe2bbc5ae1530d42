import { expect } from 'chai';
import { foldWords } from './fold-words.js';

describe('folded words', () => {
  for (const [what, written, shown] of [
    ['a straight apostrophe', "Don't allow", 'Don’t allow'],
    ['an apostrophe that is a letter', "Don't allow", 'Don\u02bct allow'],
    ['an acute accent for an apostrophe', 'Don´t allow', 'Don’t allow'],
    ['straight quotes', 'Delete "Trip"?', 'Delete “Trip”?'],
    ['quotes of other languages', 'Delete "Trip"?', 'Delete «Trip»?'],
    ['low quotes', '"Reise" öffnen', '„Reise“ öffnen'],
    ['full-width quotes', '"Trip"', '＂Trip＂'],
    ['three dots', 'Loading...', 'Loading…'],
    ['a hyphen for an en dash', '9-17', '9–17'],
    ['a hyphen for an em dash', 'Save - later', 'Save — later'],
    ['a hyphen for a minus', '-5 °C', '−5 ℃'],
    ['a hyphen for one that never breaks', 'e-mail', 'e‑mail'],
    ['composed letters', 'Café', 'Cafe\u0301'],
    ['decomposed letters', 'Cafe\u0301', 'Café'],
    ['a zero-width blank', 'Sign in', 'Sign\u200b in'],
    ['a soft hyphen', 'Einstellungen', 'Einstel\u00adlungen'],
    ['a word joiner and a byte order mark', 'Save', '\ufeffSa\u2060ve'],
    ['a mark of direction', 'Save', '\u200eSave\u200f'],
    ['isolates', 'Call 12 34', '\u2068Call\u2069 \u206612 34\u2069'],
    ['embeddings in Hebrew', 'שמור', '\u202bשמור\u202c'],
    ['an Arabic mark of letters', 'حفظ 5', '\u061cحفظ 5\u200f'],
    ['joined Arabic letters', 'لا', 'ﻻ'],
    ['two letters for ß', 'Straße', 'STRASSE'],
    ['a capital ß', 'Straße', 'STRAẞE'],
    ['a capital sigma at the end', 'ΟΔΟΣ', 'οδος'],
    ['a dotted capital I', 'istanbul', 'İstanbul'],
    ['ligatures', 'Office', 'O\ufb03ce'],
    ['full-width letters', 'OK', 'ＯＫ'],
    ['full-width digits and kana', '7 カ', '７ ｶ'],
    ['a heart without its variation selector', '❤ Like', '❤\ufe0f Like'],
    ['a heart as text', '❤ Like', '❤\ufe0e Like'],
    ['a blank that never breaks', '10 000 km', '10\u202f000\u00a0km'],
    ['an ideographic blank', '設定 A', '設定\u3000A'],
  ] as const) {
    it(`are the same with ${what}`, () => {
      expect(foldWords(written)).to.equal(foldWords(shown)).and.not.to.equal('').and.not.to.equal(undefined);
    });
  }

  for (const [one, other] of [
    ['Allow', "Don't allow"],
    ['10²', '102'],
    ['①', '1'],
    ['½', '1/2'],
    ['5', '-5'],
    ['Pay', 'Pay!'],
    ["5'", '5"'],
    ['resume', 'résumé'],
    ['ılık', 'ilik'],
    [
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ],
    ['👍🏻', '👍🏿'],
    ['×', 'x'],
    ['か', 'が'],
  ] as const) {
    it(`are others of ${JSON.stringify(one)} and ${JSON.stringify(other)}`, () => {
      expect(foldWords(one)).not.to.equal(foldWords(other));
    });
  }

  it('are not made of texts that no one writes', () => {
    expect(foldWords('a'.repeat(4_001))).to.equal(undefined);
    expect(foldWords(`a${'\u0301'.repeat(31)}`)).to.equal(undefined);
    expect(foldWords(`a${'\u0301'.repeat(30)}`)).not.to.equal(undefined);
    expect(foldWords('\u200b \u2066')).to.equal('');
  });

  it('never grow to more than six times the text', () => {
    for (const one of ['\ufdfa', '\ufdfb', '㌖', 'ﷺ', '…', '℻', '㍿', 'ﬃ', '㋿'])
      expect(foldWords(one.repeat(500))!.length, one).to.be.at.most(one.length * 500 * 6);
  });
});
