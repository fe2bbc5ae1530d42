import { expect } from 'chai';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { openTestCall } from '../../testing/open-test-call.js';
import type { Frame } from '../capture/captures.js';
import { nextPictureMs } from '../observe/picture-pace.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import { picture } from '../testing/picture.js';
import { type Lull, type Pace, sampleFrames } from './sample-frames.js';

const CAPTURE_MS = 120;
const TREE_MS = 1_500;

/** Returns the times at which pictures are requested until `untilMs`, from a phone that takes 120 ms for each. */
async function requestedMs(
  untilMs: number,
  lullAt: (clock: FakeClock) => Lull | undefined,
  aimMs?: number,
): Promise<number[]> {
  const clock = new FakeClock();
  const requested: number[] = [];
  const next = async (): Promise<Frame> => {
    const beganMs = clock.monotonicMs();
    requested.push(beganMs);
    await clock.sleep(CAPTURE_MS);
    return { pixels: picture(1, 1), beganMs, endedMs: clock.monotonicMs(), takenAt: 0 };
  };
  const phoneSession = { clock, captures: { next, usualMs: CAPTURE_MS } } as unknown as ObservedPhone;
  const pace: Pace = {
    get lull() {
      return lullAt(clock);
    },
    aimMs,
  };
  const sampling = (async () => {
    for await (const frame of sampleFrames(openTestCall(), phoneSession, untilMs, pace))
      expect(frame.endedMs).to.be.at.least(frame.beganMs + CAPTURE_MS);
  })();
  while (clock.monotonicMs() <= untilMs) {
    await settled();
    clock.turn(10);
  }
  await sampling;
  return requested;
}

describe('pictures in a row', () => {
  it('are taken without a pause, on a slow phone two at the same time at even intervals', async () => {
    const requested = await requestedMs(240, () => undefined);
    expect(requested).to.deep.equal([0, 60, 120, 180]);
  });

  it('have one that is requested at the aim, which is less than an interval later than its turn', async () => {
    const aimed = (aimMs: number) => requestedMs(300, () => undefined, aimMs);
    expect(await aimed(150)).to.deep.equal([0, 60, 150, 210, 270]);
    expect(await aimed(120)).to.deep.equal([0, 60, 120, 180, 240]);
  });

  it('are fewer while only the arrival of a tree is waited for, and one is under way at its usual time', async () => {
    const over = new Promise<void>(() => undefined);
    const usual = { treeMs: TREE_MS, captureMs: CAPTURE_MS };
    const lull = { over, nextMs: (lastMs: number) => nextPictureMs(lastMs, 0, usual) };
    const requested = await requestedMs(TREE_MS, () => lull);
    expect(requested).to.deep.equal([300, 720, 1_140, 1_400]);
  });

  it('have a pause after each on a busy screen', async () => {
    const requested = await requestedMs(900, () => ({ nextMs: (lastMs) => lastMs + 100 }));
    expect(requested).to.deep.equal([100, 320, 540, 760]);
  });

  it('are taken at once when the tree has come sooner', async () => {
    let isOver = false;
    const requested = await requestedMs(500, (clock) => {
      if (isOver) return undefined;
      const over = clock.sleep(200).then(() => {
        isOver = true;
      });
      return { over, nextMs: () => Infinity };
    });
    expect(requested[0]).to.be.within(200, 210);
  });
});
