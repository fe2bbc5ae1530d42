import { expect } from 'chai';
import { openTestCall } from '../../../testing/open-test-call.js';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import { type FakeAdbd, type FakeStream, startFakeAdbd } from '../../../testing/phone/fake-adbd.js';
import { until } from '../../../testing/until.js';
import { ControlTouches } from '../../input/touch/control-touches.js';
import { typeText } from '../../input/type-text.js';
import type { PhoneSession } from '../../phones/phone-session.js';
import type { Touch } from '../../shapes/touch.js';
import { openTestSession } from '../../testing/screen-world.js';
import { ScrcpySession } from './scrcpy-session.js';
import type { VideoUnit } from './video-unit.js';

const SCREEN = { width: 720, height: 1280 };
/** Bytes of messages to the server, as scrcpy 3 defines them: one letter of text, and one event of a key. */
const TEXT_BYTES = 6;
const KEY_BYTES = 14;
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

  /** Starts a run, and returns the phone as input finds it. */
  async function touched(): Promise<{ end: Promise<unknown>; touchedPhone: PhoneSession; session: ScrcpySession }> {
    const { session, end } = run();
    await until(() => units.length === 1 && session.control !== undefined);
    const live = { control: session.control, configuration: { width: 720, height: 1280 }, knownScreen: () => SCREEN };
    return { session, end, touchedPhone: { ...phone, video: live as unknown as PhoneSession['video'] } };
  }

  it('reads slowly takes texts of any number of lines, and any number of touches of one call', async () => {
    adbd.reads = (service) => service === 'sync:' || service.startsWith('localabstract:');
    let writtenBytes = 0;
    adbd.onWrite = ({ service }, bytes) => {
      if (service.startsWith('localabstract:')) writtenBytes += bytes.length;
    };
    const { touchedPhone, session, end } = await touched();
    await typeText(openTestCall(), touchedPhone, 'a\n'.repeat(1_000), { field: 'text' });
    await until(() => writtenBytes >= 1_000 * (TEXT_BYTES + 2 * KEY_BYTES));
    const touches = new ControlTouches(touchedPhone);
    const moves = Array.from({ length: 1_000 }, (_, at): Touch => ({ phase: 'move', pointer: 0, x: at % 700, y: 9 }));
    await touches.send(openTestCall(), [{ phase: 'down', pointer: 0, x: 1, y: 1 }, ...moves]);
    expect(session.control?.isOpen).to.equal(true);
    session.stop();
    expect(await ended(end)).to.equal('undefined');
  });

  it('reads nothing is given up by a long text once its time is over, and keeps it where the client has gone', async () => {
    const { touchedPhone, session, end } = await touched();
    const gone = new AbortController();
    const left = typeText(openTestCall({ signals: [gone.signal] }), touchedPhone, '\n'.repeat(90), { field: 'text' });
    gone.abort(new Error('the client has gone'));
    expect(await ended(left.catch((error: unknown) => error))).to.contain('the client has gone');
    expect(session.control?.isOpen).to.equal(true);
    const typing = typeText(openTestCall(), touchedPhone, '\n'.repeat(90), { field: 'text' });
    expect(await ended(typing.catch((error: unknown) => error))).to.contain('take the input');
    expect(await ended(end)).to.contain('input');
  });

  it('does not start it is left without its file', async () => {
    adbd.reads = () => false;
    const { end } = run();
    await until(() => adbd.opened.includes('sync:'));
    expect(await ended(end)).to.contain('did not take');
    await until(() => adbd.opened.some((service) => service.includes('rm -f /data/local/tmp/scrcpy-server-')));
  });
});
