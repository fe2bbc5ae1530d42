import { expect } from 'chai';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { ReplayStep } from '../../../replay/format/replay.js';
import { playStep } from './play-step.js';

type Body = { steps: (Record<string, unknown> & { wait_s: number })[]; timeout_ms: number };
type Result = Record<string, unknown>;

const UNMET: Result = {
  expect_met: false,
  steps_done: 0,
  failed: { step: 0, error: 'timeout', message: 'late', sent: true },
};
const ABSENT: Result = { expect_met: false, steps_done: 0, failed: { step: 0, error: 'not_found', message: 'absent' } };
const DONE: Result = { expect_met: true, steps_done: 1 };

/** Plays a step on a service that uses up the time of each request, and responds with these results in turn, the last for good. */
async function played(step: ReplayStep, results: readonly Result[]) {
  let nowMs = 0;
  const bodies: Body[] = [];
  const post = (_path: string, { body }: { body: Body }): Promise<Result> => {
    bodies.push(body);
    const result = results[Math.min(bodies.length, results.length) - 1] ?? DONE;
    nowMs += result === DONE ? 1 : body.timeout_ms;
    return Promise.resolve(result);
  };
  const phone = { post } as unknown as CloudPhone;
  const playing = { phone, device: 'demo', nowMs: () => nowMs, signal: new AbortController().signal };
  const { failed } = await playStep(playing, step, { withScreen: false });
  const kinds = bodies.map(({ steps: [one] }) => Object.keys(one ?? {})[0]);
  return {
    failed,
    kinds,
    waitsMs: bodies.map(({ timeout_ms: ms }) => ms),
    targetsS: bodies.map(({ steps }) => steps[0]?.wait_s),
  };
}

describe('a step of a replay', () => {
  const tap = { tap: { text: 'Save' }, expect: { text: 'Saved' } };

  for (const [tookMs, results, kinds, waitsMs] of [
    [undefined, [DONE], ['tap'], [10_000]],
    [100, [DONE], ['tap'], [10_000]],
    [8_000, [DONE], ['tap'], [16_000]],
    [8_000, [UNMET], ['tap'], [16_000]],
    [40_000, [UNMET, DONE], ['tap', 'wait'], [60_000, 20_000]],
    [40_000, [UNMET], ['tap', 'wait'], [60_000, 20_000]],
    [40_000, [ABSENT], ['tap', 'tap'], [60_000, 20_000]],
    [100_000, [ABSENT, UNMET, UNMET], ['tap', 'tap', 'wait', 'wait'], [60_000, 60_000, 60_000, 20_000]],
  ] as const)
    it(`that took ${tookMs ?? 'an unknown time'} is waited for in ${waitsMs.join(' + ')} ms, by ${kinds.join(', ')}`, async () => {
      const step = { ...tap, ...(tookMs !== undefined && { took_ms: tookMs }) };
      const end = await played(step, results);
      expect([end.kinds, end.waitsMs]).to.deep.equal([kinds, waitsMs]);
      expect(end.targetsS).to.deep.equal(waitsMs.map((ms) => ms / 1_000));
      expect(end.failed === undefined).to.equal(results.at(-1) === DONE);
    });

  it('that was done differs by its expectation, however long that is waited for', async () => {
    // The wait for it is a step without input.
    const waited = { ...UNMET, failed: { step: 0, error: 'timeout', message: 'late' } };
    const end = await played({ ...tap, took_ms: 40_000 }, [UNMET, waited]);
    expect(end.kinds).to.deep.equal(['tap', 'wait']);
    expect(end.failed).to.include({ isDifference: true, isExpectation: true });
  });

  it('does not pass by its expectation where its time was up while it was done', async () => {
    const message = 'The time was up during this step: scroll.until: 40 pages scrolled. Allow more timeout_ms.';
    const inPart = { ...UNMET, failed: { step: 0, error: 'timeout', message, sent: true } };
    const end = await played({ ...tap, took_ms: 40_000 }, [inPart, DONE]);
    expect(end.kinds).to.deep.equal(['tap']);
    expect(end.failed).to.deep.include({ isDifference: true, isExpectation: false });
    const after = await played({ ...tap, took_ms: 40_000 }, [{ ...inPart, steps_done: 1 }, DONE]);
    expect([after.kinds, after.failed]).to.deep.equal([['tap', 'wait'], undefined]);
  });

  it('is not repeated where its input was sent, or where waiting does not help', async () => {
    const sent = { ...ABSENT, failed: { step: 0, error: 'not_found', message: 'x', sent: true } };
    const wrong = { ...ABSENT, failed: { step: 0, error: 'bad_request', message: 'x' } };
    const away = { ...ABSENT, failed: { step: 0, error: 'unavailable', message: 'x' } };
    for (const [result, isDifference] of [
      [sent, true],
      [wrong, true],
      [away, false],
    ] as const) {
      const end = await played({ ...tap, took_ms: 100_000 }, [result]);
      expect(end.kinds).to.deep.equal(['tap']);
      expect(end.failed).to.include({ isDifference, isExpectation: false });
    }
  });
});
