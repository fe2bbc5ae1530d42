import { mkdtempSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';

const START = fileURLToPath(new URL('../../start.js', import.meta.url));
const CALLERS = 50;
const STOPS = 10;

/** The requests of all callers. */
interface Load {
  /** Number of responses so far. */
  answered: number;
  /** Errors of requests that were sent before `stopping` was set. */
  lost: string[];
  stopping: boolean;
}

describe('a service that is stopped under load', function () {
  // It is started and stopped ten times, on machines that do other things too.
  this.timeout(900_000);
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-stop-'));
  });
  after(() => removeData(directory));

  it(`responds to every request that ${CALLERS} callers sent before the signal, ${STOPS} times`, async () => {
    for (let stop = 1; stop <= STOPS; stop++) {
      const service = await startInstallation({ directory, start: START, environment: { STATUS_PORT: '0' } });
      const load: Load = { answered: 0, lost: [], stopping: false };
      const callers = Array.from({ length: CALLERS }, (_, index) => callAgain(service, load, index));
      try {
        await until(() => load.answered >= 2 * CALLERS);
        load.stopping = true;
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
      const outcome = await call(baseUrl + path, { authorization: `Bearer ${key}` }, agent, () => load.stopping);
      if (outcome === 'answered') load.answered++;
      else if (outcome.sentBefore) load.lost.push(`${path}: ${outcome.code}`);
      else return;
    }
  } finally {
    agent?.destroy();
  }
}

/** One request: its response was read whole, or the error and whether it was sent before the stop. */
function call(
  url: string,
  headers: Record<string, string>,
  agent: Agent | undefined,
  isStopping: () => boolean,
): Promise<'answered' | { code: string; sentBefore: boolean }> {
  return new Promise((resolve) => {
    let sentBefore = false;
    const sent = request(url, { headers, agent: agent ?? false });
    const fail = (error: NodeJS.ErrnoException): void => resolve({ code: error.code ?? error.message, sentBefore });
    // Connected, and handed to the system.
    sent.on('finish', () => (sentBefore = !isStopping()));
    sent.on('error', fail).on('response', (response) => {
      response
        .on('error', fail)
        .on('end', () => resolve('answered'))
        .resume();
    });
    sent.end();
  });
}
