import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { startPhone } from '../../../testing/phone/start-phone.js';
import { StillScreen } from '../../../testing/phone/still-screen.js';
import { until } from '../../../testing/until.js';
import { parseSecureWindow } from '../../../phone/screen/windows.js';
import { JobFailure } from '../jobs/job-failure.js';
import { SEE_BACK_AGAIN_MS, SEE_BACK_MS } from '../limits.js';
import { linkOpener } from '../phones/open-link.js';
import { isBlankPicture, seeBackThroughAdb } from './see-back.js';

/** A screen of two colours. */
class PaintedScreen extends StillScreen {
  override capture() {
    const frame = super.capture();
    frame.data.fill(0xff, 0, frame.data.length / 2);
    return frame;
  }
}

describe('seeing that a phone is back', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  let screen: StillScreen;
  let clock: FakeClock;

  async function start(made: StillScreen): Promise<void> {
    screen = made;
    clock = new FakeClock();
    world = await startPhone({ createScreen: () => screen });
  }
  afterEach(() => world.stop());

  const see = () => {
    const endpoint = { host: '127.0.0.1', port: world.port, identity: world.phone.runIdentity ?? '' };
    return seeBackThroughAdb(linkOpener(systemClock), clock)(endpoint, new AbortController().signal);
  };

  it('returns its identity once it has booted and shows something', async () => {
    await start(new PaintedScreen());
    const seen = await see();
    expect(seen.serial).to.equal('SIM0001');
    expect(seen.androidId).to.match(/^[0-9a-f]{16}$/);
    expect(seen.mac).to.match(/^02(:[0-9a-f]{2}){5}$/);
  });

  it('waits for the picture, and for the end of the boot', async () => {
    await start(new StillScreen());
    let captures = 0;
    screen.capture = () => (++captures < 3 ? StillScreen : PaintedScreen).prototype.capture.call(screen);
    world.phone.machine.properties.set('sys.boot_completed', '0');
    const seen = see();
    await turnUntil(() => clock.monotonicMs() > 3 * SEE_BACK_AGAIN_MS);
    expect(captures).to.equal(0);
    world.phone.machine.properties.set('sys.boot_completed', '1');
    await turnUntil(() => captures === 3);
    expect(await seen).to.have.property('serial', 'SIM0001');
  });

  it('fails the job when the screen stays blank', async () => {
    await start(new StillScreen());
    const failing = see().catch((error: unknown) => error);
    await turnUntil(() => clock.monotonicMs() > SEE_BACK_MS + SEE_BACK_AGAIN_MS);
    const failure = await failing;
    expect(failure).to.be.instanceOf(JobFailure);
    expect((failure as JobFailure).message).to.contain('its screen stays blank');
  });

  /** Turns the clock between captures: each capture takes real time. */
  async function turnUntil(holds: () => boolean): Promise<void> {
    await until(() => {
      clock.turn(SEE_BACK_AGAIN_MS);
      return holds();
    });
  }

  it('takes a picture of one colour for blank, with either header', () => {
    const picture = (header: number, ...pixels: number[]): Buffer => {
      const raw = Buffer.alloc(header + pixels.length * 4);
      raw.writeUInt32LE(pixels.length, 0);
      raw.writeUInt32LE(1, 4);
      raw.writeUInt32LE(1, 8);
      pixels.forEach((pixel, at) => raw.writeUInt32LE(pixel, header + at * 4));
      return raw;
    };
    for (const header of [12, 16]) {
      expect(isBlankPicture(picture(header, 7, 7, 7))).to.equal(true);
      expect(isBlankPicture(picture(header, 7, 7, 8))).to.equal(false);
      expect(isBlankPicture(picture(header, 8, 7, 7))).to.equal(false);
    }
    expect(isBlankPicture(Buffer.alloc(0))).to.equal(true);
  });

  it('knows a window that forbids pictures from one that shows nothing', () => {
    const dump = (flags: string): string =>
      `  mCurrentFocus=Window{1f u0 com.bank/.Main}\n  Window #0 Window{2a u0 Bar}:\n    mAttrs={fl=SECURE}\n  Window #1 Window{1f u0 com.bank/.Main}:\n    mAttrs={(0,0)(fillxfill) sim={adjust=pan} ty=BASE_APPLICATION\n      fl=${flags}}\n`;
    expect(parseSecureWindow(dump('LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH'))).to.equal(true);
    expect(parseSecureWindow(dump('LAYOUT_IN_SCREEN SPLIT_TOUCH'))).to.equal(false);
    expect(parseSecureWindow('') ?? false).to.equal(false);
  });
});
