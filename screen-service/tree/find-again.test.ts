import { expect } from 'chai';
import { between } from '../testing/between.js';
import { frameworkDumps } from '../testing/framework-dumps.js';
import { pressTries } from '../testing/press-families.js';
import { outcomesOf } from '../testing/press-outcomes.js';
import { tries } from '../testing/screen-families.js';
import { elementsOf } from './elements.js';
import { sameThings } from './find-again.js';
import { parseDump } from './parse-dump.js';

const EACH = 200;

describe('elements found again', () => {
  const outcomes = [...tries(EACH, 21), ...pressTries(EACH, 35)].flatMap(outcomesOf);
  const families = [...new Set(outcomes.map(({ family }) => family))];

  for (const family of families) {
    it(`are never something else: ${family}`, () => {
      const wrong = outcomes.filter((one) => one.family === family && one.isWrong);
      expect(wrong.map(({ name, found }) => `${name} became ${JSON.stringify(found)}`)).to.deep.equal([]);
    });
  }

  for (const family of families.filter((name) => outcomes.some((one) => one.family === name && one.unchanged))) {
    it(`are all found where only a clock, or what a step of the caller explains, has changed: ${family}`, () => {
      const left = outcomes.filter((one) => one.family === family && one.isThere);
      const refused = left.filter(({ isRight }) => !isRight);
      expect(left.length).to.be.above(EACH);
      expect(refused.map(({ name }) => name)).to.deep.equal([]);
    });
  }

  it('are all found on the screens of the dumps, when these stay as they are', () => {
    const refused = frameworkDumps().flatMap(({ name, xml, screen }) => {
      const [before, now] = [elementsOf(parseDump(xml), screen), elementsOf(parseDump(xml), screen)];
      const same = sameThings(before, now, between({ passedMs: 0 }));
      return before.elements.flatMap((seen, at) =>
        same.find(seen) === now.elements[at] ? [] : [`${name}: ${seen.id}`],
      );
    });
    expect(refused).to.deep.equal([]);
  });
});
