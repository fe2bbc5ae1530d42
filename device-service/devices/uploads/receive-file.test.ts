import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { ApiError } from '../../../kit/errors/api-error.js';
import { MIN_HOST_FREE_BYTES, HostSpace } from '../../../kit/files/host-space.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { receiveFile, type ReceiveOptions } from './receive-file.js';

const CHUNK = Buffer.alloc(64 * 1024);

describe('a file that is received', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'received-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const receive = (
    body: Buffer[],
    {
      chunksFree,
      type,
      maxBytes = 2 ** 30,
      onPiece,
    }: { chunksFree: number; type?: string } & Partial<Pick<ReceiveOptions, 'maxBytes' | 'onPiece'>>,
  ): Promise<number> => {
    const freeBytes = MIN_HOST_FREE_BYTES + chunksFree * CHUNK.length;
    const hostSpace = new HostSpace({ measure: async () => ({ freeBytes }), clock: new FakeClock() });
    const options = { contentType: type, to: path.join(folder, 'file'), maxBytes, hostSpace };
    const chunks = async function* (): AsyncGenerator<Buffer> {
      yield* body;
    };
    return receiveFile(chunks(), {
      ...options,
      ...(onPiece !== undefined && { onPiece }),
      signal: new AbortController().signal,
    });
  };
  const sizeBytes = async (): Promise<number> => (await stat(path.join(folder, 'file'))).size;
  const content = Array.from({ length: 10 }, () => CHUNK);
  const form = [
    Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="a.apk"\r\n\r\n'),
    ...content,
    Buffer.from('\r\n--b--\r\n'),
  ];

  for (const [what, body, type] of [
    ['as the body', content, undefined],
    ['in a form', form, 'multipart/form-data; boundary=b'],
  ] as const) {
    it(`${what} ends where the disk of the host has only the room left that others need`, async () => {
      const options = { ...(type !== undefined && { type }) };
      const failure: unknown = await receive([...body], { ...options, chunksFree: 4 }).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(ApiError);
      expect(failure).to.include({ kind: 'unavailable' });
      expect(await sizeBytes()).to.be.at.most(4 * CHUNK.length);
      await rm(path.join(folder, 'file'));
      await receive([...body], { ...options, chunksFree: 10 });
      expect(await sizeBytes()).to.equal(10 * CHUNK.length);
    });

    it(`${what} is passed on piece by piece, and its size is returned`, async () => {
      let bytes = 0;
      const onPiece = (piece: Uint8Array): void => void (bytes += piece.length);
      const options = { chunksFree: 10, onPiece, ...(type !== undefined && { type }) };
      expect(await receive([...body], options)).to.equal(10 * CHUNK.length);
      expect(bytes).to.equal(10 * CHUNK.length);
    });

    it(`${what} ends at its bound, of which it has ten times as much`, async () => {
      const options = { chunksFree: 100, maxBytes: CHUNK.length, ...(type !== undefined && { type }) };
      const failure: unknown = await receive([...body], options).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(ApiError);
      expect(failure).to.include({ kind: 'too_large' });
      expect(await sizeBytes()).to.be.at.most(CHUNK.length);
    });
  }
});
