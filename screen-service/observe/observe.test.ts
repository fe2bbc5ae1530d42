import { expect } from 'chai';
import { Warning } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { type FakeAdbd, say, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import { NO_FOREGROUND } from '../../phone/screen/windows.js';
import { picture, rawScreencap } from '../testing/picture.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';
import { until } from '../../testing/until.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';
import { LastObservations } from './last-observations.js';
import { NOTHING_SEEN, type Observation } from './observation.js';

describe('an observation', () => {
  let adbd: FakeAdbd;
  let world: ScreenWorld;
  /** Grey of the box in each picture, in turn; the last one stays. */
  let greys: number[] = [];
  let trees = 0;

  beforeEach(async () => {
    trees = 0;
    adbd = await startFakeAdbd(async (stream) => {
      if (stream.service.includes('uiautomator')) {
        trees++;
        const text = `tree ${trees}`;
        const node = `<node text="${text}" class="android.widget.TextView" bounds="[0,0][90,30]" enabled="true" />`;
        await say(stream, `<hierarchy rotation="0">${node}</hierarchy>UI hierchary dumped to: /dev/tty`);
      } else if (stream.service.includes('screencap')) {
        const grey = greys.length > 1 ? greys.shift() : greys[0];
        await say(stream, rawScreencap(picture(90, 160, [{ x: 10, y: 100, width: 30, height: 30, grey: grey ?? 0 }])));
      } else {
        await say(stream, '  mCurrentFocus=Window{1a2 u0 com.x/com.x.Main}\n');
      }
    });
    world = screenWorld({ port: adbd.port });
  });

  afterEach(async () => {
    await world.close();
    await adbd.close();
  });

  const observe = async () => (await world.client.observe({ name: 'phone' }, AS_KEY)).observation!;

  it('holds picture, tree, app and activity of a still screen, taken once', async () => {
    greys = [50];
    const seen = await observe();
    expect(seen).to.include({ app: 'com.x', activity: '.Main' });
    expect(seen.id).to.match(/^obs_/);
    expect(seen.screen).to.include({ width: 90, height: 160, rotation: 0 });
    expect(seen.elements.map(({ text }) => text)).to.deep.equal(['tree 1']);
    expect(seen.warnings).to.be.empty;
    expect(seen.screenshot).to.include({ width: 90, height: 160, scale: 1 });
  });

  it('is taken again when the screen changed between picture and tree', async () => {
    greys = [10, 20];
    const seen = await observe();
    expect(trees).to.equal(2);
    expect(seen.elements.map(({ text }) => text)).to.deep.equal(['tree 2']);
    expect(seen.warnings).to.be.empty;
  });

  it('is taken at most three times, and then has the warning that it may be inconsistent', async () => {
    greys = Array.from({ length: 50 }, (_, at) => at * 4);
    const seen = await observe();
    expect(trees).to.equal(3);
    expect(seen.warnings).to.deep.equal([Warning.INCONSISTENT]);
    expect(seen.elements).to.have.length(1);
  });
});

describe('an observation of a scripted screen', () => {
  let phone: ScriptedPhone;
  let world: ScreenWorld;

  beforeEach(async () => {
    phone = await startScriptedPhone();
    world = screenWorld({ port: phone.adbd.port, limits: { treeTimeoutMs: 3_000 } });
  });
  afterEach(async () => {
    await world.close();
    await phone.adbd.close();
  });

  const observe = async () => (await world.client.observe({ name: 'phone' }, AS_KEY)).observation!;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const shows = (grey: number) => () => picture(90, 160, [{ x: 10, y: 100, width: 30, height: 30, grey }]);

  it('is taken again when the screen was another one only while the tree was read', async () => {
    phone.tree = async () => {
      if (phone.dumps > 1) return textNode('A');
      let pictures = 0;
      phone.pixels = () => {
        pictures++;
        return shows(10)();
      };
      await until(() => pictures > 1);
      phone.pixels = shows(0);
      return textNode('B');
    };
    phone.pixels = shows(0);
    const seen = await observe();
    expect(seen.elements.map(({ text }) => text)).to.deep.equal(['A']);
    expect(seen.warnings).to.be.empty;
  });

  it('reads the app in front again when the tree is of another one', async () => {
    let reads = 0;
    phone.focus = () => (++reads === 1 ? '1a2 com.old/com.old.Main' : '3b4 com.x/com.x.Main');
    const seen = await observe();
    expect(seen).to.include({ app: 'com.x', activity: '.Main' });
  });

  it('is of the app of the tree where the phone names another one', async () => {
    phone.focus = () => '1a2 com.old/com.old.Main';
    const seen = await observe();
    expect(seen).to.include({ app: 'com.x', activity: '' });
  });

  it('is not misled by the copy of the windows that plain dumpsys begins with after an ANR', async () => {
    await observe();
    const plain = phone.adbd.opened.filter((service) => /dumpsys window(?! displays| windows)/.test(service));
    expect(plain).to.be.empty;
  });

  it('of an activity that never idles begins with the way of dumping that works, from the second time on', async () => {
    phone.tree = async ({ service }) => {
      if (!service.includes('--compressed')) await pause(5_000);
      return textNode('Stopwatch');
    };
    await observe();
    const { elements } = await observe();
    expect(elements.map(({ text }) => text)).to.deep.equal(['Stopwatch']);
    phone.focus = () => '3b4 com.x/com.x.Other';
    await observe();
    expect(phone.adbd.opened.filter((service) => service.endsWith('uiautomator dump /dev/tty'))).to.have.length(2);
  });

  it('waits less, from the second time on, where no way of dumping works', async () => {
    await world.close();
    world = screenWorld({ port: phone.adbd.port, limits: { treeTimeoutMs: 6_000 } });
    phone.tree = () => pause(10_000).then(() => '');
    const startMs = performance.now();
    await observe();
    const firstMs = performance.now() - startMs;
    const { warnings } = await observe();
    expect(warnings).to.deep.equal([Warning.NOT_IDLE]);
    expect(performance.now() - startMs - firstMs).to.be.lessThan(firstMs);
  });

  it('shows no picture when a secret was typed and no tree shows where', async () => {
    const type = { case: 'type' as const, value: { text: 'hunter2', secret: true } as never };
    phone.tree = () => pause(10_000).then(() => '');
    const { observation } = await world.client.act({ name: 'phone', step: type, timeoutMs: 2_500 }, AS_KEY);
    expect(observation?.screenshot).to.equal(undefined);
    expect(observation?.warnings).to.include(Warning.PICTURE_WITHHELD);
    expect((await observe()).screenshot, 'nor later').to.equal(undefined);
    phone.focus = () => '3b4 com.y/com.y.Main';
    expect((await observe()).screenshot, 'in another app').not.to.equal(undefined);
    phone.focus = () => '3b4 com.android.chrome/com.android.chrome.Main';
    expect((await observe()).screenshot, 'in a browser').to.equal(undefined);
  });

  it('shows pictures of a browser that never rests, unless it shows a secret that was typed into another app', async () => {
    const type = { case: 'type' as const, value: { text: 'hunter2', secret: true } as never };
    await world.client.act({ name: 'phone', step: type }, AS_KEY);
    let grey = 0;
    phone.pixels = () => shows((grey += 5) % 250)();
    phone.focus = () => '3b4 com.android.chrome/com.android.chrome.Main';
    for (const [text, warnings] of [
      ['News', [Warning.INCONSISTENT]],
      ['/?q=hunter2', [Warning.INCONSISTENT, Warning.PICTURE_WITHHELD]],
    ] as const) {
      phone.tree = () => textNode(text).replaceAll('com.x', 'com.android.chrome');
      const seen = await observe();
      expect(seen.warnings, text).to.deep.equal(warnings);
      expect(seen.screenshot === undefined, text).to.equal(text !== 'News');
    }
  });

  it('hides a secret that was typed earlier, for every key', async () => {
    phone.tree = () => textNode('my hunter2!');
    const type = { case: 'type' as const, value: { text: 'hunter2', secret: true } as never };
    await world.client.act({ name: 'phone', step: type }, AS_KEY);
    const other = { headers: { authorization: 'Bearer key_2' } };
    const { observation } = await world.client.observe({ name: 'phone' }, other);
    expect(observation?.elements.map(({ text }) => text)).to.deep.equal(['my ••••••••!']);
    world.phone.generation++;
    const { observation: restarted } = await world.client.observe({ name: 'phone' }, other);
    expect(restarted?.elements.map(({ text }) => text)).to.deep.equal(['my hunter2!']);
  });

  it('hides it also in the results of find_text', async () => {
    phone.tree = () => textNode('my hunter2!');
    const type = { case: 'type' as const, value: { text: 'hunter2', secret: true } as never };
    await world.client.act({ name: 'phone', step: type }, AS_KEY);
    const find = (text: string) =>
      world.client.performAction({ name: 'phone', action: { case: 'findText', value: { text } as never } }, AS_KEY);
    expect((await find('hunt')).matches).to.be.empty;
    expect((await find('my')).matches.map(({ text }) => text)).to.deep.equal(['my ••••••••!']);
  });

  it('shows ordinary texts that have pieces of a secret, for every key and in every app', async () => {
    const texts = ['Password', 'Mara Lind', 'order 4711', 'Battery saver', 'Forgot password?'];
    const rows = (more = ''): string => texts.map((text) => textNode(text)).join('') + more;
    phone.tree = () => rows();
    expect((await observe()).elements.map(({ text }) => text)).to.deep.equal(texts);
    for (const text of ['password1', '4711', 'mara.lind@example.com', 'correct horse battery staple']) {
      const type = { case: 'type' as const, value: { text, secret: true } as never };
      await world.client.act({ name: 'phone', step: type }, AS_KEY);
    }
    phone.tree = () => rows(textNode('PIN 4711') + textNode('it is password1'));
    const other = { headers: { authorization: 'Bearer key_2' } };
    const { observation } = await world.client.observe({ name: 'phone' }, other);
    expect(observation?.elements.map(({ text }) => text)).to.deep.equal([...texts, 'PIN ••••••••', 'it is ••••••••']);
    const tap = { case: 'tap' as const, value: { text: 'Password' } as never };
    const { matches } = await world.client.performAction({ name: 'phone', action: tap }, other);
    expect(matches.map(({ text }) => text)).to.deep.equal(['Password']);
  });

  it('hides a secret in its app, in browsers and on surfaces of the system, and nowhere else', async () => {
    const show = (app: string): void => {
      phone.focus = () => `3b4 ${app}/${app}.Main`;
      phone.tree = () => textNode('my hunter2!').replaceAll('com.x', app);
    };
    const type = { case: 'type' as const, value: { text: 'hunter2', secret: true } as never };
    await world.client.act({ name: 'phone', step: type }, AS_KEY);
    for (const [app, text] of [
      ['com.x', 'my ••••••••!'],
      ['com.y', 'my hunter2!'],
      ['com.android.chrome', 'my ••••••••!'],
      ['com.android.systemui', 'my ••••••••!'],
    ] as const) {
      show(app);
      expect(
        (await observe()).elements.map((one) => one.text),
        app,
      ).to.deep.equal([text]);
    }
  });

  it('hides a short secret in the response of its call alone, also when a screen was read since it was typed', async () => {
    phone.tree = () => textNode('cvv 123') + textNode('12 EUR', 'bounds="[0,40][90,60]"');
    const steps = [
      {
        kind: { case: 'type' as const, value: { text: '123', secret: true } as never },
        expect: { condition: { case: 'text' as const, value: 'cvv' } } as never,
      },
    ];
    const { observation } = await world.client.act({ name: 'phone', steps }, AS_KEY);
    expect(observation?.elements.map(({ text }) => text)).to.deep.equal(['cvv ••••••••', '12 EUR']);
    expect((await observe()).elements.map(({ text }) => text)).to.deep.equal(['cvv 123', '12 EUR']);
  });

  it('gives elements that two observations find at one time ids of their own', async () => {
    let reads = 0;
    phone.tree = () => {
      const text = `Text ${++reads}`;
      return pause(100).then(() => textNode(text, 'clickable="true"'));
    };
    const [one, two] = await Promise.all([observe(), observe()]);
    const [first, second] = [one, two].map(({ elements }) => elements[0]!);
    expect(first!.text).to.not.equal(second!.text);
    expect(first!.id).to.not.equal(second!.id);
  });
});

describe('observations remembered for elements', () => {
  const observation = (id: string): Observation => ({
    id,
    observedAtMs: 0,
    front: NO_FOREGROUND,
    screen: { width: 1, height: 1, rotation: 0 },
    picture: undefined,
    pictured: undefined,
    pictureAgeMs: undefined,
    elementsAgeMs: undefined,
    pixels: picture(1, 1),
    content: NOTHING_SEEN,
    inputSentMs: 0,
    before: undefined,
    shown: true,
    warnings: [],
  });
  const start = (generation = 1) => ({ phoneId: 'ph', generation, identity: '' });

  it('are the latest of each key, and of the phone since its start', () => {
    const latest = new LastObservations(10);
    latest.lastObservationOf('a', start()).remember(observation('1'));
    latest.lastObservationOf('b', start()).remember(observation('2'));
    latest.lastObservationOf('a', start()).remember(observation('3'));
    expect(['a', 'b'].map((key) => latest.lastObservationOf(key, start()).latest()?.id)).to.deep.equal(['3', '2']);
    expect(latest.lastObservationOf('a', start(2)).latest()).to.equal(undefined);
  });

  it('are bounded, the oldest go first, and their pixels sooner', () => {
    const large = picture(4_000, 2_000);
    const remembered = new LastObservations(20);
    const keys = ['a', 'b', 'c'];
    for (const key of keys) remembered.lastObservationOf(key, start()).remember({ ...observation(key), pixels: large });
    const kept = keys.map((key) => remembered.lastObservationOf(key, start()).latest()?.pixels === large);
    expect(kept).to.deep.equal([false, true, true]);
    expect(remembered.lastObservationOf('a', start()).latest()?.id).to.equal('a');
    const latest = new LastObservations(20);
    for (let key = 0; key < 30; key++) latest.lastObservationOf(`k${key}`, start()).remember(observation(String(key)));
    expect(latest.lastObservationOf('k29', start()).latest()?.pixels).not.to.equal(undefined);
    expect(latest.lastObservationOf('k9', start()).latest()).to.equal(undefined);
  });
});
