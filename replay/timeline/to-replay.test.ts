import { expect } from 'chai';
import { MAX_REPLAY_STEPS, MAX_TOOK_MS, MAX_VARIABLES } from '../format/limits.js';
import type { Replay } from '../format/replay.js';
import { readReplay } from '../format/read-replay.js';
import { replayText } from '../format/replay-text.js';
import type { Entry } from './entry.js';
import { SeenElements } from './seen-elements.js';
import { toReplay } from './to-replay.js';

let made = 0;
const entry = (request: Entry['request'], rest: Partial<Entry> = {}): Entry => ({
  id: `tl_${++made}`,
  at: '2026-11-20T17:00:00.000Z',
  kind: 'act',
  key: 'agent',
  request,
  outcome: 'done',
  duration_ms: 640,
  app: 'com.example.notes',
  ...rest,
});
const input = (events: unknown[], rest: Partial<Entry> = {}): Entry =>
  entry({ events }, { kind: 'input', key: 'panel', duration_ms: 700, effect_ms: 300, ...rest });
const touch = (phase: string, x: number, y: number, atMs = 0, pointer = 0): unknown => ({
  touch: { phase, x, y, pointer },
  at_ms: atMs,
});

const recorded = (...entries: Entry[]) => toReplay(entries, new SeenElements(), { name: 'demo', device: {} });
const stepsOf = (...entries: Entry[]): unknown => recorded(...entries).replay.steps;

describe('a replay of a timeline', () => {
  const inFront = { expect: { app: 'com.example.notes' } };

  for (const [what, entries, steps] of [
    [
      'has the words and places of elements whose texts have an @ in them',
      [
        entry(
          { open_app: { app: 'Notes' } },
          {
            changed: [
              'e3 textfield "Email" ="ada@example.com" @360,220',
              'e4 textfield ="say \\"@1,2\\" @3,4" @10,20 focused',
              'e5 text "x @5,6 y" "u @7,8" @30,40',
              'e6 group #at@home @50,60 static',
            ].join('\n'),
          },
        ),
        ...['e3', 'e4', 'e5', 'e6'].map((element) => entry({ tap: { element } })),
      ],
      [
        { open_app: { app: 'Notes' }, expect: { text: 'Email' }, took_ms: 640 },
        { tap: { text: 'Email', role: 'textfield' }, ...inFront, took_ms: 640 },
        { tap: { x: 10, y: 20 }, ...inFront, took_ms: 640, warning: 'place' },
        { tap: { text: 'x @5,6 y', role: 'text' }, ...inFront, took_ms: 640 },
        { tap: { x: 50, y: 60 }, ...inFront, took_ms: 640, warning: 'place' },
      ],
    ],
    [
      'has words in place of ids, and expects a text that was new',
      [
        entry(
          { open_app: { app: 'Notes' }, observe: 'elements' },
          { changed: 'e1 text "12:30" @1,2\ne2 button "New note" @5,6' },
        ),
        entry({ tap: { element: 'e2' }, screen_on_failure: true }, { changed: 'e7 textfield "Title" ="12" @3,4' }),
        entry({ type: { text: 'Milk', element: 'e7' } }),
        entry({ type: { text: 'Oat 3', element: 'e7' } }, { changed: 'e7 textfield "Title" ="an Oat 3 \\"x\\"" @3,4' }),
        entry(
          { tap: { text: 'Milk' } },
          { changed: 'e8 text "milk" @1,2\ne9 text "No notes" @1,2\ne10 button "Edit" @3,4' },
        ),
      ],
      [
        { open_app: { app: 'Notes' }, expect: { text: 'New note' }, took_ms: 640 },
        { tap: { text: 'New note', role: 'button' }, expect: { text: 'Title' }, took_ms: 640 },
        { type: { text: 'Milk', target: { text: 'Title', role: 'textfield' } }, ...inFront, took_ms: 640 },
        {
          type: { text: 'Oat 3', target: { text: 'Title', role: 'textfield' } },
          expect: { text: 'Oat 3' },
          took_ms: 640,
        },
        { tap: { text: 'Milk' }, expect: { text: 'Edit' }, took_ms: 640 },
      ],
    ],
    [
      'has the steps of one act, of which the last one took its time',
      [
        entry({
          steps: [
            { key: { name: 'home' }, wait_s: 5 },
            { tap: { text: 'A' }, expect: { text: 'B', role: 'text' } },
          ],
        }),
      ],
      [{ key: { name: 'home' } }, { tap: { text: 'A' }, expect: { text: 'B', role: 'text' }, took_ms: 640 }],
    ],
    [
      'has the steps of an act that were done before one failed, without its time and its screen',
      [
        entry(
          { steps: [{ tap: { text: 'A' } }, { tap: { text: 'B' }, expect: { text: 'C' } }, { tap: { text: 'D' } }] },
          { outcome: 'not_found', steps_done: 2, changed: 'e1 button "E" @1,2', after: '/v1/1' },
        ),
        entry({ steps: [{ tap: { text: 'F' } }, { tap: { text: 'G' } }] }, { outcome: 'timeout' }),
      ],
      [{ tap: { text: 'A' } }, { tap: { text: 'B' }, expect: { text: 'C' } }],
    ],
    [
      'leaves out what failed, what is not about the screen, and ids that nothing names',
      [
        entry({ tap: { text: 'X' } }, { outcome: 'not_found' }),
        entry({ job: 'snapshot' }, { kind: 'snapshot' }),
        entry({ find_text: { text: 'X' } }, { kind: 'action' }),
        entry({ tap: { element: 'e99' } }),
        entry({ wait: {}, expect: { element: 'e98' } }),
      ],
      [{ wait: {}, took_ms: 640 }],
    ],
    [
      'has taps, long presses and swipes of fingers, by words or by places',
      [
        input([touch('down', 10, 20), touch('up', 11, 21, 80)], {
          touched: [{ event: 0, text: 'Save', role: 'button' }],
        }),
        input([touch('down', 10, 20), touch('up', 11, 21, 80)]),
        input([touch('down', 10, 20), touch('up', 11, 21, 900)], {
          touched: [{ event: 0, text: 'Row', role: 'group' }],
        }),
        input([
          touch('down', 10, 900),
          touch('down', 5, 5, 1, 1),
          touch('move', 10, 500, 50),
          touch('up', 10, 100, 200),
        ]),
      ],
      [
        { tap: { text: 'Save', role: 'button' }, ...inFront, took_ms: 300 },
        { tap: { x: 10, y: 20 }, ...inFront, took_ms: 300, warning: 'place' },
        { long_press: { text: 'Row', role: 'group' }, ...inFront, took_ms: 300 },
        {
          swipe: { from: { x: 10, y: 900 }, to: { x: 10, y: 100 }, duration_ms: 200 },
          ...inFront,
          took_ms: 300,
          warning: 'place',
        },
      ],
    ],
    [
      'joins the letters of a keyboard, and keeps keys',
      [
        input(
          [
            { text: { text: 'Mi' } },
            { text: { text: 'lk' } },
            { key: { name: 'ENTER' } },
            { key: { name: 'A', phase: 'up' } },
          ],
          {
            touched: [{ event: 0, text: 'Title', role: 'textfield' }],
          },
        ),
      ],
      [
        { type: { text: 'Milk', target: { text: 'Title', role: 'textfield' } } },
        { key: { name: 'ENTER' }, ...inFront, took_ms: 300 },
      ],
    ],
    [
      'escapes texts that look like variables, and marks an address whose query was not kept',
      [entry({ tap: { text: 'a ${b}' } }), entry({ open_url: { url: 'https://example.com/?…' } })],
      [
        { tap: { text: 'a $${b}' }, ...inFront, took_ms: 640 },
        { open_url: { url: 'https://example.com/' }, ...inFront, took_ms: 640, warning: 'query' },
      ],
    ],
  ] as [string, Entry[], Record<string, unknown>[]][])
    it(what, () => {
      const found = stepsOf(...entries) as Record<string, unknown>[];
      expect(found).to.have.length(steps.length);
      for (const [at, { warning, ...step }] of steps.entries()) {
        const { warning: said, ...own } = found[at] ?? {};
        expect(own).to.deep.equal(step);
        if (warning === undefined) expect(said).to.equal(undefined);
        else expect(said).to.include(warning);
      }
    });

  it('has secret variables for texts that were not kept, named by their fields', () => {
    const { replay } = recorded(
      entry({ type: { characters: 8, secret: true, target: { text: 'Passwort (8)', role: 'textfield' } } }),
      entry({ type: { characters: 8, target: { text: 'Passwort (8)' } } }),
      input([{ text: { characters: 3 } }, { text: { characters: 1 } }]),
      entry({ clipboard: { characters: 2 } }),
    );
    expect(replay.variables).to.deep.equal({
      passwort_8: { secret: true },
      passwort_8_2: { secret: true },
      text: { secret: true },
      clipboard: { secret: true },
    });
    expect(replay.steps.map(({ type, clipboard }) => type ?? clipboard)).to.deep.equal([
      { secret: true, target: { text: 'Passwort (8)', role: 'textfield' }, text: '${passwort_8}' },
      { target: { text: 'Passwort (8)' }, text: '${passwort_8_2}' },
      { text: '${text}' },
      { set: '${clipboard}' },
    ]);
  });

  it('is a file that can be read again, with ten times as many steps and texts as it may have', () => {
    const long = Array.from({ length: MAX_REPLAY_STEPS * 10 }, () =>
      entry({ key: { name: 'home' } }, { duration_ms: 2_147_483_647 }),
    );
    const texts = Array.from({ length: MAX_VARIABLES * 10 }, () => entry({ type: { characters: 5 } }));
    const read = ({ replay }: { replay: Replay }): Replay => readReplay(replayText(replay, 'Test')).replay;
    const ofSteps = recorded(...long);
    expect([read(ofSteps).steps.length, ofSteps.leftOut]).to.deep.equal([MAX_REPLAY_STEPS, MAX_REPLAY_STEPS * 9]);
    expect(ofSteps.replay.steps[0]?.took_ms).to.equal(MAX_TOOK_MS);
    const ofTexts = recorded(...texts);
    expect([read(ofTexts).steps.length, ofTexts.leftOut]).to.deep.equal([MAX_VARIABLES, MAX_VARIABLES * 9]);
  });

  it('names the entries whose pictures show its steps', () => {
    const { pictured } = recorded(
      entry({ steps: [{ key: { name: 'a' } }, { key: { name: 'b' } }] }, { after: '/v1/1' }),
      entry({ key: { name: 'c' } }),
      entry({ key: { name: 'd' } }, { after: '/v1/2' }),
    );
    expect([...pictured].map(([step, { after }]) => [step, after])).to.deep.equal([
      [1, '/v1/1'],
      [3, '/v1/2'],
    ]);
  });
});
