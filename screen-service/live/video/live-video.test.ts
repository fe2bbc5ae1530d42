import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { TouchPhase } from '../../../proto/gen/cloudphone/screen/v1/input_pb.js';
import { ImageFormat } from '../../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import type { VideoForm } from '../../../phone/video/video-encoder.js';
import { hasFfmpeg } from '../../../testing/has-ffmpeg.js';
import { until } from '../../../testing/until.js';
import { bootPhone, type RealPhone } from '../../testing/real-phone.js';
import { type ScreenWorld, screenWorld } from '../../testing/screen-world.js';
import { type WatchRequest, watchStream } from '../../testing/watched-stream.js';
import { NEEDS_FFMPEG, skip } from '../../../testing/skip.js';

/** The simulated phone only checks that a file is there. */
const SCRCPY_FILE = Buffer.from('a server');

describe('a live screen as video', () => {
  let phone: RealPhone;
  let world: ScreenWorld;
  const stop: (() => void)[] = [];

  before(function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
  });

  async function boot(options: { ffmpeg?: string; file?: Uint8Array } = {}): Promise<void> {
    const { ffmpeg, file = SCRCPY_FILE } = options;
    phone = await bootPhone({ ...(ffmpeg !== undefined && { ffmpeg }) });
    world = screenWorld({ ...phone, ...(file.length > 0 && { scrcpyFile: file }) });
  }

  afterEach(async () => {
    for (const end of stop.splice(0)) end();
    await world.close();
    await phone.close();
  });

  function watch(first: WatchRequest = {}) {
    const stream = watchStream(world, { name: 'phone', format: ImageFormat.H264, ...first });
    stop.push(stream.leave);
    return stream;
  }

  const servers = async (): Promise<number> => (await phone.shell('ps -A')).split('app_process').length - 1;
  const move = (): Promise<string> => phone.shell('am start -n com.cloudphone.lab/.Counter --ei fps 20');

  it('begins with a hello that names the codec, and a key frame with its configuration', async () => {
    await boot();
    const viewer = watch();
    const hello = (await viewer.next('hello')).value;
    expect(hello.format).to.equal(ImageFormat.H264);
    expect(hello.codec).to.match(/^avc1\.42[0-9A-F]{4}$/);
    expect(hello.screen).to.include({ width: 720, height: 1280, rotation: 0 });
    const frame = (await viewer.next('frame')).value;
    expect(frame).to.include({ number: 1, flags: 1, contentType: 'video/h264' });
    expect(Buffer.from(frame.data.subarray(0, 5)).toString('hex')).to.equal('0000000167');
    await move();
    expect((await viewer.next('frame')).value).to.include({ number: 2, flags: 0 });
  });

  it('is encoded once for all viewers, and a new one begins with a key frame at once', async () => {
    await boot();
    const first = watch();
    (await first.next('frame')).value;
    await move();
    for (let count = 0; count < 10; count++) (await first.next('frame')).value;
    const beganMs = systemClock.monotonicMs();
    const second = watch({ maxSize: 320 });
    expect((await second.next('frame')).value).to.include({ number: 1, flags: 1 });
    // A page gets its first frame within 300 ms; the test allows ten times as long, for loaded machines.
    expect(systemClock.monotonicMs() - beganMs).to.be.below(3_000);
    expect(await servers()).to.equal(1);
  });

  it('grows with a viewer that asks for more, whose video the others get too', async () => {
    await boot();
    const small = watch({ maxSize: 320 });
    expect((await small.next('hello')).value.screen).to.include({ width: 720, height: 1280 });
    (await small.next('frame')).value;
    const large = watch();
    (await large.next('hello')).value;
    expect((await large.next('frame')).value).to.include({ flags: 1 });
    (await small.next('screen')).value;
    expect((await small.next('frame')).value).to.include({ flags: 1 });
    await until(async () => (await servers()) === 1);
  });

  it('grows on a phone that encodes one video at a time, too', async () => {
    await boot();
    const { machine } = phone.phone;
    const encoders = machine.videoEncoders!;
    let isBusy = false;
    (machine as { videoEncoders: unknown }).videoEncoders = {
      open: (form: VideoForm, signal: AbortSignal) => {
        if (isBusy) return undefined;
        isBusy = true;
        signal.addEventListener('abort', () => (isBusy = false));
        return encoders.open(form, signal);
      },
    };
    const small = watch({ maxSize: 320 });
    (await small.next('frame')).value;
    const large = watch();
    (await large.next('frame')).value;
    expect((await small.next('screen')).value).to.include({ format: ImageFormat.H264 });
    expect((await small.next('frame')).value).to.include({ flags: 1 });
  });

  it('drops a viewer that is too slow to a later key frame, and lets no other wait', async () => {
    await boot();
    const slow = watch();
    (await slow.next('frame')).value;
    const quick = watch();
    (await quick.next('frame')).value;
    await move();
    const numbers: number[] = [];
    // These units take longer than one unit may wait for a viewer.
    while (numbers.length < 24) numbers.push((await quick.next('frame')).value.number);
    // The slow viewer gets only the last few of the units that it has missed.
    let frame = (await slow.next('frame')).value;
    while (frame.flags !== 1) frame = (await slow.next('frame')).value;
    expect(frame.number).to.be.below(numbers.length);
    expect((await quick.next('frame')).value.number).to.be.above(numbers.length);
  });

  it('follows the screen when it is turned', async () => {
    await boot();
    const viewer = watch();
    (await viewer.next('frame')).value;
    await phone.shell('settings put system accelerometer_rotation 0; settings put system user_rotation 1');
    expect((await viewer.next('screen')).value.screen).to.include({ width: 1280, height: 720, rotation: 1 });
    expect((await viewer.next('frame')).value).to.include({ flags: 1 });
  });

  it('ends on the phone some seconds after its last viewer', async () => {
    await boot();
    const viewer = watch();
    (await viewer.next('frame')).value;
    expect(await servers()).to.equal(1);
    viewer.leave();
    await until(async () => (await servers()) === 0);
    expect(await phone.shell('ls /data/local/tmp')).not.to.include('scrcpy');
  });

  it('takes touches and text by the way that comes with it, without a command on the phone', async () => {
    await boot();
    const viewer = watch({ maxSize: 640 });
    (await viewer.next('frame')).value;
    await phone.shell('am start -n com.cloudphone.lab/.Form');
    const { screen } = phone.phone.machine;
    await until(() => screen.foreground.activity === '.Form');
    const touches: string[] = [];
    screen.touch = ({ phase, pointer, x, y }) => void touches.push(`${phase} ${pointer} ${x},${y}`);
    const touch = (phase: TouchPhase, pointer: number, x: number) =>
      ({ kind: { case: 'touch', value: { phase, x, y: 900, pointer } } }) as const;
    const { DOWN, UP } = TouchPhase;
    viewer.send({ events: [touch(DOWN, 0, 100), touch(DOWN, 1, 300), touch(UP, 1, 300), touch(UP, 0, 100)] });
    await until(() => touches.length === 4);
    expect(touches).to.deep.equal(['down 0 100,900', 'down 1 300,900', 'up 1 300,900', 'up 0 100,900']);
    const typed: string[] = [];
    screen.commitText = (text) => typed.push(text) > 0;
    viewer.send({ events: [{ kind: { case: 'text', value: { text: 'as typed' } } }] });
    await until(() => typed.length === 1);
    expect(typed).to.deep.equal(['as typed']);
    expect(phone.phone.services.recent().filter((name) => /exec tee|:input /.test(name))).to.be.empty;
  });

  it('is pictures for a viewer that asks for either, and refused to one that asks for video, where there is none', async () => {
    await boot({ ffmpeg: '/nonexistent/ffmpeg' });
    const either = watch({ format: ImageFormat.AUTO });
    const hello = (await either.next('hello')).value;
    expect(hello.format).to.equal(ImageFormat.JPEG);
    expect(hello.codec).to.equal(undefined);
    const frame = (await either.next('frame')).value;
    expect(frame.contentType).to.equal('image/jpeg');
    expect(frame.flags).to.equal(undefined);
    const error = await watch()
      .next('hello')
      .catch((thrown: unknown) => thrown);
    expect(error).to.have.property('kind', 'bad_request');
    expect(error).to.have.property('message').that.includes('no video');
  });

  it('is pictures where the operator has given no server', async () => {
    await boot({ file: new Uint8Array() });
    expect((await watch({ format: ImageFormat.AUTO }).next('hello')).value).to.include({ format: ImageFormat.JPEG });
    expect(await servers()).to.equal(0);
  });

  it('goes on as pictures when the server ends in the middle and does not start again', async () => {
    await boot();
    const viewer = watch({ format: ImageFormat.AUTO });
    expect((await viewer.next('hello')).value).to.include({ format: ImageFormat.H264 });
    (await viewer.next('frame')).value;
    (phone.phone.machine as { videoEncoders: unknown }).videoEncoders = undefined;
    await phone.shell('kill $(pidof app_process)');
    expect((await viewer.next('screen')).value).to.include({ format: ImageFormat.JPEG });
    expect((await viewer.next('frame')).value).to.include({ contentType: 'image/jpeg' });
  });
});
