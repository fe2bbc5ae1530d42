import { expect } from 'chai';
import sharp from 'sharp';
import { picture, rawScreencap } from '../testing/picture.js';
import { changedArea } from './changed-area.js';
import { jpeg, recodeJpeg } from './encode.js';
import { Images } from './images.js';
import { allBlack, type Pixels, toChannels } from '../../phone/screen/pixels.js';
import { decodePng, findPng } from './png-screencap.js';
import { parseRawScreencap } from '../../phone/screen/raw-screencap.js';
import { Abandoned, SharedRuns } from '../link/shared-runs.js';
import { systemClock } from '../../kit/async/clock.js';
import { ClientGone } from '../../kit/call/call.js';
import { openTestCall } from '../../testing/open-test-call.js';

describe('raw screencap', () => {
  const frame = picture(4, 3);

  it('is read with the header of 16 bytes and with the older one of 12', () => {
    const whole = rawScreencap(frame);
    expect(parseRawScreencap(whole)).to.deep.include({ width: 4, height: 3, layout: 'rgba' });
    const old = Buffer.concat([whole.subarray(0, 12), frame.data]);
    expect(parseRawScreencap(old)?.data).to.deep.equal(frame.data);
  });

  const formats: [number, string, number][] = [
    [2, 'rgbx', 4],
    [3, 'rgb', 3],
    [4, 'rgb565', 2],
    [5, 'bgra', 4],
  ];
  for (const [format, layout, bytes] of formats) {
    it(`of format ${format} is ${layout}`, () => {
      const header = Buffer.from([2, 0, 0, 0, 1, 0, 0, 0, format, 0, 0, 0]);
      expect(parseRawScreencap(Buffer.concat([header, Buffer.alloc(2 * bytes)]))?.layout).to.equal(layout);
    });
  }

  it('that is too short, too long, of no size or of another format is not read', () => {
    const whole = rawScreencap(frame);
    const other = Buffer.from(whole);
    other.writeUInt32LE(22, 8);
    const huge = Buffer.from(whole);
    huge.writeUInt32LE(0xffffffff, 0);
    for (const bad of [
      whole.subarray(0, 40),
      Buffer.concat([whole, whole]),
      Buffer.alloc(16),
      Buffer.alloc(3),
      other,
      huge,
    ])
      expect(parseRawScreencap(bad)).to.equal(undefined);
  });
});

describe('a PNG in the output', () => {
  it('is found between warnings in front and words after it', async () => {
    const png = await sharp(picture(5, 4).data, { raw: { width: 5, height: 4, channels: 4 } })
      .png()
      .toBuffer();
    const found = findPng(Buffer.concat([Buffer.from('[Warning] several displays\n'), png, Buffer.from('\nbye')]));
    expect(found).to.deep.equal(png);
    expect(await decodePng(found!)).to.include({ width: 5, height: 4, layout: 'rgb' });
    expect(findPng(png.subarray(0, png.length - 6))).to.equal(undefined);
  });
});

describe('a JPEG of a phone', () => {
  it('is not decoded when it is larger than any screen', async () => {
    // The size is in the header: a file of a few hundred kilobytes has 800 MB of pixels, all of one colour.
    const jpeg = await sharp({ create: { width: 16_000, height: 16_000, channels: 3, background: '#123456' } })
      .jpeg()
      .toBuffer();
    const spec = { format: 'jpeg', quality: 50, maxSizePx: 320 } as const;
    const error: unknown = await recodeJpeg({ jpeg, quality: 80, width: 720, height: 1280 }, spec).catch((e: unknown) => e); // prettier-ignore
    expect(error).to.be.instanceOf(Error).with.property('message').that.contains('pixel limit');
  });
});

describe('pixels', () => {
  const one = (layout: Pixels['layout'], bytes: number[]) =>
    toChannels({ width: 1, height: 1, layout, data: Buffer.from(bytes) });

  it('of every layout come out red first', () => {
    expect([...one('bgra', [1, 2, 3, 255]).data.subarray(0, 3)]).to.deep.equal([3, 2, 1]);
    expect([...one('rgb565', [0x1f, 0xf8]).data]).to.deep.equal([255, 0, 255]);
    expect(one('rgb', [1, 2, 3])).to.include({ channels: 3 });
  });

  it('are black when all colours are, with any alpha', () => {
    const black = Buffer.alloc(4 * 6);
    for (let at = 3; at < black.length; at += 4) black[at] = 255;
    const pixels: Pixels = { width: 3, height: 2, layout: 'rgba', data: black };
    expect(allBlack(pixels)).to.equal(true);
    const dot = Buffer.from(black);
    dot[13] = 1;
    expect(allBlack({ ...pixels, data: dot })).to.equal(false);
  });
});

describe('encoded images', () => {
  it('of a screen that stays the same are bounded, the latest used kept', async () => {
    let encoded = 0;
    const images = new Images<Pixels>(systemClock, async (_pixels, spec) => {
      encoded++;
      return { format: spec.format, width: 1, height: 1, scale: 1, data: Buffer.alloc(1) };
    });
    const pixels = picture(1, 1);
    const first = images.of(pixels, jpeg(80, 16));
    expect(images.of(pixels, jpeg(80, 16)), 'made once').to.equal(first);
    for (let size = 17; size < 500; size++) {
      await images.of(pixels, jpeg(80, size));
      await images.of(pixels, jpeg(80, 499));
    }
    expect(encoded).to.equal(484);
    expect(images.of(pixels, jpeg(80, 16)), 'let go').to.not.equal(first);
  });
});

describe('the changed area', () => {
  const before = picture(60, 90);

  it('is the smallest rectangle around every change', () => {
    const after = picture(60, 90, [
      { x: 7, y: 40, width: 3, height: 2, grey: 1 },
      { x: 50, y: 70, width: 1, height: 1, grey: 9 },
    ]);
    expect(changedArea(before, after)).to.deep.equal({ x: 7, y: 40, width: 44, height: 31 });
  });

  it('is none for equal pictures and for changes in the rows that do not count', () => {
    expect(changedArea(before, picture(60, 90))).to.equal(undefined);
    const clock = picture(60, 90, [{ x: 0, y: 2, width: 9, height: 9, grey: 1 }]);
    expect(changedArea(before, clock, 12)).to.equal(undefined);
    expect(changedArea(before, clock, 5)).to.deep.equal({ x: 0, y: 5, width: 9, height: 6 });
  });
});

describe('shared runs', () => {
  function counted(most: number) {
    const begun: (() => void)[] = [];
    let count = 0;
    const runs = new SharedRuns(async () => {
      const number = ++count;
      await new Promise<void>((resolve) => begun.push(resolve));
      return number;
    }, most);
    return { runs, begun, end: (at: number) => begun[at]?.() };
  }

  it('cannot be joined once begun; all that wait share the next', async () => {
    const { runs, begun, end } = counted(1);
    const [first, second, third] = [runs.next(openTestCall()), runs.next(openTestCall()), runs.next(openTestCall())];
    expect(begun).to.have.length(1);
    end(0);
    expect(await first).to.equal(1);
    end(1);
    expect(await Promise.all([second, third])).to.deep.equal([2, 2]);
  });

  it('go on after one that failed', async () => {
    let fail = true;
    const runs = new SharedRuns(async () => {
      if (fail) throw new Error('no');
      return 'yes';
    }, 1);
    const [first, second] = [runs.next(openTestCall()), runs.next(openTestCall())];
    fail = false;
    expect(await first.catch((error: unknown) => String(error))).to.equal('Error: no');
    expect(await second).to.equal('yes');
  });

  it('end when every call that waits for them has ended, and not before', async () => {
    const seen: AbortSignal[] = [];
    const runs = new SharedRuns((signal) => {
      seen.push(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    }, 1);
    const calls = [openTestCall(), openTestCall(), openTestCall()];
    const results = calls.map((call) => runs.next(call).catch((error: unknown) => error));
    calls[1]!.hangUp();
    expect(await results[1]).to.be.instanceOf(ClientGone);
    calls[0]!.hangUp();
    await results[0];
    await new Promise((resolve) => setImmediate(resolve));
    // The first run is given up, and the one that waited for its turn goes on for the third call.
    expect(seen.map(({ aborted }) => aborted)).to.deep.equal([true, false]);
    calls[2]!.hangUp();
    await results[2];
    expect(seen[1]!.reason).to.be.instanceOf(Abandoned);
  });

  it('do not begin for calls that have ended', async () => {
    const { runs, begun, end } = counted(1);
    const first = runs.next(openTestCall());
    const gone = openTestCall();
    const waiting = runs.next(gone).catch((error: unknown) => error);
    gone.hangUp();
    await waiting;
    end(0);
    await first;
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).to.have.length(1);
    expect(await runs.next(gone).catch((error: unknown) => error)).to.be.instanceOf(ClientGone);
  });

  it('cannot be joined once the only call that waited for one has ended: the next call gets another', async () => {
    const { runs, begun, end } = counted(1);
    const first = runs.next(openTestCall());
    const gone = openTestCall();
    const waiting = runs.next(gone).catch((error: unknown) => error);
    gone.hangUp();
    expect(await waiting).to.be.instanceOf(ClientGone);
    const next = runs.next(openTestCall()).catch((error: unknown) => error);
    end(0);
    expect(await first).to.equal(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).to.have.length(2);
    end(1);
    expect(await next).to.equal(2);
  });

  it('never run more at the same time than they may', async () => {
    let running = 0;
    let highest = 0;
    const runs = new SharedRuns(async () => {
      highest = Math.max(highest, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    }, 2);
    for (let round = 0; round < 20; round++) {
      void runs.next(openTestCall());
      await Promise.resolve();
    }
    await runs.next(openTestCall());
    expect(highest).to.equal(2);
  });
});
