import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';

const START = fileURLToPath(new URL('../../start.js', import.meta.url));
const CALLERS = 50;
const STOPS = 5;

/** The requests of all callers. */
interface Load {
  /** Number of responses so far. */
  answered: number;
  /** Errors other than that nobody listens. */
  lost: string[];
}

/** Takes a core for itself, for ten minutes at the most. */
const BURNER_PROGRAM = 'const end = Date.now() + 600_000; while (Date.now() < end);';

describe('a service that is stopped under load', function () {
  // It is started and stopped several times, on machines that do other things too.
  this.timeout(900_000);
  let directory: string;
  const burners: ChildProcess[] = [];
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-stop-'));
    for (let core = 0; core < availableParallelism(); core++)
      burners.push(spawn(process.execPath, ['-e', BURNER_PROGRAM], { stdio: 'ignore' }));
  });
  after(async () => {
    for (const burner of burners) burner.kill('SIGKILL');
    await removeData(directory);
  });

  it(`responds to each request of ${CALLERS} callers, or takes no connection, ${STOPS} times, with all cores busy`, async () => {
    for (let stop = 1; stop <= STOPS; stop++) {
      const service = await startInstallation({ directory, start: START, environment: { STATUS_PORT: '0' } });
      const load: Load = { answered: 0, lost: [] };
      const callers = Array.from({ length: CALLERS }, (_, index) => callAgain(service, load, index));
      try {
        await until(() => load.answered >= 2 * CALLERS);
        expect(await service.stop()).to.equal(0);
        await Promise.all(callers);
        expect(load.lost, `stop ${stop}`).to.deep.equal([]);
      } finally {
        await service.kill();
      }
    }
  });
});

/** Sends one request after the other until the service has gone: every second caller on a connection that it keeps. */
async function callAgain({ baseUrl, key }: Installation, load: Load, index: number): Promise<void> {
  const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
  // Most are over the key's limit of requests; that is a response like any other.
  const paths = ['/devices', '/jobs?limit=1', '/models', '/account'];
  try {
    for (let turn = 0; ; turn++) {
      const path = paths[(index + turn) % paths.length] ?? '';
      const outcome = await call(baseUrl + path, { authorization: `Bearer ${key}` }, agent);
      if (outcome === 'ECONNREFUSED') return;
      if (outcome === 'answered') load.answered++;
      else load.lost.push(`${path}: ${outcome}`);
    }
  } finally {
    agent?.destroy();
  }
}

/** One request: resolves when its response was read whole, or with the code of its error. */
function call(url: string, headers: Record<string, string>, agent: Agent | undefined): Promise<string> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    const sent = request(url, { headers, agent: agent ?? false });
    sent.on('error', fail).on('response', (response) => {
      response
        .on('error', fail)
        .on('end', () => resolve('answered'))
        .resume();
    });
    sent.end();
  });
}
