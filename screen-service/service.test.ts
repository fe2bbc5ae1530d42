import { expect } from 'chai';
import sharp from 'sharp';
import { ApiError } from '../kit/errors/api-error.js';
import { ImageFormat } from '../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { type FakeAdbd, say, startFakeAdbd } from '../testing/phone/fake-adbd.js';
import { until } from '../testing/until.js';
import { picture, rawScreencap } from './testing/picture.js';
import { AS_KEY, screenWorld, type ScreenWorld } from './testing/screen-world.js';

describe('the screen service', () => {
  let adbd: FakeAdbd;
  let world: ScreenWorld;
  let grey = 0;
  /** The phone sends a picture once this has resolved. */
  let held: Promise<void>;

  beforeEach(async () => {
    held = Promise.resolve();
    adbd = await startFakeAdbd(async (stream) => {
      await held;
      await say(stream, rawScreencap(picture(90, 160, [{ x: 10, y: 100, width: 30, height: 30, grey }])));
    });
    world = screenWorld({ port: adbd.port });
  });

  afterEach(async () => {
    await world.close();
    await adbd.close();
  });

  async function kindOf(request: Promise<unknown>): Promise<string> {
    const error = await request.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return error instanceof ApiError ? error.kind : String(error);
  }

  it('locates the phone on every request, as the caller, and connects once', async () => {
    await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    await world.client.getScreenshot({ name: 'phone' }, { headers: { authorization: 'Bearer key_2' } });
    expect(world.located).to.deep.equal(['Bearer key_1', 'Bearer key_2']);
    expect(adbd.connections).to.equal(1);
  });

  for (const kind of ['forbidden', 'not_found', 'busy'] as const) {
    it(`passes on ${kind}, also when the phone is connected already`, async () => {
      await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
      world.refuse = kind;
      expect(await kindOf(world.client.getScreenshot({ name: 'phone' }, AS_KEY))).to.equal(kind);
    });
  }

  it('refuses callers without a key', async () => {
    expect(await kindOf(world.client.getScreenshot({ name: 'phone' }))).to.equal('unauthorized');
    expect(adbd.connections).to.equal(0);
  });

  it('opens a new connection to a phone that was started anew', async () => {
    await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    world.phone.generation = 2;
    await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    expect(adbd.connections).to.equal(2);
  });

  it('returns a PNG of the screen by default, without alpha', async () => {
    const { image } = await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    const meta = await sharp(image!.data).metadata();
    expect(meta).to.include({ format: 'png', width: 90, height: 160, channels: 3 });
  });

  it('makes a JPEG as small as max_size, and never larger', async () => {
    const ask = async (maxSize: number) => {
      const { image } = await world.client.getScreenshot({ name: 'phone', format: ImageFormat.JPEG, maxSize }, AS_KEY);
      const { format, width, height } = await sharp(image!.data).metadata();
      return { format, width, height };
    };
    expect(await ask(80)).to.deep.equal({ format: 'jpeg', width: 45, height: 80 });
    expect(await ask(4000)).to.deep.equal({ format: 'jpeg', width: 90, height: 160 });
  });

  it('responds not modified as long as the caller has the same pixels', async () => {
    const { image: first } = await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    const again = (ifNoneMatch: string) => world.client.getScreenshot({ name: 'phone', ifNoneMatch }, AS_KEY);
    const same = await again(`"other", W/${first!.etag}`);
    expect(same.image).to.include({ notModified: true, etag: first!.etag });
    expect(same.image!.data).to.be.empty;
    grey = 90;
    const other = await again(first!.etag);
    expect(other.image!.notModified).to.equal(false);
    expect(other.image!.etag).not.to.equal(first!.etag);
    grey = 0;
  });

  it('tags formats of the same pixels apart', async () => {
    const png = await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    const jpeg = await world.client.getScreenshot({ name: 'phone', format: ImageFormat.JPEG }, AS_KEY);
    const small = await world.client.getScreenshot({ name: 'phone', maxSize: 32 }, AS_KEY);
    expect(new Set([png, jpeg, small].map(({ image }) => image!.etag))).to.have.length(3);
  });

  it('shares captures between requests that come together', async () => {
    const requests = Array.from({ length: 12 }, () => world.client.getScreenshot({ name: 'phone' }, AS_KEY));
    await Promise.all(requests);
    expect(adbd.opened.length).to.be.within(2, 4);
  });

  it('takes a new capture for a request after one that was cancelled while its capture waited for its turn', async () => {
    const screenshot = (signal?: AbortSignal) =>
      world.client.getScreenshot({ name: 'phone' }, { ...AS_KEY, ...(signal && { signal }) });
    await screenshot();
    let release: () => void = () => undefined;
    held = new Promise((resolve) => (release = resolve));
    const before = adbd.opened.length;
    const running = [screenshot(), screenshot()];
    await until(() => adbd.opened.length === before + 2);
    const cancelled = new AbortController();
    const waiting = screenshot(cancelled.signal).catch(() => 'cancelled');
    await until(() => world.located.length === 4);
    cancelled.abort(new Error('the client hung up'));
    expect(await waiting).to.equal('cancelled');
    const next = screenshot();
    release();
    expect((await next).image!.contentType).to.equal('image/png');
    await Promise.all(running);
  });

  it('refuses input outside of the screen before any of it is sent', async () => {
    const touch = (y: number) => ({ kind: { case: 'touch' as const, value: { phase: 1, x: 5, y } } });
    const request = world.client.sendInput({ name: 'phone', events: [touch(5), touch(5000)] }, AS_KEY);
    expect(await kindOf(request)).to.equal('bad_request');
    expect(adbd.opened.filter((service) => service.includes('input'))).to.be.empty;
  });
});
