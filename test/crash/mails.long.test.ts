import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openTestMail, type TestMailServer } from '../../testing/mail-server.js';
import { seededRandom } from '../../testing/seeded-random.js';
import { until } from '../../testing/until.js';

const PROCESS = fileURLToPath(new URL('../../testing/mail-process.js', import.meta.url));
const ROUNDS = 20;
const MAILS_OF_ROUND = 40;
/** The clock of each process is this far ahead of the one before, so that the claims of a killed process have lapsed. */
const AHEAD_MS = 10 * 60_000;
/** A killed process has at most so many mails under way. */
const CONNECTIONS = 4;

describe('mails of a process that is killed', () => {
  let directory: string;
  let server: TestMailServer;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-mails-'));
    server = await openTestMail();
  });
  after(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (round: number, count: number): ChildProcess =>
    fork(PROCESS, [directory, String(server.port), String(round * AHEAD_MS), String(count)], { stdio: 'inherit' });

  async function kill(child: ChildProcess): Promise<void> {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  it(`are neither lost nor doubled in ${ROUNDS} rounds of kill -9`, async () => {
    const random = seededRandom(43);
    const queued: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = server.received.length;
      const child = start(round, MAILS_OF_ROUND);
      child.on('message', (about: string) => queued.push(about));
      const killedAfter = 1 + Math.floor(random() * MAILS_OF_ROUND);
      await until(() => server.received.length >= before + killedAfter);
      await kill(child);
    }
    expect(queued.length).to.be.greaterThan(ROUNDS);

    const devices = (): Set<string> =>
      new Set(server.received.map(({ subject }) => /<([\d.]+)>/.exec(subject)?.[1] ?? subject));
    const child = start(ROUNDS, 0);
    await until(() => queued.every((about) => devices().has(about)));
    await kill(child);
    // A mail that was taken just before a kill comes again with its Message-ID, by which its receiver knows it.
    const ids = new Set(server.received.map(({ messageId }) => messageId));
    expect(ids.size).to.equal(devices().size);
    expect(server.received.length - ids.size).to.be.at.most(ROUNDS * CONNECTIONS);
  });
});
