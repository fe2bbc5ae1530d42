import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouterTransport, type ServiceImpl, type Transport } from '@connectrpc/connect';
import { expect } from 'chai';
import { ApiError } from '../../../kit/errors/api-error.js';
import { silentLog } from '../../../kit/log/log.js';
import { HostSpace, MIN_HOST_FREE_BYTES } from '../../../kit/files/host-space.js';
import { receiveErrors, sendErrors } from '../../../kit/rpc/error-crossing.js';
import { HostService } from '../../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { LIBRARY_SILENT_MS } from '../limits.js';
import { fetchLibraryFile } from './fetch-file.js';
import { NotThere } from './library-files.js';
import { LibraryFolder } from './library-folder.js';
import { sendLibraryFile } from './send-file.js';

const CONTENT = Buffer.alloc(1_000_000, 'content of an app ');
const SHA = createHash('sha256').update(CONTENT).digest('hex');
const COPY = { _id: `${SHA}/host-b`, sha256: SHA, hostId: 'host-b', sizeBytes: CONTENT.length };

describe('fetching a file of a library from another host', () => {
  let directory: string;
  let to: string;
  let clock: FakeClock;
  let freeBytes: number;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fetch-file-'));
    to = join(directory, 'fetched');
    clock = new FakeClock();
    freeBytes = 2 ** 40;
  });
  afterEach(() => rm(directory, { recursive: true }));

  type Send = NonNullable<ServiceImpl<typeof HostService>['sendLibraryFile']>;
  function way(send: Send): Transport {
    const transport = createRouterTransport((router) => router.service(HostService, { sendLibraryFile: send }), {
      router: { interceptors: [sendErrors(silentLog)] },
    });
    return receiveErrors(transport, 'another host');
  }
  const fetchBy = (send: Send | undefined, signal = new AbortController().signal): Promise<void> =>
    fetchLibraryFile(
      {
        wayTo: async () => (send === undefined ? undefined : way(send)),
        hostSpace: new HostSpace({ measure: async () => ({ freeBytes }), clock }),
        clock,
      },
      COPY,
      to,
      signal,
    );
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('brings the whole file, from the folder of the other host', async () => {
    const source = join(directory, 'source');
    const folder = new LibraryFolder(join(directory, 'library'));
    await writeFile(source, CONTENT);
    await folder.place(source, SHA);
    const pieces: number[] = [];
    await fetchBy(async function* ({ sha256 }) {
      for await (const message of sendLibraryFile(folder, sha256)) {
        pieces.push(message.content?.length ?? 0);
        yield message;
      }
    });
    expect((await readFile(to)).equals(CONTENT)).to.equal(true);
    expect(Math.max(...pieces)).to.be.at.most(1024 * 1024);
    expect(pieces.length).to.be.greaterThan(2);
  });

  it('ends with NotThere when the other host does not have the file', async () => {
    const folder = new LibraryFolder(join(directory, 'none'));
    const failure = await failureOf(fetchBy(({ sha256 }) => sendLibraryFile(folder, sha256)));
    expect(failure).to.be.instanceOf(NotThere);
  });

  it('fails when the other host cannot be reached, and when its stream breaks off', async () => {
    expect(await failureOf(fetchBy(undefined))).to.include({ kind: 'unavailable' });
    const broken = fetchBy(async function* () {
      yield { content: CONTENT.subarray(0, 100_000) };
      throw new ApiError('unavailable', 'it broke off');
    });
    const failure = await failureOf(broken);
    expect(failure).to.be.instanceOf(Error).and.not.instanceOf(NotThere);
  });

  it('refuses a file with another content, and one that is cut off', async () => {
    for (const sent of [Buffer.alloc(CONTENT.length, 'x'), CONTENT.subarray(1)]) {
      const failure = await failureOf(
        fetchBy(async function* () {
          yield { content: sent };
        }),
      );
      expect((failure as Error).message).to.contain('another checksum');
    }
  });

  it('stops at the announced size when ten times as much is sent', async () => {
    let sent = 0;
    const failure = await failureOf(
      fetchBy(async function* () {
        for (; sent < 10; sent++) yield { content: CONTENT };
      }),
    );
    expect((failure as Error).message).to.contain('larger than its copy');
    expect(sent).to.be.at.most(3);
    expect((await stat(to)).size).to.be.at.most(CONTENT.length);
  });

  it('stops where the disk has only the room that others need', async () => {
    freeBytes = MIN_HOST_FREE_BYTES + 100_000;
    const failure = await failureOf(
      fetchBy(async function* () {
        for (let at = 0; at < CONTENT.length; at += 50_000) yield { content: CONTENT.subarray(at, at + 50_000) };
      }),
    );
    expect(failure).to.include({ code: 'ENOSPC' });
    expect((await stat(to)).size).to.be.at.most(100_000);
  });

  it('gives up on a host that sends nothing for too long', async () => {
    let ended = false;
    const failing = failureOf(
      fetchBy(async function* (_request, { signal }) {
        yield { content: CONTENT.subarray(0, 10) };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended = true;
      }),
    );
    await clock.pass(LIBRARY_SILENT_MS + 1_000, 1_000);
    expect(await failing).to.include({ kind: 'timeout' });
    await clock.pass(1);
    expect(ended).to.equal(true);
  });
});
