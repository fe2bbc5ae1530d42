import { expect } from 'chai';
import { between } from '../testing/between.js';
import { TREE_SCREEN, uiButton, uiNode, uiText, uiTree } from '../testing/ui-trees.js';
import { elementsOf, type ScreenContent } from './elements.js';
import { keepIds } from './keep-ids.js';
import type { UiNode } from '../shapes/ui-node.js';

const NOON_S = 12 * 3_600;
const BETWEEN = between({ passedMs: 60_000, timesS: [NOON_S, NOON_S + 60], counting: 'all' });

const contentOf = (...nodes: UiNode[]): ScreenContent => elementsOf(uiTree(...nodes), TREE_SCREEN);

/** Returns a list that shows these buttons. */
const listOf = (...names: string[]): ScreenContent => {
  const rows = names.map((name, at) => uiButton(name, [0, 50 + at * 100, 720, 100]));
  return contentOf(uiNode('ListView', { at: [0, 0, 720, 1_200], scrollable: true }, ...rows));
};

const idsOf = ({ elements }: { elements: readonly { id: string; text: string }[] }): string[] =>
  elements.map(({ id, text }) => `${id} ${text}`.trim());

describe('ids of elements', () => {
  it('stay with elements that moved, and are not used again', () => {
    const before = listOf('One', 'Two', 'Three');
    const moved = keepIds(listOf('Two', 'Three', 'Four'), { content: before, between: BETWEEN }, 5);
    expect(idsOf(moved)).to.deep.equal(['e1', 'e3 Two', 'e4 Three', 'e5 Four']);
    const content = { ...listOf('Two', 'Three', 'Four'), elements: moved.elements };
    const back = keepIds(before, { content, between: BETWEEN }, moved.nextId);
    expect(idsOf(back)).to.deep.equal(['e1', 'e6 One', 'e3 Two', 'e4 Three']);
  });

  it('do not pass from a button to another one in its place, but with a clock that goes on', () => {
    const clock = (time: string, button: string) =>
      contentOf(uiText(time, [0, 0, 100, 50]), uiButton(button, [0, 100, 100, 50]));
    const named = { content: clock('12:00', 'Save'), between: BETWEEN };
    expect(idsOf(keepIds(clock('12:01', 'Save'), named, 3))).to.deep.equal(['e3 12:01', 'e2 Save']);
    expect(idsOf(keepIds(clock('12:00', 'Delete'), named, 3))).to.deep.equal(['e3 12:00', 'e4 Delete']);
    expect(idsOf(keepIds(clock('14:00', 'Save'), named, 3))).to.deep.equal(['e3 14:00', 'e4 Save']);
  });

  it('stay with fields into which text was typed', () => {
    const form = (text: string) =>
      contentOf(uiNode('EditText', { at: [0, 0, 100, 50], hint: 'Name', text, clickable: true }));
    const named = (typed: string[]) => ({
      content: form(''),
      between: between({ own: { typed, pressed: [], strokes: [] } }),
    });
    expect(idsOf(keepIds(form('Ada'), named(['Ada']), 2))).to.deep.equal(['e1 Ada']);
    expect(idsOf(keepIds(form('Bob'), named(['Ada']), 2))).to.deep.equal(['e2 Bob']);
  });
});
