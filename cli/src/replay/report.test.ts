import { expect } from 'chai';
import { SaxesParser } from 'saxes';
import type { ReplayStep } from '../../../replay/format/replay.js';
import { UsageError } from '../output/usage-error.js';
import type { Schemas } from '../service/types.js';
import type { Difference } from './difference.js';
import { groupSteps, MAX_GROUP_STEPS } from './group-steps.js';
import { junitOf } from './junit.js';
import { maskOf } from './masked.js';
import { elementWords, nearest, similarity } from './nearest.js';
import type { PlayedStep } from './played.js';
import { hasPoints, scaledStep } from './scaled-step.js';
import { stepWords } from './step-words.js';

const EVIL = '<&"\'>]]>\n\u0000\ud800 \ufffe';

describe('the report of a replay in the form of JUnit', () => {
  const step = (number: number, state: PlayedStep['state'], own: ReplayStep = { tap: { text: EVIL } }): PlayedStep => ({
    ...{ number, line: number + 3, step: own, state, durationMs: 1_234 },
  });
  const difference: Difference = {
    ...{ kind: 'not_found', isDifference: true, message: EVIL, expected: EVIL, app: 'com.x', nearest: [EVIL] },
  };
  const steps = [step(1, 'passed'), step(2, 'failed', { wait: {}, expect: { text: EVIL } }), step(3, 'skipped')];

  /** The tags and texts of a report, which must be well-formed. */
  const parsed = (xml: string) => {
    const tags: { name: string; attributes: Record<string, string> }[] = [];
    let text = '';
    const parser = new SaxesParser();
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('opentag', ({ name, attributes }) => tags.push({ name, attributes: { ...attributes } }));
    parser.on('text', (part) => (text += part));
    parser.write(xml).close();
    return { tags, text };
  };

  it('is well-formed whatever the phone shows, and counts what passed, differs and was left out', () => {
    const { tags, text } = parsed(
      junitOf({ steps, difference }, { suite: EVIL, file: 'a.yaml', files: ['out/now.png'] }),
    );
    expect(tags.map(({ name }) => name)).to.deep.equal(
      'testsuites testsuite testcase testcase failure system-out testcase skipped'.split(' '),
    );
    const counts = { tests: '3', failures: '1', errors: '0', skipped: '1', time: '3.702' };
    expect(tags[1]?.attributes).to.include(counts);
    expect(tags[2]?.attributes).to.include({ classname: 'a.yaml', line: '4', time: '1.234' });
    expect(tags[4]?.attributes).to.include({ type: 'not_found' });
    expect(text).to.include('[[ATTACHMENT|out/now.png]]').and.include('app in front: com.x');
  });

  it('has a fault of the phone as an error, and none where all passed', () => {
    const away = { ...difference, kind: 'unavailable', isDifference: false };
    const files = { suite: 's', file: 'a.yaml', files: [] };
    const names = (xml: string): string[] => parsed(xml).tags.map(({ name }) => name);
    expect(names(junitOf({ steps, difference: away }, files)))
      .to.include('error')
      .and.not.include('failure');
    expect(names(junitOf({ steps: [step(1, 'passed')] }, files))).to.deep.equal([
      'testsuites',
      'testsuite',
      'testcase',
    ]);
  });
});

describe('the elements that are nearest to what a step looks for', () => {
  const element = (text: string, states: string[] = []): Schemas['Element'] => ({
    ...{ id: 'e1', role: 'button', text, bounds: { x: 0, y: 0, width: 2, height: 2 }, center: { x: 1, y: 1 }, states },
  });
  const texts = ['Cancel', 'Save note', 'Saved', 'sve', 'Groceries'];

  it('are the most similar first', () => {
    const found = nearest(
      texts.map((text) => element(text)),
      'Save',
    );
    expect(found.map(({ text }) => text)).to.deep.equal(['Save note', 'Saved', 'sve']);
    expect(elementWords(found[0] ?? element(''))).to.equal('button "Save note" at 1,1');
  });

  it('are those that take input where none is similar, and at most five', () => {
    expect(nearest([element('Cancel'), element('OK', ['clickable'])], 'zzz').map(({ text }) => text)).to.deep.equal([
      'OK',
    ]);
    expect(
      nearest(
        Array.from({ length: 50 }, () => element('Save')),
        'Save',
      ),
    ).to.have.length(5);
  });

  it('are found in little time in texts of ten times the length that is compared', () => {
    expect(similarity('ab'.repeat(1_000), 'ba'.repeat(1_000))).to.be.within(0.9, 1);
    expect(similarity('', 'x')).to.equal(0);
  });
});

describe('a step with points', () => {
  const recorded = { width: 720, height: 1280 };
  for (const [screen, point, result] of [
    [
      { width: 1440, height: 2560 },
      { x: 360, y: 640 },
      { x: 720, y: 1280 },
    ],
    [
      { width: 720, height: 1280 },
      { x: 719, y: 1279 },
      { x: 719, y: 1279 },
    ],
    [
      { width: 1280, height: 720 },
      { x: 640, y: 360 },
      { x: 640, y: 360 },
    ],
    [
      { width: 72, height: 128 },
      { x: 719, y: 1279 },
      { x: 71, y: 127 },
    ],
  ] as const)
    it(`is at the same share of a screen of ${screen.width} x ${screen.height}`, () => {
      const step = { swipe: { from: point, to: point }, expect: { text: 'x' } };
      expect(scaledStep(step, recorded, screen)).to.deep.equal({
        swipe: { from: result, to: result },
        expect: { text: 'x' },
      });
    });

  it('stays as it is where the screen of the recording is not known', () => {
    expect(scaledStep({ tap: { x: 1, y: 2 } }, undefined, { width: 5, height: 5 })).to.deep.equal({
      tap: { x: 1, y: 2 },
    });
    expect([hasPoints({ tap: { text: 'x' } }), hasPoints({ drag: { from: { x: 1, y: 1 } } })]).to.deep.equal([
      false,
      true,
    ]);
  });
});

describe('a step in words', () => {
  for (const [step, words] of [
    [{ tap: { text: 'Save', role: 'button' } }, 'tap "Save"'],
    [{ type: { text: '${pin}', target: { text: 'PIN' } } }, 'type "${pin}" into "PIN"'],
    [{ type: { text: 'hunter2', target: { text: 'PIN' }, secret: true } }, 'type "••••••••" into "PIN"'],
    [{ type: { text: '${pin}', secret: true } }, 'type "${pin}"'],
    [{ type: { text: '${pin}hunter2', secret: true } }, 'type "••••••••"'],
    [{ key: { names: ['ctrl_left', 'a'] } }, 'key {"names":["ctrl_left","a"]}'],
    [{ wait: {}, expect: { text: 'x' } }, 'wait'],
    [{ open_app: { app: 'Notes' }, took_ms: 5 }, 'open_app "Notes"'],
  ] as [ReplayStep, string][])
    it(words, () => expect(stepWords(step)).to.equal(words));
});

describe('secrets of a replay', () => {
  it('are hidden in every form, the longest first', () => {
    const mask = maskOf(
      new Map([
        ['a', { text: 'pin', secret: true }],
        ['b', { text: 'pin"7', secret: true }],
        ['c', { text: 'open', secret: false }],
        ['d', { text: '', secret: true }],
      ]),
      [],
    );
    expect(mask('pin"7 pin\\"7 pins open')).to.equal('•••••••• •••••••• ••••••••s open');
  });

  it('are hidden where a step types them without a variable of their own', () => {
    const typed = [
      { type: { text: 'hunter2', secret: true } },
      { type: { text: '${word}-3', secret: true } },
      { type: { text: 'plain' } },
    ];
    const mask = maskOf(new Map([['word', { text: 'open', secret: false }]]), typed);
    expect(mask('hunter2 open-3 open plain')).to.equal('•••••••• •••••••• open plain');
  });
});

describe('steps of a group that repeat a replay', () => {
  const given = { file: 'a.yaml', maxSteps: MAX_GROUP_STEPS };
  const replay = (...tookMs: (number | undefined)[]) => ({
    version: 1 as const,
    steps: tookMs.map((ms): ReplayStep => ({
      ...{ wait: {}, picture: 'a.webp', warning: 'w' },
      ...(ms !== undefined && { took_ms: ms }),
    })),
  });
  const same = (count: number, tookMs?: number) => replay(...Array.from({ length: count }, () => tookMs));

  for (const [count, tookMs, groups, sizes, timeoutMs] of [
    [1, 8_000, 1, [1], 16_000],
    [50, 8_000, 50, [1], 16_000],
    [51, 8_000, 26, [2, 1], 32_000],
    [150, 8_000, 50, [3], 48_000],
    [500, 640, 50, [10], 60_000],
    [1_000, undefined, 50, [20], 60_000],
  ] as const)
    it(`are ${groups} for ${count} that took ${tookMs ?? 'an unknown time'}`, () => {
      const steps = groupSteps(same(count, tookMs), new Map(), given);
      expect(steps).to.have.length(groups);
      expect([...new Set(steps.map(({ act }) => act?.steps?.length))]).to.deep.equal(sizes);
      expect(steps[0]?.act?.timeout_ms).to.equal(timeoutMs);
      expect(steps[0]?.act?.steps?.[0]).to.deep.equal({ wait: {}, wait_s: tookMs === 8_000 ? 16 : 10 });
    });

  it('share an act only where it has the time for all of them', () => {
    const quick = Array.from({ length: 90 }, () => 500);
    const steps = groupSteps(replay(25_000, 25_000, 45_000, ...quick), new Map(), given);
    const sizes = steps.map(({ act }) => act?.steps?.length);
    expect(sizes.slice(0, 4)).to.deep.equal([1, 1, 1, 2]);
    expect(steps.slice(0, 3).map(({ act }) => act?.timeout_ms)).to.deep.equal([50_000, 50_000, 60_000]);
  });

  it('are refused where they would show a secret, as groups hide only texts that are typed', () => {
    const values = new Map([['pin', { text: 'hunter2', secret: true }]]);
    const stepsOf = (step: ReplayStep) =>
      groupSteps({ version: 1, variables: { pin: { secret: true } }, steps: [step] }, values, given);
    expect(stepsOf({ type: { text: '${pin}' } })[0]?.act?.steps?.[0]).to.deep.include({
      type: { text: 'hunter2', secret: true },
    });
    for (const [step, place] of [
      [{ clipboard: { set: '${pin}' } }, 'steps[0].clipboard.set'],
      [{ open_url: { url: 'https://x.example/${pin}' } }, 'steps[0].open_url.url'],
    ] as [ReplayStep, string][])
      expect(() => stepsOf(step)).to.throw(UsageError, `a.yaml: ${place} uses the secret variable pin`);
  });

  it('are refused where they need more time than a group has, or more steps', () => {
    for (const [count, tookMs] of [
      [1_001, undefined],
      [151, 8_000],
    ] as const)
      expect(() => groupSteps(same(count, tookMs), new Map(), given)).to.throw(UsageError, 'Split the file');
    expect(() => groupSteps(same(150, 8_000), new Map(), { ...given, maxSteps: 49 })).to.throw(
      UsageError,
      'in 49 steps',
    );
  });
});
