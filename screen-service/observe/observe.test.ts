import { expect } from 'chai';
import { Warning } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { type FakeAdbd, say, startFakeAdbd } from '../../phone/link/testing/fake-adbd.js';
import { picture, rawScreencap } from '../testing/picture.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';
import { hideSecretPixels, hideSecrets } from './hide-secrets.js';
import { LatestObservations } from './latest-observations.js';
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

  it('is taken three times at the most, and then says that it may not fit together', async () => {
    greys = Array.from({ length: 50 }, (_, at) => at * 4);
    const seen = await observe();
    expect(trees).to.equal(3);
    expect(seen.warnings).to.deep.equal([Warning.INCONSISTENT]);
    expect(seen.elements).to.have.length(1);
  });
});

describe('observations remembered for elements', () => {
  const observation = (id: string): Observation => ({
    id,
    observedAtMs: 0,
    app: '',
    activity: '',
    screen: { width: 1, height: 1, rotation: 0 },
    picture: undefined,
    pixels: picture(1, 1),
    content: NOTHING_SEEN,
    warnings: [],
  });
  const owner = (keyId: string, generation = 1) => ({ keyId, phoneId: 'ph', generation, identity: '' });

  it('are the latest of each key, and of the phone since its start', () => {
    const latest = new LatestObservations(10);
    latest.set(owner('a'), observation('1'));
    latest.set(owner('b'), observation('2'));
    latest.set(owner('a'), observation('3'));
    expect([latest.get(owner('a'))?.id, latest.get(owner('b'))?.id]).to.deep.equal(['3', '2']);
    expect(latest.get(owner('a', 2))).to.equal(undefined);
  });

  it('are bounded, the oldest go first, and pixels go sooner', () => {
    const latest = new LatestObservations(20);
    for (let key = 0; key < 30; key++) latest.set(owner(`k${key}`), observation(String(key)));
    expect(latest.get(owner('k9'))).to.equal(undefined);
    expect(latest.get(owner('k10'))?.pixels).to.equal(undefined);
    expect(latest.get(owner('k29'))?.pixels).not.to.equal(undefined);
  });
});

describe('secret texts', () => {
  const content = {
    ...NOTHING_SEEN,
    texts: [{ text: 'my hunter2!', bounds: { x: 2, y: 3, width: 4, height: 5 } }],
  };

  it('are hidden in words of any length', () => {
    expect(hideSecrets(content, ['hunter2']).texts[0]?.text).to.equal('my ••••••••!');
  });

  it('are blacked out in the picture where they show, and nowhere else', () => {
    const before = picture(10, 12);
    const after = hideSecretPixels(before, content, ['hunter2']);
    expect(after.data.readUInt8((3 * 10 + 2) * 4)).to.equal(0);
    expect(after.data.readUInt8((7 * 10 + 5) * 4)).to.equal(0);
    expect(after.data.readUInt8((8 * 10 + 2) * 4)).to.equal(255);
    expect(after.data.readUInt8((3 * 10 + 6) * 4)).to.equal(255);
    expect(hideSecretPixels(before, content, ['other'])).to.equal(before);
  });
});
