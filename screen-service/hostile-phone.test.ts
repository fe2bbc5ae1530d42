import { expect } from 'chai';
import { type ErrorKind } from '../kit/errors/api-error.js';
import { ImageFormat, Warning } from '../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { type FakeAdbd, type FakeStream, say, startFakeAdbd } from '../testing/phone/fake-adbd.js';
import { picture, rawScreencap } from './testing/picture.js';
import { AS_KEY, screenWorld, type ScreenWorld } from './testing/screen-world.js';
import { refusalOf } from '../testing/refusal.js';

const SHOT = rawScreencap(picture(72, 128, [{ x: 4, y: 60, width: 20, height: 20, grey: 0 }]));
const TREE =
  "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">" +
  '<node text="Hello" class="android.widget.TextView" bounds="[0,0][72,20]" enabled="true" /></hierarchy>' +
  'UI hierchary dumped to: /dev/tty\n';

/** A phone that behaves. */
async function behave(stream: FakeStream): Promise<void> {
  if (stream.service.includes('uiautomator')) await say(stream, TREE);
  else if (stream.service.includes('screencap')) await say(stream, SHOT);
  else await say(stream, '');
}

/** Longer than a busy machine takes for a command on a phone that behaves. */
const TIMEOUT_MS = 1_500;

describe('a phone that misbehaves', () => {
  let adbd: FakeAdbd;
  let world: ScreenWorld;

  async function meet(response: (stream: FakeStream) => Promise<void> | void, greet = true): Promise<void> {
    adbd = await startFakeAdbd(response, { greet });
    world = screenWorld({
      port: adbd.port,
      limits: {
        connectTimeoutMs: TIMEOUT_MS,
        captureTimeoutMs: TIMEOUT_MS,
        treeTimeoutMs: TIMEOUT_MS,
        commandTimeoutMs: TIMEOUT_MS,
        maxTreeBytes: 2_000_000,
        maxCaptureBytes: 2_000_000,
        maxCommandBytes: 100_000,
      },
    });
  }

  afterEach(async () => {
    await world.close();
    await adbd.close();
  });

  async function screenshotFails(kind: ErrorKind): Promise<void> {
    const error = await refusalOf(world.client.getScreenshot({ name: 'phone' }, AS_KEY));
    expect(error.kind, error.message).to.equal(kind);
  }

  async function nextOneWorks(): Promise<void> {
    adbd.response = behave;
    const before = adbd.connections;
    const { image } = await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    expect(image?.contentType).to.equal('image/png');
    expect(adbd.connections, 'a fresh transport').to.equal(before + 1);
  }

  it('that accepts and never shakes hands is a timeout', async () => {
    await meet(behave, false);
    await screenshotFails('timeout');
  });

  it('that is not there is unavailable', async () => {
    await meet(behave);
    await adbd.close();
    await screenshotFails('unavailable');
    adbd = await startFakeAdbd(behave);
  });

  it('that hangs in a capture costs that request a timeout, and the next finds a fresh transport', async () => {
    await meet(() => undefined);
    await screenshotFails('timeout');
    await nextOneWorks();
  });

  it('that dies in the middle of a capture is unavailable', async () => {
    await meet(async (stream) => {
      await stream.write(SHOT.subarray(0, 1000));
      stream.die();
    });
    await screenshotFails('unavailable');
    await nextOneWorks();
  });

  it('that sends bytes which are no ADB packet is unavailable', async () => {
    await meet((stream) => stream.raw(Buffer.alloc(200, 0x41)));
    await screenshotFails('unavailable');
    await nextOneWorks();
  });

  it('that announces a packet of 4 GB is unavailable and gets no memory for it', async () => {
    await meet((stream) => {
      const header = Buffer.alloc(24);
      header.writeUInt32LE(0x45545257, 0);
      header.writeUInt32LE(0xfffffff0, 12);
      header.writeUInt32LE(~0x45545257 >>> 0, 20);
      stream.raw(header);
    });
    await screenshotFails('unavailable');
    await nextOneWorks();
  });

  it('that never stops sending is cut off at the limit', async () => {
    await meet(async (stream) => {
      const megabyte = Buffer.alloc(1024 * 1024, 0x61);
      for (let sent = 0; sent < 1_000; sent++) await stream.write(megabyte);
    });
    const before = process.memoryUsage().arrayBuffers;
    await screenshotFails('unavailable');
    expect(process.memoryUsage().arrayBuffers - before).to.be.lessThan(64 * 1024 * 1024);
    await nextOneWorks();
  });

  it('that sends half a picture and a broken PNG is unavailable', async () => {
    await meet((stream) => say(stream, SHOT.subarray(0, SHOT.length / 2)));
    await screenshotFails('unavailable');
    await nextOneWorks();
  });

  it('whose tree never comes still shows its picture', async () => {
    await meet((stream) => (stream.service.includes('uiautomator') ? undefined : behave(stream)));
    const { observation } = await world.client.observe({ name: 'phone' }, AS_KEY);
    expect(observation?.elements).to.be.empty;
    expect(observation?.warnings).to.deep.equal([Warning.NOT_IDLE]);
    expect(observation?.screenshot?.format).to.equal(ImageFormat.JPEG);
  });

  const bomb = `<!DOCTYPE b [<!ENTITY a "${'a'.repeat(1000)}">]>`;
  const deep = '<node bounds="[0,0][9,9]">'.repeat(30_000);
  const lies: [string, string | Buffer][] = [
    ['an XML bomb', `<?xml version="1.0"?>${bomb}<hierarchy rotation="0"><node text="&a;" /></hierarchy>`],
    ['a tree without bottom', `<hierarchy>${deep}</hierarchy>`],
    ['a line of megabytes', 'x'.repeat(3_000_000)],
    ['no tree at all', 'all is well'],
  ];
  for (const [what, output] of lies) {
    it(`that sends ${what} for its tree is unavailable`, async () => {
      await meet((stream) => (stream.service.includes('uiautomator') ? say(stream, output) : behave(stream)));
      const error = await refusalOf(world.client.observe({ name: 'phone' }, AS_KEY));
      expect(error.kind, error.message).to.equal('unavailable');
      await nextOneWorks();
    });
  }

  it('whose tree is not UTF-8 is read with replacement characters', async () => {
    const tree = Buffer.from(TREE.replace('Hello', 'H\u00e9llo'), 'latin1');
    await meet((stream) => (stream.service.includes('uiautomator') ? say(stream, tree) : behave(stream)));
    const { observation } = await world.client.observe({ name: 'phone' }, AS_KEY);
    expect(observation?.elements.map(({ text }) => text)).to.deep.equal(['H\ufffdllo']);
  });

  it('that hangs while others wait for the same picture fails them all and leaves nothing running', async () => {
    await meet(() => undefined);
    const errors = await Promise.all(
      Array.from({ length: 5 }, () => refusalOf(world.client.getScreenshot({ name: 'phone' }, AS_KEY))),
    );
    expect(new Set(errors.map(({ kind }) => kind))).to.deep.equal(new Set(['timeout']));
    await nextOneWorks();
  });

  it('that hangs under act is reported at the time that was allowed, with the done steps', async () => {
    await meet(() => undefined);
    const { settled, stepsDone, failed, observation } = await world.client.act(
      { name: 'phone', step: { case: 'tap', value: { x: 5, y: 5 } as never }, timeoutMs: 2_000 },
      AS_KEY,
    );
    expect({ settled, stepsDone, failed: failed?.error, observation }).to.deep.equal({
      settled: false,
      stepsDone: 0,
      failed: 'timeout',
      observation: undefined,
    });
    await nextOneWorks();
  });

  it('that is slow under a short act is not an error', async () => {
    await meet(() => undefined);
    const wait = { case: 'wait' as const, value: {} as never };
    const response = await world.client.act({ name: 'phone', step: wait, timeoutMs: 2_000 }, AS_KEY);
    expect(response).to.include({ settled: false, stepsDone: 1 });
  });

  it('that refuses input is reported, without the text that was typed', async () => {
    await meet((stream) => say(stream, 'hunter2 is wrong', 1));
    const request = world.client.performAction(
      { name: 'phone', action: { case: 'type', value: { text: 'hunter2' } } },
      AS_KEY,
    );
    const error = await refusalOf(request);
    expect(error.kind).to.equal('unavailable');
    expect(error.message).not.to.contain('hunter2');
  });
});
