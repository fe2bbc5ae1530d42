import { expect } from 'chai';
import sharp from 'sharp';
import { awayFromEnd, MINUTE_MS } from '../../testing/away-from-end.js';
import { until } from '../../testing/until.js';
import { systemClock } from '../../kit/async/clock.js';
import { signIn } from '../access/people.js';
import { shellOf } from '../network/phone-shell.js';
import { startWorld, type World } from '../world.js';
import { LiveClient } from './live-client.js';

describe('a live screen', () => {
  let world: World;
  let name: string;
  before(async () => {
    world = await startWorld();
    name = await world.api.createPhone({ name: 'watched' });
  });
  after(() => world.close());

  const opened: LiveClient[] = [];
  afterEach(() => opened.splice(0).forEach((viewer) => viewer.close()));

  async function watch(query = '', key = world.key): Promise<LiveClient> {
    const viewer = await LiveClient.open(world.mesh.url, name, { authorization: `Bearer ${key}` }, query);
    opened.push(viewer);
    return viewer;
  }

  /** The middle of the element that shows a text. */
  async function find(text: string): Promise<{ x: number; y: number }> {
    const { body } = await world.api.post(`/v1/devices/${name}/action`, { find_text: { text } });
    if (body.matches.length === 0) throw new Error(`"${text}" is not on the screen`);
    return body.matches[0].center;
  }

  const act = (step: object) => world.api.post(`/v1/devices/${name}/act`, step);

  it('begins with a hello and a picture of the screen', async () => {
    const viewer = await watch();
    const hello = await viewer.text('hello');
    expect(hello).to.deep.equal({ type: 'hello', screen: { width: 720, height: 1280, rotation: 0 }, format: 'jpeg' });
    const { image, number } = await viewer.frame(1);
    expect(number).to.equal(1);
    expect(viewer.received[0]).to.equal(hello);
    const { format, width, height } = await sharp(image).metadata();
    expect([format, width, height]).to.deep.equal(['jpeg', 720, 1280]);
    expect(viewer.headers).to.include.keys('x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset');
  });

  it('shows the effect of a tap, as small as the viewer wants it', async () => {
    const viewer = await watch('?max_size=320&quality=50');
    await viewer.frame(1);
    const { x, y } = await find('Settings');
    viewer.tap(x, y);
    const { image } = await viewer.frame(2);
    expect((await sharp(image).metadata()).height).to.equal(320);
    // The second frame may be the pressed row, before Settings opens.
    await act({ wait: {}, expect: { text: 'Display' } });
    await find('Display');
    await act({ key: { name: 'home' } });
  });

  it('types text in its turn, after the touches and keys before it', async () => {
    await act({ open_app: { app: 'Notes' } });
    await act({ tap: { text: 'New note' } });
    const { x, y } = await find('Title');
    const viewer = await watch();
    viewer.tap(x, y);
    viewer.send({ events: [{ text: { text: 'Zoë 買x' } }, { key: { name: 'del' } }] });
    viewer.send({ events: [{ text: { text: '$(reboot)' } }] });
    await act({ wait: {}, expect: { text: 'Zoë 買$(reboot)' } });
    await find('Zoë 買$(reboot)');
    await act({ key: { names: ['home'] } });
  });

  it('is exactly the screen as PNG', async () => {
    const viewer = await watch('?format=png');
    // The status bar shows the time.
    await awayFromEnd(MINUTE_MS, 10_000);
    await act({ wait: {} });
    const { bytes } = await world.api.get(`/v1/devices/${name}/screenshot`);
    const shown = await sharp(bytes).raw().toBuffer();
    const { image } = await viewer.until(() => viewer.frames.at(-1), 'frame');
    expect((await sharp(image).removeAlpha().raw().toBuffer()).equals(shown)).to.equal(true);
  });

  it('sends nothing while the screen is still, and numbers and times grow', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    await act({ key: { name: 'home' }, settle_ms: 300 });
    const before = viewer.frames.length;
    await systemClock.sleep(300);
    expect(viewer.frames.length - before, 'frames of a still screen').to.be.at.most(1);
    await act({ open_app: { app: 'Settings' } });
    await viewer.until(() => (viewer.frames.length > before ? true : undefined), 'frames of a change');
    const { frames } = viewer;
    for (const [at, frame] of frames.slice(1).entries()) {
      expect(frame.number).to.be.greaterThan(frames[at]!.number);
      expect(frame.capturedMs).to.be.at.least(frames[at]!.capturedMs);
    }
    await act({ key: { name: 'home' } });
  });

  it('sends the new size when the screen is turned', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    const turn = (rotation: number) =>
      shellOf(world.database, name, `settings put system accelerometer_rotation 0; settings put system user_rotation ${rotation}`); // prettier-ignore
    await turn(1);
    const screen = await viewer.text('screen');
    expect(screen).to.deep.equal({ type: 'screen', screen: { width: 1280, height: 720, rotation: 1 }, format: 'jpeg' });
    const after = viewer.received.indexOf(screen);
    const frame = await viewer.until(
      () => viewer.received.slice(after).find((one) => 'image' in one) as { image: Buffer } | undefined,
      'frame after the turn',
    );
    expect((await sharp(frame.image).metadata()).width).to.equal(1280);
    for (const before of viewer.received.slice(0, after)) {
      if ('image' in before) expect((await sharp(before.image).metadata()).width).to.equal(720);
    }
    await turn(0);
    await viewer.until(() => viewer.texts.filter(({ type }) => type === 'screen')[1], 'turn back');
  });

  it('gives a viewer that wants one frame a second no more', async () => {
    await shellOf(world.database, name, 'am start -n com.cloudphone.lab/.Counter');
    const [slow, quick] = [await watch('?fps=1&max_size=200'), await watch('?fps=30&max_size=200')];
    await Promise.all([slow.frame(1), quick.frame(1)]);
    const [begin, before] = [performance.now(), slow.frames.length];
    await quick.until(() => quick.frames[14], '15 frames');
    const seconds = (performance.now() - begin) / 1_000;
    expect(slow.frames.length - before).to.be.at.most(2 + Math.ceil(seconds));
    await act({ key: { name: 'home' } });
  });

  it('lifts the finger of a viewer that vanished within seconds, and lets it go on when it is back', async () => {
    const [vanished, other] = [await watch(), await watch()];
    const down = { events: [{ touch: { phase: 'down', x: 100, y: 100 } }] };
    vanished.send(down);
    const tapped = async (): Promise<string> => {
      const before = other.texts.length;
      other.tap(100, 100);
      // Done in order: the refusal of what is no input comes after that of the tap.
      other.send({});
      const [first] = await other.until(() => {
        const texts = other.texts.slice(before).filter(({ type }) => type === 'error');
        return texts.some(({ error }) => error === 'bad_request') ? texts : undefined;
      }, 'response');
      return first?.error ?? '';
    };
    await until(async () => (await tapped()) === 'busy');
    const beganMs = performance.now();
    vanished.ws.pause();
    await until(async () => (await tapped()) !== 'busy');
    expect(performance.now() - beganMs).to.be.below(15_000);
    vanished.ws.resume();
    vanished.send(down);
    await until(async () => (await tapped()) === 'busy');
  });

  it('keeps a finger down from one message to the next, and lifts it when the viewer leaves', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    viewer.send({ events: [{ touch: { phase: 'down', x: 360, y: 700 } }] });
    viewer.send({ events: [{ touch: { phase: 'move', x: 360, y: 600 } }] });
    await viewer.frame(1);
    const another = await watch();
    another.tap(10, 10);
    expect((await another.text('error')).error).to.equal('busy');
    viewer.ws.close();
    await viewer.end();
    // Once it has left, others may touch.
    for (let tries = 0; ; tries++) {
      const { status } = await world.api.post(`/v1/devices/${name}/input`, {
        events: [{ touch: { phase: 'down', x: 5, y: 600 } }, { touch: { phase: 'up', x: 5, y: 600 } }],
      });
      if (status === 200) break;
      expect(tries).to.be.lessThan(5);
    }
  });

  it('refuses bad input with an error, in order, and goes on', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    const { x, y } = await find('Settings');
    viewer.send('{"events": [');
    viewer.send({ events: [{ touch: { phase: 'down', x: -1, y: 0 } }] });
    viewer.send({ events: [], more: 1 });
    viewer.send({ events: [] });
    viewer.send('[]');
    viewer.ws.send(Buffer.from([1, 2, 3]));
    viewer.send({ events: [{ key: { name: 'nokey' } }] });
    viewer.send({ events: [{ touch: { phase: 'down', x: 5000, y: 0 } }, { touch: { phase: 'up', x: 5000, y: 0 } }] });
    viewer.send({ name: 'other', events: [] });
    viewer.tap(x, y);
    await viewer.until(() => (viewer.texts.length === 10 ? true : undefined), 'nine errors');
    const errors = viewer.texts.filter(({ type }) => type === 'error');
    expect(errors.map(({ error }) => error)).to.deep.equal(Array.from({ length: 9 }, () => 'bad_request'));
    for (const part of ['events[0].touch.x', 'more', 'Binary', 'nokey', 'outside of the screen', 'name']) {
      expect(
        errors.some(({ message }) => message?.includes(part)),
        part,
      ).to.equal(true);
    }
    await viewer.frame(2);
    expect(viewer.closed).to.equal(undefined);
    await act({ key: { name: 'home' } });
  });

  it('lets a read-only key watch, and refuses its input', async () => {
    const panel = await signIn(world);
    const viewer = await watch('', await panel.createKey({ scope: 'read' }));
    await viewer.frame(1);
    viewer.tap(10, 10);
    expect(await viewer.text('error')).to.include({ error: 'forbidden' });
    expect(viewer.closed).to.equal(undefined);
  });

  it('is shown to a page of the panel by its session, and to no other page', async () => {
    const panel = await signIn(world);
    const open = async (origin: string): Promise<LiveClient> => {
      const viewer = await LiveClient.open(world.mesh.url, name, { cookie: panel.cookie, origin });
      opened.push(viewer);
      return viewer;
    };
    await (await open(world.mesh.url)).frame(1);
    const error = await open('https://evil.example').then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(error).to.include({ status: 403 });
  });

  it('makes screenshots of its newest frame while the screen is still, with its age', async () => {
    await act({ wait: {}, settle_ms: 500 });
    const viewer = await watch();
    await viewer.frame(1);
    await systemClock.sleep(1_200);
    const used = async (): Promise<number> =>
      Number(/screen_pushed_frames_used_total (\d+)/.exec(await world.metrics.metrics())?.[1]);
    const before = await used();
    await until(async () => {
      const { headers } = await world.api.get(`/v1/devices/${name}/screenshot`);
      expect(Number(headers.get('x-frame-age-ms'))).to.be.at.least(0);
      return (await used()) > before;
    });
    expect(await world.metrics.metrics())
      .to.match(/screen_viewers 1\b/)
      .and.to.match(/http_open_sockets 1\b/);
  });

  it('captures nothing any more once nobody watches', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    viewer.ws.close();
    await viewer.end();
    const captures = async (): Promise<number> =>
      Number(/screen_capture_duration_seconds_count\{outcome="ok"\} (\d+)/.exec(await world.metrics.metrics())?.[1]);
    for (let tries = 0; ; tries++) {
      const before = await captures();
      await systemClock.sleep(300);
      if ((await captures()) === before) break;
      expect(tries, 'still captured').to.be.lessThan(10);
    }
    expect(await world.metrics.metrics()).to.match(/screen_viewers 0\b/);
  });
});
