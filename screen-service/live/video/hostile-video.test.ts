import { expect } from 'chai';
import { ImageFormat } from '../../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import type { EncodedPicture, VideoEncoders } from '../../../phone/video/video-encoder.js';
import { until } from '../../../testing/until.js';
import { bootPhone, type RealPhone } from '../../testing/real-phone.js';
import { AS_KEY, type ScreenWorld, screenWorld } from '../../testing/screen-world.js';

/** Parameter sets of x264, for 720 x 1280 and for 3000 x 3000 pixels. */
const USUAL = Buffer.from('000000016742c01fda02d0286c044000000300400000030083c60ca80000000168ce0fc8', 'hex');
const LARGE = Buffer.from('000000016742c033da00bc0179e597011000000300100000030020f1832a0000000168ce0fc8', 'hex');

describe('a viewer of a phone whose video', () => {
  let phone: RealPhone;
  let world: ScreenWorld;
  let ended: AbortController;

  beforeEach(async () => {
    ended = new AbortController();
    phone = await bootPhone();
    world = screenWorld({ ...phone, scrcpyFile: Buffer.from('a server') });
  });

  afterEach(async () => {
    ended.abort();
    await world.close();
    await phone.close();
  });

  /** Lets the phone's server send this in place of each picture. */
  function send(picture: (at: number) => EncodedPicture): void {
    const encoders: VideoEncoders = {
      open: () => {
        let at = 0;
        return { encode: async () => picture(at++), close: () => undefined };
      },
    };
    (phone.phone.machine as { videoEncoders: unknown }).videoEncoders = encoders;
  }

  async function* watch(): AsyncGenerator<string> {
    const requests = async function* () {
      yield { name: 'phone', format: ImageFormat.AUTO, maxSize: 1280, fps: 60 };
      await new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()));
    };
    for await (const { message } of world.client.watchScreen(requests(), { ...AS_KEY, signal: ended.signal })) {
      if (message.case === 'hello' || message.case === 'screen') yield ImageFormat[message.value.format];
      if (message.case === 'frame') yield message.value.contentType;
    }
  }

  const next = async (messages: AsyncGenerator<string>): Promise<string | undefined> => (await messages.next()).value;

  const lies: Record<string, EncodedPicture> = {
    'has parameter sets that are none': { configuration: Buffer.from('no parameter sets'), isKey: true, data: Buffer.alloc(9) }, // prettier-ignore
    'is larger than requested': { configuration: LARGE, isKey: true, data: Buffer.alloc(9) },
    'has a packet larger than any picture': { configuration: USUAL, isKey: true, data: Buffer.alloc(9 * 1024 * 1024) },
    'begins without a key frame': { configuration: USUAL, isKey: false, data: Buffer.alloc(9) },
    'begins without a configuration': { configuration: undefined, isKey: true, data: Buffer.alloc(9) },
  };
  for (const [lie, picture] of Object.entries(lies)) {
    it(`${lie} gets pictures`, async () => {
      send(() => picture);
      const messages = watch();
      expect(await next(messages)).to.equal('JPEG');
      expect(await next(messages)).to.equal('image/jpeg');
      await until(async () => !(await phone.shell('ps -A')).includes('app_process'));
    });
  }

  it('has more bytes than a screen can have goes on with pictures', async () => {
    await phone.shell('am start -n com.cloudphone.lab/.Counter --ei fps 60');
    // Four pictures in two seconds are too many; a busy machine can send them, too.
    const data = Buffer.alloc(7 * 1024 * 1024, 1);
    send((at) => ({ configuration: at === 0 ? USUAL : undefined, isKey: at === 0, data }));
    const messages = watch();
    expect(await next(messages)).to.equal('H264');
    let seen = await next(messages);
    while (seen === 'video/h264') seen = await next(messages);
    while (seen !== 'JPEG') seen = await next(messages);
    expect(await next(messages)).to.equal('image/jpeg');
  });
});
