import { expect } from 'chai';
import { frameworkDumps } from '../testing/framework-dumps.js';
import { type Screen, tries } from '../testing/screen-families.js';
import { TREE_SCREEN } from '../testing/ui-trees.js';
import { elementsOf, type ScreenContent, type ScreenElement } from './elements.js';
import { sameThings } from './find-again.js';
import { parseDump } from './parse-dump.js';
import type { UiNode } from './ui-node.js';

const EACH = 200;

const contentOf = ({ tree }: Screen): ScreenContent => elementsOf(tree, TREE_SCREEN);

const isAt = ({ bounds: { x, y, width, height } }: ScreenElement, { left, top, right, bottom }: UiNode): boolean =>
  x === left && y === top && x + width === right && y + height === bottom;

describe('elements found again', () => {
  const outcomes = tries(EACH, 21).flatMap((one) => {
    const [before, now] = [contentOf(one.before), contentOf(one.now)];
    const looksTheSame = JSON.stringify({ ...before, texts: [] }) === JSON.stringify({ ...now, texts: [] });
    const same = sameThings(before, now, { passedMs: one.passedMs, typed: false });
    return [...one.before.places].flatMap(([name, place]) => {
      const seen = before.elements.find((element) => isAt(element, place));
      if (seen === undefined) return [];
      const [found, right] = [same.find(seen), one.now.places.get(name)];
      const isRight = found !== undefined && right !== undefined && isAt(found, right);
      // Nothing on either screen distinguishes the two.
      const isWrong = found !== undefined && !isRight && !looksTheSame;
      return [{ ...one, name, found, right, isRight, isWrong }];
    });
  });
  const families = [...new Set(outcomes.map(({ family }) => family))];

  for (const family of families) {
    it(`are never something else: ${family}`, () => {
      const wrong = outcomes.filter((one) => one.family === family && one.isWrong);
      expect(wrong.map(({ name, found }) => `${name} became ${JSON.stringify(found)}`)).to.deep.equal([]);
    });
  }

  it('are all found on screens that stay as they are, but for a clock or a badge', () => {
    const quiet = outcomes.filter(({ unchanged }) => unchanged);
    const refused = quiet.filter(({ isRight }) => !isRight);
    expect(quiet.length).to.be.above(EACH * 3);
    expect(refused.map(({ family, name }) => `${family}: ${name}`)).to.deep.equal([]);
  });

  it('are all found on the screens of the dumps, when these stay as they are', () => {
    const refused = frameworkDumps().flatMap(({ name, xml, screen }) => {
      const [before, now] = [elementsOf(parseDump(xml), screen), elementsOf(parseDump(xml), screen)];
      const same = sameThings(before, now, { passedMs: 0, typed: false });
      return before.elements.flatMap((seen, at) =>
        same.find(seen) === now.elements[at] ? [] : [`${name}: ${seen.id}`],
      );
    });
    expect(refused).to.deep.equal([]);
  });
});
