import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import { keyCode } from './command/keys.js';
import { planInput, type RawEvent } from './plan-input.js';

const touch = (phase: 'down' | 'move' | 'up', x = 1, y = 2, pointer = 0): RawEvent => ({
  kind: 'touch',
  phase,
  x,
  y,
  pointer,
});
const key = (name: string, phase: 'down' | 'up' | 'press' = 'press'): RawEvent => ({ kind: 'key', name, phase });
const text = (words: string): RawEvent => ({ kind: 'text', text: words });
const wait = (ms: number): RawEvent => ({ kind: 'wait', ms });

const none = { down: new Map<number, never>(), most: 2 };

describe('raw input', () => {
  it('goes in batches that end at a wait and at a change between fingers and keys', () => {
    const events = [
      touch('down'),
      wait(30),
      touch('move', 5, 6),
      touch('up', 7, 8),
      text('Zoë'),
      key('Home'),
      key('back'),
    ];
    const { steps } = planInput(events, none);
    expect(steps).to.deep.equal([
      { kind: 'touches', touches: [{ phase: 'down', pointer: 0, x: 1, y: 2 }] },
      { kind: 'wait', ms: 30 },
      {
        kind: 'touches',
        touches: [
          { phase: 'move', pointer: 0, x: 5, y: 6 },
          { phase: 'up', pointer: 0, x: 7, y: 8 },
        ],
      },
      { kind: 'text', text: 'Zoë', field: 'events[4].text.text' },
      { kind: 'keys', commands: ['input keyevent 3', 'input keyevent 4'] },
    ]);
  });

  it('presses keys together when others go down before the first comes up', () => {
    const { steps } = planInput([key('ctrl_left', 'down'), key('a'), key('ctrl_left', 'up')]);
    expect(steps).to.deep.equal([{ kind: 'keys', commands: ['input keycombination 113 29'] }]);
  });

  it('turns a key that is held into a long press', () => {
    const { steps } = planInput([key('power', 'down'), wait(700), key('power', 'up')]);
    const [step] = steps;
    expect(step).to.have.nested.property('commands[0]').that.contains('keyevent --duration 700 26');
    expect(step).to.have.nested.property('commands[0]').that.contains('keyevent --longpress 26');
  });

  it('leaves fingers on the screen, and goes on with those that are there', () => {
    expect(() => planInput([touch('down'), touch('down', 1, 1, 1)], none)).not.to.throw();
    const held = { down: new Map([[1, { x: 3, y: 4 }]]), most: 2 };
    expect(() => planInput([touch('move', 5, 5, 1), touch('down'), touch('up', 5, 5, 1)], held)).not.to.throw();
    expect(() => planInput([touch('down', 5, 5, 1)], held)).to.throw(ApiError, 'finger 1 is down');
  });

  const bad: [string, RawEvent[], string][] = [
    ['a finger that moves before it is down', [touch('move')], 'events[0].touch.phase'],
    ['a finger that goes down twice', [touch('down'), touch('down')], 'events[1].touch.phase'],
    ['a finger that comes up twice', [touch('down'), touch('up'), touch('up')], 'events[2].touch.phase'],
    [
      'more fingers than the phone takes',
      [touch('down'), touch('down', 1, 1, 1), touch('down', 1, 1, 2)],
      'events[2].touch.pointer: this phone takes 2 fingers at a time, and 0, 1 are down',
    ],
    ['an unknown key', [key('nokey')], 'events[0].key.name'],
    ['a key that was not down', [key('a', 'up')], 'events[0].key.phase'],
    ['a key that stays down', [key('a', 'down')], 'still down'],
    [
      'a text while a key is down',
      [key('a', 'down'), text('b'), key('a', 'up')],
      'events[1]: a key (code 29) is still down',
    ],
    ['texts over the limit together', [text('x'.repeat(9_999)), text('🧀'), text('x')], 'events[2].text'],
    ['waits over a minute', Array.from({ length: 7 }, () => wait(10_000)), 'events[6].wait.ms'],
  ];
  for (const [what, events, where] of bad) {
    it(`refuses ${what}, and names the event`, () => {
      expect(() => planInput(events, none)).to.throw(ApiError, where);
    });
  }
});

describe('keys', () => {
  it('are known by their names in any case, with and without KEYCODE_', () => {
    expect(
      ['home', 'KEYCODE_HOME', 'Enter', 'a', 'Z', '7', 'f12', 'numpad_3'].map((name) => keyCode(name, 'key')),
    ).to.deep.equal([3, 3, 66, 29, 54, 14, 142, 147]);
  });
});

describe('a word for the shell', () => {
  it('is one word with any content', () => {
    expect(shellQuote(`it's $(reboot) "x" \`y\` \\ \0;`)).to.equal(`'it'\\''s $(reboot) "x" \`y\` \\ ;'`);
  });
});
