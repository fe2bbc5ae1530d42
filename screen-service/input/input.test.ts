import { expect } from 'chai';
import { ApiError } from '../../kit/errors.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import { swipeAcross } from './gestures.js';
import { keyCode } from './keys.js';
import { planInput, type RawEvent } from './plan-input.js';

const touch = (phase: 'down' | 'move' | 'up', x = 1, y = 2, pointer = 0): RawEvent => ({
  kind: 'touch',
  phase,
  x,
  y,
  pointer,
});
const key = (name: string, phase: 'down' | 'up' | 'press' = 'press'): RawEvent => ({ kind: 'key', name, phase });
const wait = (ms: number): RawEvent => ({ kind: 'wait', ms });

describe('raw input', () => {
  it('goes in batches that end at a wait', () => {
    const { batches } = planInput([touch('down'), wait(30), touch('move', 5, 6), touch('up', 7, 8), key('Home')]);
    expect(batches).to.deep.equal([
      { commands: ['input motionevent DOWN 1 2'], waitMs: 30 },
      { commands: ['input motionevent MOVE 5 6', 'input motionevent UP 7 8', 'input keyevent 3'], waitMs: 0 },
    ]);
  });

  it('presses keys together when others go down before the first comes up', () => {
    const { batches } = planInput([key('ctrl_left', 'down'), key('a'), key('ctrl_left', 'up')]);
    expect(batches[0]?.commands).to.deep.equal(['input keycombination 113 29']);
  });

  it('turns a key that is held into a long press', () => {
    const { batches } = planInput([key('power', 'down'), wait(700), key('power', 'up')]);
    expect(batches[0]?.commands).to.deep.equal(['input keyevent --longpress 26']);
  });

  const bad: [string, RawEvent[], string][] = [
    ['a finger that moves before it is down', [touch('move')], 'events[0].touch.phase'],
    ['a finger that goes down twice', [touch('down'), touch('down')], 'events[1].touch.phase'],
    ['a finger that stays down', [touch('down')], 'events: the finger'],
    ['a second finger', [touch('down', 1, 1, 1)], 'events[0].touch.pointer'],
    ['an unknown key', [key('nokey')], 'events[0].key.name'],
    ['a key that was not down', [key('a', 'up')], 'events[0].key.phase'],
    ['a key that stays down', [key('a', 'down')], 'still down'],
    ['waits over a minute', Array.from({ length: 7 }, () => wait(10_000)), 'events[6].wait.ms'],
  ];
  for (const [what, events, where] of bad) {
    it(`refuses ${what}, and says where`, () => {
      expect(() => planInput(events)).to.throw(ApiError, where);
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

describe('a swipe by direction', () => {
  it('moves the finger that way over most of the area', () => {
    const area = { x: 0, y: 100, width: 200, height: 1000 };
    expect(swipeAcross(area, 'up')).to.deep.equal({ from: { x: 100, y: 900 }, to: { x: 100, y: 300 } });
    expect(swipeAcross(area, 'right')).to.deep.equal({ from: { x: 40, y: 600 }, to: { x: 160, y: 600 } });
  });
});

describe('a word for the shell', () => {
  it('is one word, whatever it holds', () => {
    expect(shellQuote(`it's $(reboot) "x" \`y\` \\ \0;`)).to.equal(`'it'\\''s $(reboot) "x" \`y\` \\ ;'`);
  });
});
