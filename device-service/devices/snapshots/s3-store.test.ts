import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { S3_KEY, type S3Server, startS3 } from '../../../testing/s3-server.js';
import { type S3Place, S3Store } from './s3-store.js';

const MIB = 1024 * 1024;
const going = new AbortController().signal;

describe('objects in a bucket of S3', () => {
  let folder: string;
  let server: S3Server;
  let place: S3Place;
  let store: S3Store;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 's3-'));
    server = await startS3(join(folder, 'objects'), 'phones');
    const { endpoint } = server;
    place = { bucket: 'phones', prefix: 'snapshots/', endpoint, region: 'us-east-1', credentials: S3_KEY };
    store = new S3Store(place);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Yields pieces of one MiB, each with its own byte. */
  async function* pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < count; at++) yield Buffer.alloc(MIB, at);
  }
  async function contentOf(name: string): Promise<Buffer | undefined> {
    const content = await store.get(name, going);
    if (content === undefined) return undefined;
    const read: Uint8Array[] = [];
    for await (const piece of content) read.push(piece);
    return Buffer.concat(read);
  }

  it('come back as they were written, of one part and of several, and are replaced', async () => {
    await store.put('small', pieces(1), going);
    await store.put('large', pieces(40), going);
    expect((await contentOf('small'))?.equals(Buffer.alloc(MIB, 0))).to.equal(true);
    const large = await contentOf('large');
    expect(large?.length).to.equal(40 * MIB);
    expect([large?.[0], large?.at(-1), large?.[17 * MIB]]).to.deep.equal([0, 39, 17]);
    await store.put('large', pieces(2), going);
    expect((await contentOf('large'))?.length).to.equal(2 * MIB);
  });

  it('that do not exist are undefined, and are removed without an error', async () => {
    expect(await contentOf('none')).to.equal(undefined);
    await store.delete('none', going);
    await store.put('gone', pieces(1), going);
    await store.delete('gone', going);
    expect(await contentOf('gone')).to.equal(undefined);
  });

  it('are not there when their content fails, or the upload is ended, in the middle', async () => {
    const before = await server.keys();
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* pieces(20);
      throw new Error('the disk failed');
    }
    expect(String(await store.put('half', failing(), going).catch((error: unknown) => error))).to.contain(
      'the disk failed',
    );
    const end = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield* pieces(20);
        end.abort();
      }
    }
    expect(await store.put('ended', endless(), end.signal).catch((error: unknown) => error)).to.be.instanceOf(Error);
    expect(await contentOf('half')).to.equal(undefined);
    expect(await contentOf('ended')).to.equal(undefined);
    expect(await server.keys()).to.deep.equal(before);
  });

  it('are refused with a key that the server does not know, in a bucket that is not there, and where nothing listens', async () => {
    const refusal = (more: Partial<S3Place>): Promise<unknown> =>
      new S3Store({ ...place, ...more }).put('x', pieces(1), going).catch((error: unknown) => error);
    const unknown = { ...S3_KEY, accessKeyId: 'unknown' };
    expect(await refusal({ credentials: unknown })).to.have.property('name', 'InvalidAccessKeyId');
    expect(await refusal({ bucket: 'elsewhere' })).to.have.property('name', 'NoSuchBucket');
    expect(await refusal({ endpoint: 'http://127.0.0.1:9' })).to.have.property('code', 'ECONNREFUSED');
  });
});
