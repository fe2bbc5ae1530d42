import { expect } from 'chai';
import {
  dentV1,
  dentV2,
  MAX_SYNC_DATA_BYTES,
  statV1,
  statV2,
  syncFail,
  syncHeader,
  syncOkay,
} from '../phone/adb/sync-messages.js';
import { FileType } from '../proto/gen/cloudphone/screen/v1/file_pb.js';
import { type FakeAdbd, type FakeStream, say, startFakeAdbd } from '../testing/phone/fake-adbd.js';
import { refusalOf } from '../testing/refusal.js';
import { until } from '../testing/until.js';
import { AS_KEY, screenWorld, type ScreenWorld } from './testing/screen-world.js';

const FILE = 0o100644;
const DIRECTORY = 0o040755;

const NO_STAT = { error: 0, dev: 0, ino: 1, nlink: 1, uid: 0, gid: 0, atimeS: 0, mtimeS: 1_700_000_000, ctimeS: 0 };
const stat = (mode: number, sizeBytes = 0): Buffer => statV2.write({ ...NO_STAT, id: 'STA2', mode, sizeBytes });
const data = (bytes: Buffer): Buffer => Buffer.concat([syncHeader.write({ id: 'DATA', length: bytes.length }), bytes]);
const record = (id: string, length: number): Buffer => syncHeader.write({ id, length });
const entry = (name: string | Buffer, mode = FILE): Buffer => {
  const bytes = Buffer.from(name);
  return Buffer.concat([dentV1.write({ id: 'DENT', mode, sizeBytes: 1, mtimeS: 1, nameLength: bytes.length }), bytes]);
};
const LIST_END = dentV1.write({ id: 'DONE', mode: 0, sizeBytes: 0, mtimeS: 0, nameLength: 0 });

describe('a phone that misbehaves with files', () => {
  let adbd: FakeAdbd;
  let world: ScreenWorld;

  /** For tests in which no limit of time is to be met. */
  const PATIENT = { fileIdleMs: 5_000, fileFinishMs: 5_000 };
  /** For tests that expect a timeout, some of them among other refusals. */
  const IMPATIENT = { fileIdleMs: 1_000, fileFinishMs: 1_000 };

  /** A phone whose sync service sends this as soon as it is opened, whatever it is asked; commands succeed. */
  async function meet(
    sync: (stream: FakeStream) => Promise<void> | void,
    { features, patience = PATIENT }: { features?: string; patience?: typeof PATIENT } = {},
  ): Promise<void> {
    adbd = await startFakeAdbd((stream) =>
      stream.service === 'sync:' ? sync(stream) : say(stream, stream.service.includes('echo') ? ':0\n' : ''),
    );
    adbd.reads = () => true;
    if (features !== undefined) adbd.features = features;
    const limits = {
      connectTimeoutMs: 2_000,
      commandTimeoutMs: 2_000,
      listTimeoutMs: 4_000,
      ...patience,
    };
    world = screenWorld({ port: adbd.port, limits });
  }

  afterEach(async () => {
    await world.close();
    await adbd.close();
  });

  const list = () => world.files.listFiles({ name: 'phone', path: '/sdcard' }, AS_KEY);
  async function read(): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    const path = '/sdcard/a';
    for await (const { file } of world.files.readFile({ name: 'phone', path }, AS_KEY))
      parts.push(file?.data ?? Buffer.alloc(0));
    return Buffer.concat(parts);
  }
  const write = (bytes = Buffer.from('content')) =>
    world.files.writeFile(
      (async function* () {
        yield { name: 'phone', path: '/sdcard/a' };
        yield { data: bytes };
      })(),
      AS_KEY,
    );

  /**
   * Expects requests of all sorts to fail with this kind. They are ten times as many as may be under way, so that one left under way would
   * show.
   */
  async function fails(request: () => Promise<unknown>, kind: string, times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      const error = await refusalOf(request());
      expect(error.kind, error.message).to.equal(kind);
    }
  }

  it('with a directory without an end is cut off, and says so', async () => {
    await meet(async (stream) => {
      await stream.write(stat(DIRECTORY));
      for (let number = 0; number < 100_000; number += 1_000) {
        await stream.write(Buffer.concat(Array.from({ length: 1_000 }, (_, at) => entry(`file ${number + at}`))));
      }
    });
    const { truncated, entries, nextCursor } = await list();
    expect([truncated, entries.length, nextCursor === undefined]).to.deep.equal([true, 100, false]);
  });

  it('with nothing but dots, or names that are none, is cut off too', async () => {
    for (const name of ['.', Buffer.from([0xff, 0xfe]), 'same']) {
      await meet(async (stream) => {
        await stream.write(stat(DIRECTORY));
        const thousand = Buffer.concat(Array.from({ length: 1_000 }, () => entry(name)));
        for (let times = 0; times < 100; times++) await stream.write(thousand);
      });
      const { truncated, entries, unnamed } = await list();
      expect(truncated).to.equal(true);
      expect(entries.length + unnamed).to.be.at.most(10_000);
      await world.close();
      await adbd.close();
    }
    await meet(() => undefined);
  });

  it('with odd names and numbers is listed without what has no name', async () => {
    await meet(
      async (stream) => {
        await stream.write(stat(DIRECTORY));
        const names = [
          '.',
          '..',
          'b',
          Buffer.from([0xc3, 0x28]),
          'x/../../etc',
          '',
          'nul\0',
          'x'.repeat(1_024),
          '\n "\'$(ä',
        ];
        const odd = { id: 'DNT2', ...NO_STAT, mode: 0xffffffff, sizeBytes: 0, mtimeS: -5, nameLength: 3 };
        const big = Buffer.concat([dentV2.write(odd), Buffer.from('odd')]);
        // 2^64 - 1.
        big.fill(0xff, 40, 48);
        const listed = names.map((name) =>
          Buffer.concat([
            dentV2.write({ ...odd, mode: DIRECTORY, nameLength: Buffer.byteLength(name) }),
            Buffer.from(name),
          ]),
        );
        await stream.write(Buffer.concat([...listed, big, dentV2.write({ ...odd, id: 'DONE', nameLength: 0 })]));
      },
      { features: 'shell_v2,cmd,stat_v2,ls_v2' },
    );
    const { entries, unnamed } = await list();
    expect(unnamed).to.equal(4);
    expect(entries.map(({ name }) => name)).to.deep.equal(['\n "\'$(ä', 'b', 'x'.repeat(1_024), 'odd']);
    const odd = entries.at(-1);
    expect([odd?.type, odd?.size, odd?.modifiedAt]).to.deep.equal([FileType.OTHER, Number.MAX_SAFE_INTEGER, undefined]);
  });

  it('of version 1 is listed by its commands, through the link to the directory', async () => {
    await meet(
      async (stream) => {
        const link = { id: 'STAT', mode: 0o120777, sizeBytes: 21, mtimeS: 1 };
        await stream.write(Buffer.concat([statV1.write(link), statV1.write({ ...link, mode: DIRECTORY })]));
        await stream.write(Buffer.concat([entry('a'), LIST_END]));
      },
      { features: 'shell_v2,cmd' },
    );
    const { entries } = await list();
    expect(entries.map(({ name, type, size }) => [name, type, size])).to.deep.equal([['a', FileType.FILE, 1]]);
  });

  const lists: [string, Buffer][] = [
    ['a name of 4 GiB', dentV1.write({ id: 'DENT', mode: FILE, sizeBytes: 1, mtimeS: 1, nameLength: 0xffffffff })],
    ['a name of 1,025 bytes', entry('x'.repeat(1_025))],
    ['entries of another version', dentV2.write({ id: 'DNT2', ...NO_STAT, mode: FILE, sizeBytes: 1, nameLength: 1 })],
    ['a failure of 4 GiB', record('FAIL', 0xffffffff)],
    ['something else', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
  ];
  for (const [what, bytes] of lists) {
    it(`that lists ${what} is unavailable`, async () => {
      await meet((stream) => stream.write(Buffer.concat([stat(DIRECTORY), bytes])));
      await fails(list, 'unavailable');
    });
  }

  it('that describes a path with another record is unavailable', async () => {
    await meet((stream) => stream.write(statV2.write({ ...NO_STAT, id: 'LST3', mode: DIRECTORY, sizeBytes: 0 })));
    await fails(list, 'unavailable');
    await fails(read, 'unavailable', 12);
  });

  it('that reports an error of its system is understood, and its own words are not passed on', async () => {
    await meet((stream) => stream.write(statV2.write({ ...NO_STAT, id: 'STA2', error: 13, mode: 0, sizeBytes: 0 })));
    await fails(list, 'bad_request');
    await world.close();
    await adbd.close();
    await meet((stream) => stream.write(Buffer.concat([stat(FILE, 5), syncFail('<script>token 123</script>')])));
    const error = await refusalOf(read());
    expect(error.kind).to.equal('unavailable');
    expect(error.message).not.to.contain('token');
  });

  const contents: [string, Buffer][] = [
    ['a part of 4 GiB', record('DATA', 0xffffffff)],
    ['a part above 64 KiB', record('DATA', MAX_SYNC_DATA_BYTES + 1)],
    ['parts without a byte', Buffer.concat(Array.from({ length: 100 }, () => record('DATA', 0)))],
    ['another record', record('DENT', 5)],
    ['a failure in the middle', Buffer.concat([data(Buffer.from('abc')), syncFail('I/O error')])],
    ['less than its size', Buffer.concat([data(Buffer.from('abc')), record('DONE', 0)])],
  ];
  for (const [what, bytes] of contents) {
    it(`that sends ${what} of a file breaks it off`, async () => {
      await meet((stream) => stream.write(Buffer.concat([stat(FILE, 100_000), bytes])));
      await fails(read, 'unavailable', 12);
    });
  }

  it('that sends more than the size of a file is read up to it', async () => {
    await meet((stream) =>
      stream.write(Buffer.concat([stat(FILE, 5), data(Buffer.from('abcdefgh')), record('DONE', 0)])),
    );
    expect((await read()).toString()).to.equal('abcde');
  });

  it('that ends the stream, or is silent, in the middle of a file is noticed, and nothing stays open', async () => {
    await meet(
      async (stream) => {
        await stream.write(Buffer.concat([stat(FILE, 100), data(Buffer.from('abc'))]));
        stream.close();
      },
      { patience: IMPATIENT },
    );
    await fails(read, 'unavailable', 12);
    adbd.response = (stream) => stream.write(Buffer.concat([stat(FILE, 100), data(Buffer.from('abc'))]));
    await fails(read, 'timeout');
    adbd.response = async (stream) => {
      await stream.write(Buffer.concat([stat(FILE, 100), data(Buffer.from('abc'))]));
      stream.die();
    };
    await fails(read, 'unavailable');
    await adbd.disconnected();
  });

  it('that reports a size over 2 GiB is refused, and one that reports none is cut there', async () => {
    await meet((stream) => stream.write(stat(FILE, 2 * 1024 ** 3 + 1)));
    await fails(read, 'too_large', 12);
    await world.close();
    adbd.response = async (stream) => {
      await stream.write(
        Buffer.concat([stat(FILE, 0), ...Array.from({ length: 10 }, () => data(Buffer.alloc(60_000)))]),
      );
    };
    world = screenWorld({ port: adbd.port, limits: { ...PATIENT, maxFileBytes: 100_000 } });
    await fails(read, 'too_large');
  });

  it('is not read while the reader takes nothing', async () => {
    let sent = 0;
    await meet(async (stream) => {
      await stream.write(stat(FILE, 1_000_000_000));
      const part = Buffer.concat(Array.from({ length: 15 }, () => data(Buffer.alloc(MAX_SYNC_DATA_BYTES))));
      for (; sent < 1_000_000_000; sent += part.length) await stream.write(part);
    });
    const over = new AbortController();
    const options = { ...AS_KEY, signal: over.signal };
    const messages = world.files.readFile({ name: 'phone', path: '/sdcard/a' }, options);
    const parts = messages[Symbol.asyncIterator]();
    await parts.next();
    await parts.next();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sent).to.be.below(4 * 1024 * 1024);
    over.abort();
    await parts.next().then(
      () => expect.fail('it went on'),
      () => undefined,
    );
    await until(() => adbd.connections > 0 && sent < 1_000_000_000);
  });

  it('that refuses a file, or takes it too early, or never responds, is reported', async () => {
    const NONE = statV2.write({ ...NO_STAT, id: 'STA2', error: 2, mode: 0, sizeBytes: 0 });
    let streams = 0;
    let outcome: Buffer | undefined;
    await meet(
      async (stream) => {
        if (streams++ % 2 === 0) await stream.write(NONE);
        else if (outcome !== undefined) await stream.write(outcome);
      },
      { patience: IMPATIENT },
    );
    outcome = syncFail("couldn't create file: No space left on device");
    await fails(write, 'too_large', 12);
    outcome = syncFail('open failed: Permission denied');
    await fails(write, 'bad_request');
    outcome = record('FAIL', 0xffffffff);
    await fails(write, 'unavailable');
    outcome = Buffer.from('nonsense');
    await fails(write, 'unavailable');
    outcome = undefined;
    await fails(write, 'timeout');
    const removed = adbd.opened.filter((service) => service.includes('rm -f'));
    expect(removed.length, 'each temporary file is removed').to.equal(16);
  });

  it('that takes nothing of a file is a timeout, and the caller is not read on', async () => {
    const NONE = statV2.write({ ...NO_STAT, id: 'STA2', error: 2, mode: 0, sizeBytes: 0 });
    let streams = 0;
    await meet((stream) => (streams++ === 0 ? stream.write(NONE) : undefined), { patience: IMPATIENT });
    let writes = 0;
    adbd.onWrite = ({ service }) => {
      if (service === 'sync:' && ++writes > 3) adbd.reads = (other) => other !== 'sync:';
    };
    let taken = 0;
    const body = (async function* () {
      yield { name: 'phone', path: '/sdcard/a' };
      for (; taken < 100_000_000; taken += 100_000) yield { data: Buffer.alloc(100_000) };
    })();
    await fails(() => world.files.writeFile(body, AS_KEY), 'timeout');
    expect(taken).to.be.below(5_000_000);
  });

  it('that took a file before its end is not believed', async () => {
    const NONE = statV2.write({ ...NO_STAT, id: 'STA2', error: 2, mode: 0, sizeBytes: 0 });
    let streams = 0;
    await meet((stream) => stream.write(streams++ === 0 ? NONE : syncOkay));
    const body = (async function* () {
      yield { name: 'phone', path: '/sdcard/a' };
      for (let part = 0; part < 50; part++) {
        yield { data: Buffer.alloc(100_000) };
        await until(() => adbd.opened.filter((service) => service === 'sync:').length > 1);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    await fails(() => world.files.writeFile(body, AS_KEY), 'unavailable');
    expect(adbd.opened.some((service) => service.includes('mv -f'))).to.equal(false);
  });
});
