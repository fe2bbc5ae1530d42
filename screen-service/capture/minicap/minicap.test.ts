import { expect } from 'chai';
import sharp from 'sharp';
import { ImageFormat } from '../../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { until } from '../../../testing/until.js';
import { bootPhone, type RealPhone } from '../../testing/real-phone.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../../testing/screen-world.js';
import { parseMinicapPhone, readMinicapFiles } from './minicap-files.js';
import { MinicapReader } from './minicap-frames.js';

describe("minicap's stream", () => {
  const banner = Buffer.alloc(24);
  banner.writeUInt8(1, 0);
  banner.writeUInt8(24, 1);
  banner.writeUInt32LE(4711, 2);
  banner.writeUInt32LE(720, 14);
  banner.writeUInt32LE(1280, 18);
  const jpeg = (bytes: number): Buffer => Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(bytes - 2, 7)]);
  const framed = (frame: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(frame.length);
    return Buffer.concat([length, frame]);
  };

  it('is read cut at any place', () => {
    const whole = Buffer.concat([banner, framed(jpeg(10)), framed(jpeg(3))]);
    for (let cut = 0; cut <= whole.length; cut++) {
      const reader = new MinicapReader();
      const frames = [...reader.push(whole.subarray(0, cut)), ...reader.push(whole.subarray(cut))];
      expect(frames).to.deep.equal([jpeg(10), jpeg(3)]);
      expect(reader.banner).to.deep.equal({ pid: 4711, virtualWidth: 720, virtualHeight: 1280, orientation: 0 });
    }
  });

  it('that greets otherwise, or announces an impossible size, is refused', () => {
    const huge = Buffer.concat([banner, Buffer.from([0xff, 0xff, 0xff, 0xff])]);
    const noJpeg = Buffer.concat([banner, framed(Buffer.alloc(9))]);
    for (const bad of [Buffer.from('HTTP/1.1 200'), huge, noJpeg]) {
      expect(() => [...new MinicapReader().push(bad)]).to.throw(/minicap/);
    }
  });
});

describe('minicap', () => {
  it('is there for phones up to Android 11 that are no emulators', async () => {
    const files = (output: string) => readMinicapFiles(parseMinicapPhone(output));
    expect(await files('30\n0\nx86_64,arm64-v8a\n\n')).not.to.equal(undefined);
    expect(await files('34\n0\nx86_64\n\n')).to.equal(undefined);
    expect(await files('30\n1\nx86_64\n\n')).to.equal(undefined);
    expect(await files('30\n0\nx86_64\n1\n')).to.equal(undefined);
    expect(await files('30\n0\nriscv64\n\n')).to.equal(undefined);
    expect(await files('')).to.equal(undefined);
  });

  describe('on a phone', () => {
    let phone: RealPhone;
    let world: ScreenWorld;

    before(async () => {
      phone = await bootPhone({ android: '11' });
      world = screenWorld(phone);
      await phone.shell('am start -n com.cloudphone.lab/.Form');
    });

    after(async () => {
      await world.close();
      await phone.close();
    });

    const captures = (): number =>
      phone.phone.services.recent().filter((name) => name.startsWith('exec:screencap')).length;
    const jpeg = async (maxSize?: number) => {
      const request = { name: 'phone', format: ImageFormat.JPEG, ...(maxSize !== undefined && { maxSize }) };
      return (await world.client.getScreenshot(request, AS_KEY)).image!;
    };
    /** Requests pictures until one comes without a capture. */
    const pushed = async () => {
      for (let tries = 0; tries < 200; tries++) {
        const before = captures();
        const image = await jpeg();
        if (captures() === before) return image;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('no picture was pushed');
    };

    it('takes over from captures without a word, and its pictures are of the screen', async () => {
      const image = await pushed();
      expect(await sharp(image.data).metadata()).to.include({ format: 'jpeg', width: 720, height: 1280 });
      expect(await sharp((await jpeg(320)).data).metadata()).to.include({ width: 180, height: 320 });
    });

    it('shows the new screen after a change', async () => {
      const before = await pushed();
      await phone.shell('am start -n com.cloudphone.lab/.List');
      await until(async () => (await pushed()).etag !== before.etag);
    });

    it('is not used for a PNG', async () => {
      await pushed();
      const before = captures();
      await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
      expect(captures()).to.equal(before + 1);
    });

    it('is left for a capture when the screen is turned', async () => {
      await pushed();
      await phone.shell('settings put system accelerometer_rotation 0; settings put system user_rotation 1');
      await until(async () => (await sharp((await jpeg()).data).metadata()).width === 1280);
      await phone.shell('settings put system user_rotation 0');
    });

    it('is done without when its connection breaks', async () => {
      await pushed();
      phone.phone.faults.adbDown = true;
      phone.phone.faults.adbDown = false;
      expect((await jpeg()).contentType).to.equal('image/jpeg');
    });
  });
});
