import { expect } from 'chai';
import { changeVideo, type VideoChange, type VideoEvent, type VideoState } from './video-state.js';

const [a, b, other] = [{ run: 'a' }, { run: 'b' }, { run: 'other' }];
type Run = typeof a;

const shown = { run: a, sinceMs: 1 };
const OFF = { kind: 'off' } as const;
const STARTING = { kind: 'starting', next: b } as const;
const ON = { kind: 'on', shown } as const;
const GROWING = { kind: 'growing', shown, next: b } as const;
const CLOSED = { kind: 'closed' } as const;

const started = { kind: 'started', next: other } as const;
const key = (of: Run) => ({ kind: 'key', of, atMs: 2 }) as const;
const lost = (of: Run) => ({ kind: 'lost', of }) as const;
const stopped = { kind: 'stopped' } as const;
const closed = { kind: 'closed' } as const;

const otherStarts = { kind: 'starting', next: other } as const;
const otherGrows = { kind: 'growing', shown, next: other } as const;
const bShown = { kind: 'on', shown: { run: b, sinceMs: 2 } } as const;
const failedAtStart = { failed: { sinceMs: undefined } };
const failed = { failed: { sinceMs: 1 } };

/** Every state with every event: the next state, the runs that are stopped, and whether the video has failed. */
const CHANGES: [VideoState<Run>, VideoEvent<Run>, VideoChange<Run>][] = [
  [OFF, started, { state: otherStarts, stops: [] }],
  [OFF, key(a), { state: OFF }],
  [OFF, lost(a), { state: OFF }],
  [OFF, stopped, { state: OFF, stops: [] }],
  [OFF, closed, { state: CLOSED, stops: [] }],
  [STARTING, started, { state: otherStarts, stops: [b] }],
  [STARTING, key(b), { state: bShown, stops: [] }],
  [STARTING, key(other), { state: STARTING }],
  [STARTING, lost(b), { state: OFF, ...failedAtStart }],
  [STARTING, lost(other), { state: STARTING }],
  [STARTING, stopped, { state: OFF, stops: [b] }],
  [STARTING, closed, { state: CLOSED, stops: [b] }],
  [ON, started, { state: otherGrows, stops: [] }],
  [ON, key(a), { state: ON }],
  [ON, key(other), { state: ON }],
  [ON, lost(a), { state: OFF, ...failed }],
  [ON, lost(other), { state: ON }],
  [ON, stopped, { state: OFF, stops: [a] }],
  [ON, closed, { state: CLOSED, stops: [a] }],
  [GROWING, started, { state: otherGrows, stops: [b] }],
  [GROWING, key(a), { state: GROWING }],
  [GROWING, key(b), { state: bShown, stops: [a] }],
  [GROWING, key(other), { state: GROWING }],
  [GROWING, lost(a), { state: STARTING, ...failed }],
  [GROWING, lost(b), { state: OFF, stops: [a] }],
  [GROWING, lost(other), { state: GROWING }],
  [GROWING, stopped, { state: OFF, stops: [b, a] }],
  [GROWING, closed, { state: CLOSED, stops: [b, a] }],
  [CLOSED, started, { state: CLOSED, stops: [other] }],
  [CLOSED, key(a), { state: CLOSED }],
  [CLOSED, lost(a), { state: CLOSED }],
  [CLOSED, stopped, { state: CLOSED }],
  [CLOSED, closed, { state: CLOSED }],
];

describe('the state of a video', () => {
  for (const [state, event, change] of CHANGES) {
    const of = 'of' in event ? ` of ${event.of.run}` : '';
    it(`${state.kind}, then ${event.kind}${of}`, () => expect(changeVideo(state, event)).to.deep.equal(change));
  }
});
