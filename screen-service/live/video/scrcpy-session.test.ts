import { expect } from 'chai';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import { type FakeAdbd, type FakeStream, startFakeAdbd } from '../../../testing/phone/fake-adbd.js';
import { until } from '../../../testing/until.js';
import type { PhoneSession } from '../../phones/phone-session.js';
import { openTestSession } from '../../testing/screen-world.js';
import { ScrcpySession } from './scrcpy-session.js';
import type { VideoUnit } from './video-unit.js';

const META = Buffer.from('h264\0\0\x02\xd0\0\0\x05\0', 'latin1');
const CONFIGURATION = Buffer.from('000000016742c01fda02d0286c044000000300400000030083c60ca80000000168ce0fc8', 'hex');

function packet(flags: number, data: Buffer): Buffer {
  const header = Buffer.alloc(12);
  header[0] = flags;
  header.writeUInt32BE(data.length, 8);
  return Buffer.concat([header, data]);
}

describe('a run of the video server on a phone that', () => {
  let adbd: FakeAdbd;
  let clock: FakeClock;
  let phone: PhoneSession;
  let units: VideoUnit[];
  let video: FakeStream | undefined;
  let control: FakeStream | undefined;
  let wakefulness: 'Awake' | 'Asleep';
  /** How often the session reported that the display is off. */
  let asleep: number;

  beforeEach(async () => {
    units = [];
    [wakefulness, asleep] = ['Awake', 0];
    [video, control] = [undefined, undefined];
    clock = new FakeClock();
    adbd = await startFakeAdbd(respond);
    adbd.reads = (service) => service === 'sync:';
    phone = openTestSession(adbd.port, {}, clock);
  });
  afterEach(async () => {
    phone.close();
    await adbd.close();
  });

  async function respond(stream: FakeStream): Promise<void> {
    if (stream.service === 'sync:') await stream.write(Buffer.from('OKAY\0\0\0\0', 'latin1'));
    if (/mkdir|rm -f/.test(stream.service)) stream.close();
    if (stream.service.includes('mWakefulness')) {
      await stream.write(Buffer.from(`mWakefulness=${wakefulness}\n`));
      stream.close();
    }
    if (!stream.service.startsWith('localabstract:')) return;
    if (video !== undefined) {
      control = stream;
      return;
    }
    video = stream;
    await stream.write(Buffer.concat([META, packet(0x80, CONFIGURATION), packet(0x40, Buffer.alloc(9))]));
  }

  function run(): { session: ScrcpySession; end: Promise<unknown> } {
    const form = { maxSize: 1280, fps: 20 };
    const session = new ScrcpySession(
      phone,
      Buffer.from('a server'),
      form,
      (unit) => units.push(unit),
      () => asleep++,
    );
    const end = session.run().then(
      () => undefined,
      (error: unknown) => error,
    );
    return { session, end };
  }

  /** Moves the clock on while the end of a run waits for it. */
  async function ended(end: Promise<unknown>): Promise<string> {
    let message: string | undefined;
    void end.then((error) => (message = String(error)));
    await until(async () => {
      clock.turn(100);
      await settled();
      return message !== undefined;
    });
    return message ?? '';
  }

  it('sends no key frame when one is requested ends', async () => {
    const { session, end } = run();
    await until(() => units.length === 1 && session.control !== undefined);
    session.requestKey();
    clock.turn(5_000);
    session.requestKey();
    clock.turn(4_900);
    expect(session.control).not.to.equal(undefined);
    clock.turn(100);
    expect(await ended(end)).to.contain('no key frame within');
  });

  it('sleeps goes on without the key frame that is requested, and ends where none comes once it is awake', async () => {
    wakefulness = 'Asleep';
    const { session, end } = run();
    await until(() => units.length === 1 && session.control !== undefined);
    session.requestKey();
    for (let times = 1; times <= 3; times++) {
      clock.turn(10_000);
      await until(() => asleep === times);
    }
    expect(session.control).not.to.equal(undefined);
    await video?.write(packet(0, Buffer.alloc(9)));
    await until(() => units.length === 2);
    expect(session.isAsleep).to.equal(false);
    wakefulness = 'Awake';
    expect(await ended(end)).to.contain('no key frame within');
  });

  it('sends the key frame that is requested goes on', async () => {
    const { session, end } = run();
    await until(() => units.length === 1 && session.control !== undefined);
    session.requestKey();
    clock.turn(5_000);
    await video?.write(packet(0x40, Buffer.alloc(9)));
    await until(() => units.length === 2);
    clock.turn(60_000);
    expect(session.control).not.to.equal(undefined);
    session.stop();
    expect(await ended(end)).to.equal('undefined');
  });

  it('ends its input, or reads none of it, ends', async () => {
    const closed = run();
    await until(() => units.length === 1 && closed.session.control !== undefined);
    control?.close();
    expect(await ended(closed.end)).to.contain('input');
    [video, control] = [undefined, undefined];
    const unread = run();
    await until(() => units.length === 2 && unread.session.control !== undefined);
    for (let messages = 0; messages < 300; messages++) unread.session.control?.text('x');
    expect(await ended(unread.end)).to.contain('input');
  });

  it('does not start it is left without its file', async () => {
    adbd.reads = () => false;
    const { end } = run();
    await until(() => adbd.opened.includes('sync:'));
    expect(await ended(end)).to.contain('did not take');
    await until(() => adbd.opened.some((service) => service.includes('rm -f /data/local/tmp/scrcpy-server-')));
  });
});
