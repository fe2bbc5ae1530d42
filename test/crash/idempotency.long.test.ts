import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { type Installation, startInstallation, removeData } from '../installation.js';
import { type Answer, RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
/** When the service is killed, ms after the requests were sent: while it thinks, while it writes, while it responds. */
const KILLED_AFTER_MS = [0, 8, 16, 30, 60];

describe('kill -9 under eight requests with one Idempotency-Key', function () {
  this.timeout(900_000);
  let directory: string;
  let running: Installation;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-once-'));
    running = await startInstallation({ directory, start });
    const { grpc, meshToken } = running;
    const toDevice = connectTo({ url: `http://${grpc.device}`, service: 'the device service', meshToken });
    const admin = createClient(AdminService, toDevice);
    await admin.creditAccount({ email: 'owner@localhost', amount: '990.00' });
  });
  after(async () => {
    await running.stop();
    await removeData(directory);
  });

  const client = (): RestClient => new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);

  function create(key: string): Promise<Answer> {
    return client().post(
      '/v1/devices',
      { model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'month', start: false },
      { headers: { 'idempotency-key': key } },
    );
  }

  for (const [round, killedAfterMs] of KILLED_AFTER_MS.entries()) {
    it(`after ${killedAfterMs} ms leaves one device, one charge and one response`, async () => {
      const key = `round-${round}`;
      const sent = Array.from({ length: 8 }, () => create(key).catch(() => undefined));
      await systemClock.sleep(killedAfterMs);
      await running.kill();
      const early = (await Promise.all(sent)).filter((response) => response?.status === 202);
      running = await startInstallation({ directory, start });
      const late = await Promise.all(Array.from({ length: 8 }, () => create(key)));
      expect(late.map(({ status }) => status)).to.deep.equal(Array(8).fill(202));
      const responses = new Set([...early, ...late].map((response) => response?.bytes.toString()));
      expect(responses).to.have.length(1);
      const { body } = await client().get('/v1/devices');
      expect(body.devices).to.have.length(round + 1);
      const { body: after } = await client().get('/v1/account');
      expect(after.account.balance).to.equal(`${1_000 - 12 * (round + 1)}.00`);
    });
  }
});
