import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { HostSpace } from '../../../kit/files/host-space.js';
import { FilePieceSchema } from '../../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { RecordingFiles } from './recording-files.js';
import { MAX_SEGMENTS, RecordingWriter } from './recording-writer.js';

const GIB = 1024 ** 3;

/** A box with so many bytes of content. */
function box(type: string, bytes: number): Buffer {
  const whole = Buffer.alloc(8 + bytes);
  whole.writeUInt32BE(whole.length);
  whole.write(type, 4);
  return whole;
}

describe('the files of a recording on disk', () => {
  let files: RecordingFiles;
  beforeEach(async () => {
    files = new RecordingFiles(join(await mkdtemp(join(tmpdir(), 'recordings-')), 'recordings'));
    await files.make('rec_1');
  });

  const space = (freeBytes: number): HostSpace =>
    new HostSpace({ measure: async () => ({ freeBytes }), clock: new FakeClock() });
  const piece = (segment: number, offset: number, text: string) =>
    create(FilePieceSchema, { segment, offset, data: Buffer.from(text) });

  it('get each piece at its place', async () => {
    const writer = new RecordingWriter('rec_1', files, space(2 * GIB));
    await writer.write([piece(0, 0, 'abcdef'), piece(0, 1, 'XY')]);
    await writer.write([piece(0, 6, 'gh'), piece(1, 0, 'second')]);
    expect([writer.segments, writer.sizeBytes]).to.deep.equal([2, 14]);
    await writer.close();
    expect((await readFile(files.path('rec_1', 0))).toString()).to.equal('aXYdefgh');
    expect((await readFile(files.path('rec_1', 1))).toString()).to.equal('second');
    expect(await files.list()).to.deep.equal(['rec_1']);
  });

  it('take no piece without a place, nor one for which there is no room', async () => {
    const writer = new RecordingWriter('rec_1', files, space(GIB + 10));
    const failure = (work: Promise<void>): Promise<string> =>
      work.then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
    expect(await failure(writer.write([piece(0, 5, 'late')]))).to.match(/no place/);
    expect(await failure(writer.write([piece(2, 0, 'far')]))).to.match(/no place/);
    await writer.write([piece(0, 0, '12345678')]);
    // A piece that replaces bytes takes no room.
    await writer.write([piece(0, 0, '87654321')]);
    expect(await failure(writer.write([piece(0, 8, 'more')]))).to.match(/would be left/);
    expect(writer.sizeBytes).to.equal(8);
    await writer.close();
  });

  it('are bounded in number', async () => {
    const writer = new RecordingWriter('rec_1', files, space(2 * GIB));
    for (let segment = 0; segment < MAX_SEGMENTS; segment++) await writer.write([piece(segment, 0, 'a')]);
    const refusal: unknown = await writer.write([piece(MAX_SEGMENTS, 0, 'a')]).catch((error: unknown) => error);
    expect(refusal).to.include({ kind: 'unavailable' });
    await writer.close();
  });

  it('are cut to their whole fragments after a crash', async () => {
    const whole = Buffer.concat([box('ftyp', 4), box('moov', 90), box('moof', 40), box('mdat', 1_000)]);
    const cut = Buffer.concat([whole, box('moof', 40), box('mdat', 1_000).subarray(0, 300)]);
    await writeFile(files.path('rec_1', 0), whole);
    await writeFile(files.path('rec_1', 1), cut);
    await writeFile(files.path('rec_1', 2), box('ftyp', 4));
    expect(await files.mend('rec_1')).to.deep.equal({ segments: 2, sizeBytes: 2 * whole.length });
    expect((await stat(files.path('rec_1', 1))).size).to.equal(whole.length);
    expect(
      await stat(files.path('rec_1', 2)).catch((error: unknown) => (error as NodeJS.ErrnoException).code),
    ).to.equal('ENOENT');
    expect(await files.mend('rec_none')).to.deep.equal({ segments: 0, sizeBytes: 0 });
  });

  it('of hostile bytes are bounded in time: a box without a length ends the search', async () => {
    await writeFile(files.path('rec_1', 0), Buffer.alloc(100_000));
    expect(await files.mend('rec_1')).to.deep.equal({ segments: 0, sizeBytes: 0 });
  });
});
