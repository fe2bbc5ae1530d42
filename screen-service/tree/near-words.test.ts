import { expect } from 'chai';
import { processorMs } from '../../testing/processor-time.js';
import { element } from '../testing/element.js';
import { findByWords, findCandidates, findText } from './find-words.js';
import { showsText } from './find-text.js';
import { findNamed, findNearWords } from './near-words.js';

describe('elements near to words that no element has', () => {
  const named = (...texts: string[]) => texts.map((text) => element({ text }));
  const texts = (wanted: string, ...shown: string[]) => findNearWords(named(...shown), wanted).map(({ text }) => text);

  it('are those with most letters in common, the likest first', () => {
    expect(texts('Setings', 'Display', 'Settings', 'Setting up')).to.deep.equal(['Settings', 'Setting up']);
    expect(texts('Continu', 'Cancel', 'Continue')).to.deep.equal(['Continue']);
    expect(texts('Save note', 'Note', 'Save', 'Share')).to.include('Save');
    expect(texts('設定画面', '設定', '戻る')).to.deep.equal(['設定']);
    expect(texts('xyz', 'Save')).to.be.empty;
  });

  it('are else those that take input, or all with words', () => {
    const [save, title] = [element({ text: 'Save' }), element({ text: 'Title', states: [] })];
    expect(findNamed([element({}), title, save])).to.deep.equal([save]);
    expect(findNamed([element({}), title])).to.deep.equal([title]);
  });
});

describe('a search on a hostile screen', () => {
  const marks = '\u0301\u0316'.repeat(20_000);
  const hostile: readonly [string, string][] = [
    ['letters that grow', '\ufdfa'.repeat(40_000)],
    ['marks in the wrong order', marks],
    ['many short runs of marks', `a${marks.slice(0, 30)}`.repeat(1_300)],
    ['invisible characters', '\u200b\u2066'.repeat(20_000)],
    ['blanks', ' \u00a0'.repeat(20_000)],
  ];
  for (const [what, text] of hostile) {
    it(`ends soon with ten times the longest text of ${what}`, async () => {
      const elements = Array.from({ length: 300 }, (_, at) => element({ text: `${text}${at}` }));
      const spots = elements.map(({ text: shown, bounds }) => ({ text: shown, bounds }));
      const tookMs = await processorMs(() => {
        for (const wanted of ["Don't allow", text.slice(0, 1_000)]) {
          findByWords(elements, wanted);
          findCandidates(elements, wanted);
          findNearWords(elements, wanted);
          findText(elements, wanted, false);
          showsText(spots, wanted);
        }
      });
      // Without bounds it takes minutes.
      expect(tookMs).to.be.below(10_000);
    });
  }
});
