import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../kit/async/clock.js';
import { ServerCertificate } from '../kit/https/server-certificate.js';
import { silentLog } from '../kit/log/log.js';
import { CONTROL_KEY, type EdgeWorld, startEdge } from '../testing/edge-world.js';
import { selfSigned } from '../testing/self-signed.js';

const CALLERS = 50;
const STOPS = 3;

/** Callers that send one request after the other until nobody listens, in a process of their own. */
const CALLERS_PROGRAM = `
  const [protocol, port, key, callers] = process.argv.slice(1);
  const http = require('node:' + protocol);
  const seen = {};
  const count = (what) => (seen[what] = (seen[what] ?? 0) + 1);
  const call = (agent) => new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', path: '/v1/models', agent, rejectUnauthorized: false, headers: { authorization: 'Bearer ' + key } };
    const fail = (error) => resolve(error.code ?? error.message);
    http.get(options, (response) => {
      response.on('error', fail).on('end', () => resolve(String(response.statusCode))).resume();
    }).on('error', fail);
  });
  let answered = 0;
  Promise.all(Array.from({ length: Number(callers) }, async (_, at) => {
    const agent = at % 2 === 0 ? new http.Agent({ keepAlive: true, maxSockets: 1 }) : false;
    for (let outcome; outcome !== 'ECONNREFUSED';) {
      outcome = await call(agent);
      count(outcome);
      if (++answered === 2 * callers) process.send('busy');
    }
    if (agent) agent.destroy();
  })).then(() => process.send(seen, () => process.exit(0)));
`;

/** A program that uses one core fully, for at most a minute. */
const BURNER_PROGRAM = 'const end = Date.now() + 60_000; while (Date.now() < end);';

describe('an edge that closes while callers come again and again, on a machine without a free core', function () {
  this.timeout(120_000);
  const children: ChildProcess[] = [];
  const run = (program: string, ...args: string[]): ChildProcess => {
    const child = spawn(process.execPath, ['-e', program, ...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    children.push(child);
    return child;
  };
  let folder: string;
  let certificate: ServerCertificate;
  const edge = (protocol: 'http' | 'https'): Promise<EdgeWorld> =>
    startEdge(
      { model: { listModels: () => Promise.resolve({ models: [] }) } },
      { limits: { drainTimeoutMs: 10_000 }, ...(protocol === 'https' && { certificate }) },
    );
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-closing-'));
    const { cert, key } = selfSigned();
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    certificate = new ServerCertificate({ certFile, keyFile, clock: systemClock, log: silentLog });
    for (let core = 0; core < availableParallelism(); core++) run(BURNER_PROGRAM);
  });
  after(() => {
    for (const child of children) child.kill('SIGKILL');
    certificate.close();
    rmSync(folder, { recursive: true });
  });

  for (const protocol of ['http', 'https'] as const) {
    it(`responds to each request by ${protocol}, or takes no connection, ${STOPS} times with ${CALLERS} callers`, async () => {
      for (let stop = 1; stop <= STOPS; stop++) {
        const world = await edge(protocol);
        const callers = run(CALLERS_PROGRAM, protocol, String(world.port), CONTROL_KEY, String(CALLERS));
        expect(await messageOf(callers)).to.equal('busy');
        const outcomes = messageOf(callers);
        await world.close();
        const seen = (await outcomes) as Record<string, number>;
        const { 200: served = 0, 503: refused = 0, ECONNREFUSED: notTaken = 0, ...cut } = seen;
        expect(cut, `stop ${stop}`).to.deep.equal({});
        expect(served + refused).to.be.at.least(2 * CALLERS);
        expect(notTaken).to.equal(CALLERS);
      }
    });
  }
});

async function messageOf(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message')) as [unknown];
  return message;
}
