import { expect } from 'chai';
import sharp from 'sharp';
import { ImageFormat } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { bootPhone, type RealPhone } from '../testing/real-phone.js';
import { AS_KEY, type ScreenWorld, screenWorld } from '../testing/screen-world.js';

describe('frames that minicap pushes while a screen is watched', () => {
  let phone: RealPhone;
  let world: ScreenWorld;

  beforeEach(async () => {
    phone = await bootPhone({ android: '11' });
    world = screenWorld(phone);
    await phone.shell('am start -n com.cloudphone.lab/.Counter');
  });

  afterEach(async () => {
    await world.close();
    await phone.close();
  });

  const watch = (format: ImageFormat, signal: AbortSignal) =>
    world.client.watchScreen(
      (async function* () {
        yield { name: 'phone', format };
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      })(),
      { ...AS_KEY, signal },
    );

  const captures = (): number =>
    phone.phone.services.recent().filter((name) => name.startsWith('exec:screencap')).length;

  /** Returns how many captures it took to show `frames` frames, from the moment at which minicap can be expected to push. */
  async function capturesFor(format: ImageFormat, frames: number): Promise<number> {
    const ended = new AbortController();
    let before = 0;
    try {
      for await (const { message } of watch(format, ended.signal)) {
        if (message.case !== 'frame') continue;
        if (message.value.number === 60) before = captures();
        if (message.value.number === 60 + frames) break;
      }
    } finally {
      ended.abort();
    }
    return captures() - before;
  }

  it('spare viewers of JPEGs most captures, and none to those of PNGs', async () => {
    // Captures go on at a rate of their own, so there are more for each frame where a busy machine pushes frames late.
    expect(await capturesFor(ImageFormat.JPEG, 40)).to.be.below(30);
    expect(await capturesFor(ImageFormat.PNG, 40)).to.be.above(35);
  });

  it('are left out while the screen is turned', async () => {
    const ended = new AbortController();
    let turned = false;
    const after: { width: number; height: number }[] = [];
    try {
      for await (const { message } of watch(ImageFormat.JPEG, ended.signal)) {
        if (message.case === 'screen') turned = message.value.screen?.width === 1280;
        if (message.case !== 'frame') continue;
        if (message.value.number === 60) {
          await phone.shell('settings put system accelerometer_rotation 0; settings put system user_rotation 1');
        }
        if (!turned) continue;
        const { width, height } = await sharp(message.value.data).metadata();
        after.push({ width, height });
        if (after.length === 5) break;
      }
    } finally {
      ended.abort();
    }
    expect(after).to.deep.equal(Array.from({ length: 5 }, () => ({ width: 1280, height: 720 })));
  });
});
