import { expect } from 'chai';
import type { Frame } from '../capture/captures.js';
import type { ScreenState } from '../observe/observation.js';
import { after, type StepEnd, type StepsRun } from './run-steps.js';

const screen = (name: string): ScreenState =>
  ({ frame: { name } as unknown as Frame, front: { app: 'com.x' } }) as ScreenState;
const [earlier, read, last] = [screen('earlier'), screen('read'), screen('last')];
const failure = { step: 1, kind: 'timeout', message: 'late', sent: false } as const;

const run: StepsRun = {
  settled: true,
  last: earlier,
  expectMet: false,
  stepsDone: 1,
  failed: undefined,
  clipboard: 'old',
  shownTexts: ['Ann'],
  apps: new Set(['com.x']),
  picture: earlier.frame,
};

/** Each way in which a step ends, and the parts of the run that it changes. */
const ends: [string, StepEnd, Partial<StepsRun>][] = [
  [
    'done',
    { state: 'done', result: {}, rest: { settled: false, last } },
    { stepsDone: 2, settled: false, last, picture: last.frame },
  ],
  [
    'done, without a picture in time',
    { state: 'done', result: {}, rest: { settled: false, last: undefined } },
    { stepsDone: 2, settled: false, last: undefined, picture: undefined },
  ],
  ['idle', { state: 'idle', result: { isIdle: true } }, { stepsDone: 2 }],
  ['idle, with a reading', { state: 'idle', result: { isIdle: true, rested: read } }, { stepsDone: 2, last: read }],
  ['unmet', { state: 'unmet', result: {}, rest: { settled: true, last }, failure }, { last, failed: failure }],
  [
    'failed before it was done',
    { state: 'failed', result: undefined, rest: { settled: false, last: undefined }, failure },
    { settled: false, last: undefined, failed: failure },
  ],
  [
    'failed in the wait after it',
    { state: 'failed', result: { clipboard: 'new' }, rest: { settled: true, last }, failure },
    { stepsDone: 2, last, failed: failure, clipboard: 'new' },
  ],
];

describe('the run after a step', () => {
  for (const [name, end, changes] of ends)
    it(`that is ${name}`, () => expect(after(run, end)).to.deep.equal({ ...run, ...changes }));

  it('has the apps that were opened, and those that were in front', () => {
    const opened = after(run, { state: 'idle', result: { openedApp: 'com.y' } });
    const rest = { settled: true, last: { ...last, front: { ...last.front, app: 'com.z' } } };
    expect([...after(opened, { state: 'done', result: {}, rest }).apps]).to.deep.equal(['com.x', 'com.y', 'com.z']);
  });

  it('has the last text of the clipboard, and all typed texts that show', () => {
    const typed = after(run, { state: 'done', result: { shownText: 'Bob' }, rest: { settled: true, last } });
    const copied = after(typed, { state: 'idle', result: { clipboard: '' } });
    expect(copied.clipboard).to.equal('');
    expect(copied.shownTexts).to.deep.equal(['Ann', 'Bob']);
  });
});
