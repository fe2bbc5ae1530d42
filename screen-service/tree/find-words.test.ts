import { expect } from 'chai';
import type { ScreenElement } from './elements.js';
import { findByWords, findCandidates, findText, matchingWords } from './find-words.js';

describe('elements by their words', () => {
  const element = (...words: string[]): ScreenElement => ({
    id: words.join(' '),
    role: words[0] === 'Settings' ? 'button' : 'text',
    text: words[0] ?? '',
    label: '',
    words,
    resourceId: '',
    className: '',
    bounds: { x: 0, y: 0, width: 1, height: 1 },
    states: [],
  });
  const elements = [element('Settings and more'), element('settings', 'Wi-Fi'), element('Settings')];
  const ids = (found: readonly ScreenElement[]) => found.map(({ id }) => id);
  const whole = (text: string) => ids(findByWords(elements, text));
  const found = (text: string, exact = false) => ids(findText(elements, text, exact));

  it('are those of which the text is a whole one: exactly, else apart from case and blanks', () => {
    expect(whole('Settings')).to.deep.equal(['Settings']);
    expect(whole(' SETTINGS ')).to.deep.equal(['settings Wi-Fi', 'Settings']);
    expect(whole('settings  AND\u00a0more')).to.deep.equal(['Settings and more']);
  });

  for (const [wanted, shown] of [
    ['Allow', "Don't allow"],
    ['Delete', 'Do not delete'],
    ['Note', 'Notebook'],
    ['Pay', 'Pay!'],
    [' ', 'Pay now'],
  ] as const) {
    it(`are never those that have it as a part, as ${JSON.stringify(wanted)} in ${JSON.stringify(shown)}`, () => {
      expect(findByWords([element(shown)], wanted)).to.be.empty;
    });
  }

  it('are those that have it in other typographic signs, only where none has it as it is written', () => {
    const curly = element('Don’t allow');
    expect(findByWords([curly, element('Allow')], "don't allow")).to.deep.equal([curly]);
    const straight = element("Don't allow");
    expect(findByWords([curly, straight], "don't allow")).to.deep.equal([straight]);
    expect(findByWords([curly, element('Don‘t allow')], "Don't allow")).to.have.length(2);
    expect(findByWords([element('Don’t allow this')], "Don't allow")).to.be.empty;
    expect(findByWords([element('\u200b')], '\u200b\u200b')).to.be.empty;
  });

  it('are found by a written label of a right-to-left screen, whose marks no one can write', () => {
    const hebrew = element('\u202b\u200fהגדרות\u202c');
    expect(findByWords([hebrew, element('הגדרות נוספות')], 'הגדרות')).to.deep.equal([hebrew]);
  });

  it('that contain a text are candidates, a whole one first', () => {
    expect(ids(findCandidates(elements, 'Settings'))).to.deep.equal([
      'Settings',
      'Settings and more',
      'settings Wi-Fi',
    ]);
    expect(findCandidates(elements, 'nowhere')).to.be.empty;
    expect(ids(findCandidates([element('Please don’t allow')], "don't"))).to.deep.equal(['Please don’t allow']);
  });

  it('are found for find_text also by a part, where none has the text as a whole', () => {
    expect(found('Settings')).to.deep.equal(['Settings']);
    expect(found('AND')).to.deep.equal(['Settings and more']);
    expect(found('nowhere')).to.be.empty;
  });

  it('are only those that have it exactly where that is requested', () => {
    expect(found('Settings', true)).to.deep.equal(['Settings']);
    expect(found('SETTINGS', true)).to.be.empty;
    expect(found('and', true)).to.be.empty;
  });

  it('are those of a role where one is given', () => {
    expect(ids(findByWords(elements, 'settings', 'button'))).to.deep.equal(['Settings']);
  });

  it('are shown with the words that have the text', () => {
    expect(matchingWords(elements[1]!, 'wi-')).to.equal('Wi-Fi');
    expect(matchingWords(elements[0]!, 'nowhere')).to.equal('Settings and more');
  });
});
