import { expect } from 'chai';
import { type DumpNode, dumpNodes, type FrameworkDump, frameworkDumps } from '../testing/framework-dumps.js';
import { isSeen, openPart, stateOf, touchedAt, wordsOf } from '../testing/seen-nodes.js';
import { elementsOf, type ScreenElement } from './elements.js';
import { elementsText } from './elements-text.js';
import { tapPoint } from './tap-point.js';
import { findByWords } from './find-words.js';
import { parseDump } from './parse-dump.js';

const dumps = frameworkDumps();

const elementsIn = (dump: FrameworkDump): ScreenElement[] => elementsOf(parseDump(dump.xml), dump.screen).elements;

/** Runs `check` on each dump; it returns the faults. */
function eachDump(check: (dump: FrameworkDump, elements: ScreenElement[], nodes: DumpNode[]) => string[]): void {
  const wrong = dumps.flatMap((dump) =>
    check(dump, elementsIn(dump), dumpNodes(dump)).map((what) => `${dump.name}: ${what}`),
  );
  expect(wrong).to.deep.equal([]);
}

describe("dumps of Android's own views", () => {
  it('are at least fifty, of six versions of Android', () => {
    expect(dumps).to.have.lengthOf.at.least(50);
    expect(new Set(dumps.map(({ name }) => /\.(api\d+)\./.exec(name)?.[1]))).to.have.lengthOf.at.least(6);
  });

  for (const dump of dumps) {
    it(`${dump.name} gives its list`, () => {
      expect(elementsText(elementsIn(dump)).split('\n')).to.deep.equal(dump.expected.split('\n'));
    });
  }

  it('lose nothing that takes input', () => {
    eachDump((_dump, elements, nodes) => {
      const left = [...elements];
      return nodes
        .filter((node) => takesInput(node) && isSeen(node) && stateOf(node) === undefined)
        .filter((node) => {
          const at = left.findIndex((element) => isOf(element, node));
          if (at >= 0) left.splice(at, 1);
          return at < 0;
        })
        .map((node) => `${describeNode(node)} is lost`);
    });
  });

  it('show the state of a row whose only switch, box or radio button takes no tap', () => {
    const shown: string[] = [];
    eachDump((_dump, elements, nodes) =>
      nodes
        .filter((node) => isSeen(node) && stateOf(node) !== undefined)
        .flatMap((node) => {
          const row = stateOf(node);
          const element = elements.find((one) => row !== undefined && isOf(one, row));
          if (element?.states.includes('checked') === node.is.has('checked') && element.states.includes('checkable')) {
            shown.push(element.role);
            return [];
          }
          return [`${describeNode(node)} is not shown`];
        }),
    );
    expect(new Set(shown)).to.have.all.keys('switch', 'checkbox', 'radio');
  });

  it('lose no text, description or hint', () => {
    eachDump((_dump, elements, nodes) => {
      const lines = elementsText(elements).toLowerCase();
      return nodes.filter(isSeen).flatMap((node) => {
        const { left, top, right, bottom } = openPart(node);
        const [x, y] = [Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)];
        const holders = elements.filter(({ bounds }) => holds(bounds, x, y)).flatMap(({ words }) => words);
        const isState = /Switch$/.test(node.className) && stateOf(node) !== undefined;
        const isListed = (words: string): boolean => lines.includes(JSON.stringify(words.toLowerCase()).slice(1, -1));
        return wordsOf(node)
          .filter((words) => !holders.includes(words) || (!isState && !isListed(words)))
          .map((words) => `${JSON.stringify(words)} of ${describeNode(node)} is lost`);
      });
    });
  });

  // Where two nodes are in one container, the one that ends above the other comes first. If they are side by side, the left one comes
  // first. The content of a container stays together.
  it('are listed from top to bottom, and from left to right in a line', () => {
    eachDump((_dump, elements, nodes) => {
      const firstAt = new Map<DumpNode, number>();
      elements.forEach((element, at) => {
        const node = nodes.find((one) => isOf(element, one));
        for (let up = node; up !== undefined; up = up.parent) if (!firstAt.has(up)) firstAt.set(up, at);
      });
      const wrong: string[] = [];
      for (const a of firstAt.keys()) {
        for (const b of a.parent?.children ?? []) {
          const [atA, atB] = [firstAt.get(a), firstAt.get(b)];
          if (atA === undefined || atB === undefined || atA < atB || !isBefore(a, b)) continue;
          wrong.push(`${describeNode(a)} is listed behind ${describeNode(b)}`);
        }
      }
      return wrong;
    });
  });

  it('have ids that count from e1', () => {
    eachDump((_dump, elements) =>
      elements.filter(({ id }, at) => id !== `e${at + 1}`).map(({ id }) => `${id} is in the wrong place`),
    );
  });

  it('have tap points at which Android finds that element', () => {
    eachDump((_dump, elements, nodes) =>
      elements
        .filter(({ states }) => states.includes('clickable') || states.includes('long_clickable'))
        .flatMap((element) => {
          const { x, y } = tapPoint(element, elements);
          const hit = touchedAt(nodes, x, y);
          return hit.some((node) => isOf(element, node)) || !canBeTouched(element, nodes)
            ? []
            : [`${element.id} at ${x},${y} is under ${hit.map(describeNode).join(' or ')}`];
        }),
    );
  });

  it('say the same in full and in compact form', () => {
    eachDump((_dump, elements) =>
      elementsText(elements)
        .split('\n')
        .filter((line) => line !== '')
        .flatMap((line, at) => {
          const element = elements[at];
          return element !== undefined && readLine(line) === fullLine(element) ? [] : [line];
        }),
    );
  });

  it('have elements that are found by each word that is theirs alone', () => {
    eachDump((_dump, elements) =>
      elements.flatMap((element) =>
        element.words
          .filter((words) => elements.every((other) => other === element || !other.words.includes(words)))
          .filter((words) => {
            const found = findByWords(elements, words);
            return found.length !== 1 || found[0] !== element;
          })
          .map((words) => `${JSON.stringify(words)} does not lead to ${element.id} alone`),
      ),
    );
  });
});

const INPUT = ['clickable', 'long-clickable', 'checkable', 'scrollable'];

function takesInput({ is, className }: DumpNode): boolean {
  return INPUT.some((name) => is.has(name)) || /EditText$/.test(className);
}

function isOf({ className, bounds, states }: ScreenElement, node: DumpNode): boolean {
  // A node inside may show whether this one is checked.
  const own = node.is.has('checkable') ? ['checkable', 'checked'] : [];
  const compared = ['clickable', 'long-clickable', 'scrollable', 'selected', 'focused', 'password', ...own];
  const sameStates = compared.every(
    (name) => node.is.has(name) === states.some((state) => state === name.replace('-', '_')),
  );
  if (!sameStates || className !== node.className) return false;
  const { left, top, right, bottom } = openPart(node);
  return (
    bounds.x === left && bounds.y === top && bounds.x + bounds.width === right && bounds.y + bounds.height === bottom
  );
}

function holds(bounds: { x: number; y: number; width: number; height: number }, x: number, y: number): boolean {
  return x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height;
}

/**
 * Whether `a` has to be read before `b`. If they overlap, or are neither clearly in one line nor one below the other, either may be first.
 */
function isBefore(a: DumpNode, b: DumpNode): boolean {
  if (a.bottom <= b.top) return true;
  const common = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return a.right <= b.left && common > 0.9 * Math.max(a.bottom - a.top, b.bottom - b.top);
}

/** Whether a touch anywhere on an element gets to it, which is not so where a bar is filled by its buttons. */
function canBeTouched(element: ScreenElement, nodes: readonly DumpNode[]): boolean {
  const { x, y, width, height } = element.bounds;
  const steps = Array.from({ length: 30 }, (_, step) => (step + 0.5) / 30);
  return steps.some((across) =>
    steps.some((down) => touchedAt(nodes, x + width * across, y + height * down).some((node) => isOf(element, node))),
  );
}

function describeNode({ className, text, description, left, top, right, bottom }: DumpNode): string {
  const words = [text, description].filter((one) => one !== '').map((one) => JSON.stringify(one));
  return [className, ...words, `[${left},${top}][${right},${bottom}]`].join(' ');
}

/** The states that each role implies in a line, as the contract names them. */
const IMPLIED: Record<string, string[]> = {
  button: ['clickable'],
  slider: ['clickable'],
  combobox: ['clickable'],
  group: ['clickable'],
  checkbox: ['clickable', 'checkable'],
  switch: ['clickable', 'checkable'],
  radio: ['clickable', 'checkable'],
  textfield: ['clickable', 'long_clickable', 'editable'],
};

/** Returns the facts in a line of the compact list, in a fixed order. */
function readLine(line: string): string {
  const string = '"(?:[^"\\\\]|\\\\.)*"';
  const pattern = new RegExp(`^(e\\d+) (\\w+)((?: ${string}| #\\S+)*)(?: =(${string}))? @(\\d+),(\\d+)((?: \\w+)*)$`);
  const [, id, role = '', names = '', value = '', x, y, rest = ''] = pattern.exec(line) ?? [];
  const states = rest.split(' ').filter((state) => state !== '' && state !== 'static');
  const words = [...names.matchAll(new RegExp(string, 'g'))].map(([one]) => one);
  if (value !== '') words.unshift(value);
  return JSON.stringify([id, role, words, Number(x), Number(y), states.sort()]);
}

/** Returns the same facts of a whole element, without the states that its role implies. */
function fullLine({ id, role, text, label, bounds, states }: ScreenElement): string {
  const words = [text, label].filter((one) => one !== '').map((one) => JSON.stringify(one));
  const x = Math.floor(bounds.x + bounds.width / 2);
  const y = Math.floor(bounds.y + bounds.height / 2);
  const stated = states.filter((state) => IMPLIED[role]?.includes(state) !== true);
  return JSON.stringify([id, role, words, x, y, [...stated].sort()]);
}
