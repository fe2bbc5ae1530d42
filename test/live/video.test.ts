import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { startWorld, type World } from '../world.js';
import { LiveClient } from './live-client.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';

describe('a live screen as video, over a WebSocket', () => {
  let world: World;
  let name: string;
  before(async function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    world = await startWorld({ scrcpyFile: Buffer.from('a server') });
    name = await world.api.createPhone({ name: 'filmed' });
  });
  after(async () => {
    if (hasFfmpeg) await world.close();
  });

  const opened: LiveClient[] = [];
  afterEach(() => opened.splice(0).forEach((viewer) => viewer.close()));

  async function watch(query: string): Promise<LiveClient> {
    const viewer = await LiveClient.open(world.mesh.url, name, { authorization: `Bearer ${world.key}` }, query);
    opened.push(viewer);
    return viewer;
  }

  it('has a byte of flags and an access unit in each message, which together are a file that players open', async () => {
    const viewer = await watch('?format=h264');
    const hello = await viewer.text('hello');
    expect(hello).to.include({ format: 'h264' });
    expect(hello.codec).to.match(/^avc1\.[0-9A-F]{6}$/);
    const first = await viewer.frame(1);
    expect(first.image[0], 'a key frame').to.equal(1);
    await world.api.post(`/v1/devices/${name}/act`, { open_app: { app: 'Settings' }, observe: 'none' });
    await viewer.frame(2);
    const units = viewer.frames.map(({ image }) => image.subarray(1));
    expect(units.every((unit) => unit.readUInt32BE(0) === 1 || unit.readUIntBE(0, 3) === 1)).to.equal(true);
    const played = spawnSync('ffprobe', ['-v', 'error', '-count_frames', '-show_entries', 'stream=codec_name,width,height,nb_read_frames', '-of', 'csv=p=0', '-f', 'h264', '-'], { input: Buffer.concat(units) }); // prettier-ignore
    expect(played.stdout.toString().trim()).to.equal(`h264,720,1280,${units.length}`);
  });

  it('is JPEG for those who ask for nothing, or for pictures, at the same time', async () => {
    const [video, pictures] = await Promise.all([watch('?format=auto'), watch('')]);
    expect(await video.text('hello')).to.include({ format: 'h264' });
    expect(await pictures.text('hello')).to.include({ format: 'jpeg' });
    expect((await pictures.frame(1)).image.readUInt16BE(0)).to.equal(0xffd8);
  });
});
