import { expect } from 'chai';
import { dentV1, dentV2, sendV2, statV1, statV2, syncHeader } from '../../phone/adb/sync-messages.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { Pipe } from '../streams/pipe.js';
import type { AdbStream } from '../../phone/adb/device/adb-stream.js';
import { serveSync } from './sync-service.js';

/** A stream whose client's bytes arrive in pieces of a given size. */
class ScriptedStream {
  readonly maxPayloadBytes = 1_048_576;
  readonly #out: Buffer[] = [];
  readonly #in = new Pipe();

  constructor(bytes: Buffer, pieceBytes: number) {
    for (let at = 0; at < bytes.length; at += pieceBytes) void this.#in.write(bytes.subarray(at, at + pieceBytes));
    this.#in.end();
  }

  read(): Promise<Buffer | undefined> {
    return this.#in.read();
  }

  async write(bytes: Buffer): Promise<void> {
    this.#out.push(Buffer.from(bytes));
  }

  async writeParts(parts: readonly Buffer[]): Promise<void> {
    this.#out.push(Buffer.concat(parts));
  }

  async finish(): Promise<void> {
    // The written part is there already.
  }

  get response(): Buffer {
    return Buffer.concat(this.#out);
  }
}

const request = (id: string, path: string): Buffer =>
  Buffer.concat([syncHeader.write({ id, length: Buffer.byteLength(path) }), Buffer.from(path)]);
const data = (text: string): Buffer => request('DATA', text);
const done = syncHeader.write({ id: 'DONE', length: 1_700_000_000 });

describe('sync', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => (world = await startPhone({ storageBytes: 300_000 })));
  after(() => world.stop());

  const talk = async (bytes: Buffer, pieceBytes = bytes.length): Promise<Buffer> => {
    const stream = new ScriptedStream(bytes, pieceBytes);
    await serveSync(stream as unknown as AdbStream, world.phone.machine);
    return stream.response;
  };

  it('takes a push in pieces of any size, and the next on the same stream', async () => {
    const two = Buffer.concat([
      request('SEND', '/sdcard/a,b.txt,33188'), data('hello '), data('world'), done,
      request('SND2', '/sdcard/v2.txt'), sendV2.write({ id: 'SND2', mode: 0o100644, flags: 0 }), data('two'), done,
      request('RECV', '/sdcard/a,b.txt'), request('RECV', '/sdcard/v2.txt'), syncHeader.write({ id: 'QUIT', length: 0 }),
    ]); // prettier-ignore
    for (const pieceBytes of [1, 2, 3, 7, 8, 9, 30, two.length]) {
      const text = (await talk(two, pieceBytes)).toString('latin1').replaceAll('\0', '');
      expect(text, `${pieceBytes} bytes`).to.equal('OKAYOKAYDATA\vhello worldDONEDATA\x03twoDONE');
    }
  });

  it('reads on before its replies are acknowledged, and stops when too many wait', async () => {
    const requests = (count: number): Buffer =>
      Buffer.concat(Array.from({ length: count }, () => request('STAT', '/sdcard')));
    const stream = new ScriptedStream(requests(100_000), 64 * 1024);
    let served = 0;
    stream.writeParts = () => {
      served++;
      return new Promise(() => undefined); // the client acknowledges nothing
    };
    void serveSync(stream as unknown as AdbStream, world.phone.machine);
    let before = -1;
    while (served !== before) {
      before = served;
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(served).to.be.within(1_000, 20_000);
  });

  it('sends a small file and its DONE in one packet', async () => {
    const stream = new ScriptedStream(request('RECV', '/proc/sys/kernel/random/boot_id'), 1_000);
    const packets: Buffer[] = [];
    stream.writeParts = async (parts) => void packets.push(Buffer.concat(parts));
    await serveSync(stream as unknown as AdbStream, world.phone.machine);
    expect(packets).to.have.length(1);
    expect(packets[0]?.toString('latin1')).to.match(/^DATA[^]*DONE\0{4}$/);
  });

  it('never responds to a stat or a list with FAIL', async () => {
    for (const path of ['/nope', '/data/data/x', '/sdcard/\u0000', 'relative', '']) {
      expect(statV1.read(await talk(request('STAT', path)))).to.deep.equal({
        id: 'STAT',
        mode: 0,
        sizeBytes: 0,
        mtimeS: 0,
      });
      expect(statV2.read(await talk(request('STA2', path))))
        .to.include({ id: 'STA2', sizeBytes: 0 })
        .and.not.include({ error: 0 });
      expect(dentV1.read(await talk(request('LIST', path)))).to.include({ id: 'DONE' });
      expect(dentV2.read(await talk(request('LIS2', path)))).to.include({ id: 'DONE' });
    }
  });

  it('stats links by themselves with LST2 and through them with STA2', async () => {
    expect(statV2.read(await talk(request('LST2', '/sdcard'))).mode & 0o170000).to.equal(0o120000);
    expect(statV2.read(await talk(request('STA2', '/sdcard'))).mode & 0o170000).to.equal(0o040000);
  });

  it('reads a push to its end when the disk is full, and then reports it', async () => {
    const big = Buffer.concat([
      request('SEND', '/sdcard/big,33188'), ...Array.from({ length: 6 }, () => data('x'.repeat(60_000))), done,
      request('STAT', '/sdcard/big'), request('SEND', '/sdcard/small,33188'), data('ok'), done,
    ]); // prettier-ignore
    for (const pieceBytes of [1_000, 70_000, big.length]) {
      const text = (await talk(big, pieceBytes)).toString('latin1');
      expect(text, `${pieceBytes}`).to.match(/^FAIL.{4}couldn't create file: No space left on deviceSTAT\0{12}OKAY/s);
    }
  });

  it('leaves nothing of a push whose client went away', async () => {
    const used = (await world.phone.machine.files.usage()).usedBytes;
    await talk(
      Buffer.concat([request('SEND', '/sdcard/cut,33188'), data('half'), syncHeader.write({ id: 'DATA', length: 50 })]),
    );
    expect(await world.phone.machine.files.exists('/sdcard/cut')).to.equal(false);
    expect((await world.phone.machine.files.usage()).usedBytes).to.equal(used);
  });

  it('refuses compression it did not announce, and goes on', async () => {
    const packed = Buffer.concat([
      request('SND2', '/sdcard/z'), sendV2.write({ id: 'SND2', mode: 0o100644, flags: 1 }), data('??'), done,
      request('STAT', '/sdcard'),
    ]); // prettier-ignore
    expect((await talk(packed)).toString('latin1')).to.match(/^FAIL.{4}compression is not supportedSTAT/s);
  });

  it('keeps modes and times', async () => {
    await talk(Buffer.concat([request('SEND', `/data/local/tmp/run,33261`), data('#!'), done]));
    const stat = statV1.read(await talk(request('STAT', '/data/local/tmp/run')));
    expect(stat).to.deep.equal({ id: 'STAT', mode: 0o100777, sizeBytes: 2, mtimeS: 1_700_000_000 });
  });
});
