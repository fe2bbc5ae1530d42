import { expect } from 'chai';
import type { Pixels } from '../../phone/screen/pixels.js';
import { picture } from '../testing/picture.js';
import { StillWatch } from './still-watch.js';

/** At 160 dots per inch a dp is a pixel: the status bar is 24 high, a caret 3 wide at the most. */
const DENSITY = 160;
const W = 100;
const H = 200;

const BLANK = picture(W, H);
const box = (x: number): Pixels => picture(W, H, [{ x, y: 100, width: 30, height: 30, grey: 0 }]);
const caret = (x = 40): Pixels => picture(W, H, [{ x, y: 100, width: 2, height: 20, grey: 0 }]);
const clock = picture(W, H, [{ x: 5, y: 5, width: 40, height: 10, grey: 0 }]);

/** Shows a picture every 30 ms, each taking 5 ms; returns when the screen counted as still for `ms`, or undefined. */
function stillAt(pictures: Pixels[], ms: number): number | undefined {
  const watch = new StillWatch({ density: DENSITY, startMs: 0 });
  for (const [at, pixels] of pictures.entries()) {
    const beganMs = at * 30;
    watch.see({ pixels, beganMs, endedMs: beganMs + 5, takenAt: 0 });
    if (watch.stillFor(ms)) return beganMs + 5;
  }
  return undefined;
}

const times = (count: number, pixels: Pixels): Pixels[] => Array.from({ length: count }, () => pixels);

describe('a screen', () => {
  it('that never changes is still from the beginning', () => {
    expect(stillAt(times(20, BLANK), 300)).to.equal(305);
  });

  it('is still only that long after the last change was first seen', () => {
    const moving = Array.from({ length: 10 }, (_, at) => box(at * 5));
    // The last position is first seen in the picture begun at 270 ms.
    expect(stillAt([...moving, ...times(20, box(45))], 300)).to.equal(575);
  });

  it('on which the status bar changes is still', () => {
    expect(stillAt([...times(5, BLANK), ...times(15, clock)], 300)).to.equal(305);
  });

  it('on which a caret blinks is still', () => {
    const blinking = Array.from({ length: 60 }, (_, at) => (Math.floor(at / 16) % 2 === 0 ? BLANK : caret()));
    expect(stillAt(blinking, 900)).to.be.within(900, 1_100);
  });

  it('on which a thin bar grows is not still', () => {
    const growing = Array.from({ length: 40 }, (_, at) =>
      picture(W, H, [{ x: 10, y: 100, width: 1 + at * 2, height: 20, grey: 0 }]),
    );
    expect(stillAt(growing, 300)).to.equal(undefined);
  });

  it('with an endless spinner is never still', () => {
    const spinning = Array.from({ length: 200 }, (_, at) => box((at % 4) * 10));
    expect(stillAt(spinning, 300)).to.equal(undefined);
  });

  it('is the same where the latest picture shows no change, and a caret is none', () => {
    const watch = new StillWatch({ density: DENSITY, startMs: 0 });
    const same = [BLANK, BLANK, box(0), box(5), box(5), clock, clock].map((pixels, at) => {
      watch.see({ pixels, beganMs: at * 30, endedMs: at * 30 + 5, takenAt: 0 });
      return watch.isSame;
    });
    expect(same).to.deep.equal([true, true, false, false, true, false, true]);
    watch.see({ pixels: picture(W, H), beganMs: 300, endedMs: 305, takenAt: 0 });
    watch.see({ pixels: caret(), beganMs: 330, endedMs: 335, takenAt: 0 });
    expect(watch.isSame).to.equal(true);
  });

  it('that was turned has changed', () => {
    expect(stillAt([...times(5, BLANK), ...times(20, picture(H, W))], 300)).to.equal(5 * 30 + 305);
  });

  /**
   * Takes a picture every `everyMs`, each in `takeMs`. Returns how long after the first one that picture was requested with which the
   * screen counts as still.
   */
  const stillByRequest = (takeMs: number, everyMs: number): number | undefined => {
    const watch = new StillWatch({ density: DENSITY, startMs: 0 });
    watch.see({ pixels: BLANK, beganMs: 0, endedMs: takeMs, takenAt: 0 });
    for (let beganMs = everyMs; beganMs < 5_000; beganMs += everyMs) {
      watch.see({ pixels: box(0), beganMs, endedMs: beganMs + takeMs, takenAt: 0 });
      if (watch.stillFor(300)) return beganMs - everyMs;
    }
    return undefined;
  };

  it('of which a picture takes as long as on most phones is still when one shows it that was requested 240 ms later', () => {
    expect(stillByRequest(120, 60)).to.equal(240);
  });

  it('of which a picture takes long is still only later, as it may show any moment of its capture', () => {
    expect(stillByRequest(1_000, 60)).to.be.at.least(240 + (1_000 - 120) / 2);
  });

  it('is not still on one slow picture alone', () => {
    const watch = new StillWatch({ density: DENSITY, startMs: 0 });
    watch.see({ pixels: BLANK, beganMs: 0, endedMs: 2_000, takenAt: 0 });
    expect(watch.stillFor(300)).to.equal(false);
  });
});
