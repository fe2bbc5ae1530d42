import { expect } from 'chai';
import sharp from 'sharp';
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

  it('begins with a hello and a picture of the screen', async () => {
    const viewer = await watch();
    const hello = await viewer.text('hello');
    expect(hello).to.deep.equal({ type: 'hello', screen: { width: 720, height: 1280, rotation: 0 } });
    const { image, number } = await viewer.frame(1);
    expect(number).to.equal(1);
    expect(viewer.received[0]).to.equal(hello);
    const { format, width, height } = await sharp(image).metadata();
    expect([format, width, height]).to.deep.equal(['jpeg', 720, 1280]);
    expect(viewer.headers).to.include.keys('x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset');
  });

  it('shows what a tap does', async () => {
    const viewer = await watch('?max_size=320&quality=50');
    await viewer.frame(1);
    const { body } = await world.api.post(`/v1/devices/${name}/action`, { find_text: { text: 'Settings' } });
    const { x, y } = body.matches[0].center;
    viewer.tap(x, y);
    const { image } = await viewer.frame(2);
    expect((await sharp(image).metadata()).height).to.equal(320);
    const found = await world.api.post(`/v1/devices/${name}/action`, { find_text: { text: 'Display' } });
    expect(found.body.matches).not.to.be.empty;
  });
});
