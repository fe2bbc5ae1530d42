import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { uiText, uiTree } from '../testing/ui-trees.js';
import { hideSecrets, hideSecretText, MAX_SEARCHED_CHARS } from './hide-secrets.js';
import { SearchWork } from './search-work.js';
import type { Secret, ShownBefore } from './secret.js';
import { TypedSecrets } from './typed-secrets.js';

const HIDDEN = '••••••••';
const CARD = '4111111111111111';

const BEFORE: ShownBefore = { texts: new Set(['x']), inContext: new Set(), words: new Set(['word']), isName: false };
const typed = (...texts: string[]): Secret[] => texts.map((text) => ({ text, apps: new Set(['']), before: BEFORE }));

/**
 * Lengths of texts, characters. The first ones are searched for a while before they take too much work; the last is ten times the bound.
 */
const LENGTHS = [20_000, 60_000, MAX_SEARCHED_CHARS - 1, MAX_SEARCHED_CHARS * 10];

/** Returns the shortest time of some runs, ms. */
function leastMs(run: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

describe('the search for secrets in texts that were made to hold it up', () => {
  const one = typed(CARD);
  const twenty = typed(...Array.from({ length: 20 }, (_, n) => `${CARD}${n}`));
  const ordinary = 'A line of an ordinary page, with words. '.repeat(1_000);
  const hostile: [string, string, Secret[]][] = [
    ['beginnings of a secret that are cut off', '4111111… ', one],
    ['beginnings of many secrets that are cut off', '4111111… ', twenty],
    ['ellipses', '… ', twenty],
    ['escapes of every kind', '%2541111111&amp;\\u0041 ', one],
    ['escapes of every kind, and many secrets', '%2541111111&amp;\\u0041 ', twenty],
    ['bytes that were encoded, and many secrets', Buffer.from('411111 411112 ').toString('hex'), twenty],
    ['words in base64', 'aGVsbG8 ', twenty],
    ['pieces of a secret in a row', '4111111', one],
    ['beginnings of a long secret', `${'a'.repeat(9_998)}c`, typed('a'.repeat(5_000) + 'b' + 'a'.repeat(4_999))],
    ['short words of letters and digits', 'A1 ', typed('A1b2c3', 'S3cret', 'word1')],
  ];

  it('leaves an ordinary text of 40,000 characters as it is', () => {
    expect(hideSecretText(ordinary, twenty)).to.equal(ordinary);
  });

  it('hides a text with hundreds of places as a whole, and shows the other texts of the screen', () => {
    const at = [0, 0, 10, 10] as const;
    const shown = hideSecrets(uiTree(uiText('4111111… '.repeat(400), at), uiText('Save', at)), one);
    expect(shown.roots[0]?.children.map(({ text }) => text)).to.deep.equal([HIDDEN, 'Save']);
  });

  it('takes not much longer for twenty secrets in what a screen showed before', () => {
    const ordinaryMs = leastMs(() => hideSecretText(ordinary, one));
    const secrets = new TypedSecrets(new FakeClock());
    const texts = Array.from({ length: 500 }, (_, n) => `${n}: ${'4111111… '.repeat(50)}`);
    secrets.seen.add(uiTree(...texts.map((text) => uiText(text, [0, 0, 10, 10]))));
    const typedNow = twenty.map(({ text }) => text);
    const hostileMs = leastMs(() => secrets.allWith(typedNow));
    expect(hostileMs / ordinaryMs, `times as long as ${ordinaryMs} ms`).to.be.below(8);
  });

  for (const [what, part, secrets] of hostile) {
    it(`takes not much longer than in ordinary texts: ${what}`, () => {
      const ordinaryMs = leastMs(() => hideSecretText(ordinary, one));
      for (const length of LENGTHS) {
        const hostileText = part.repeat(Math.ceil(length / part.length));
        const work = new SearchWork(MAX_SEARCHED_CHARS);
        const shown = hideSecretText(hostileText, secrets, work);
        if (work.isOver) expect(shown).to.equal(HIDDEN);
        if (length >= MAX_SEARCHED_CHARS) expect(work.isOver).to.equal(true);
        const hostileMs = leastMs(() => hideSecretText(hostileText, secrets));
        expect(hostileMs / ordinaryMs, `${length}: times as long as ${ordinaryMs} ms`).to.be.below(8);
      }
    });
  }

  it('takes not much longer in a piece of a secret with a long row of signs', () => {
    const secrets = typed(`a${'-'.repeat(20)}b`);
    const ordinaryMs = leastMs(() => hideSecretText(ordinary, one));
    const hostileMs = leastMs(() => hideSecretText(`a${'-'.repeat(100_000)}b`, secrets));
    expect(hostileMs / ordinaryMs, `times as long as ${ordinaryMs} ms`).to.be.below(8);
  });
});
