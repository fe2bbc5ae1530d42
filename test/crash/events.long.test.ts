import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Transport } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScope } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { until } from '../../testing/until.js';
import { type Installation, startInstallation, removeData } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
/** More by the environment: EVENT_KILL_ROUNDS=100. */
const ROUNDS = Number(process.env['EVENT_KILL_ROUNDS'] ?? 5);
const DEVICES = ['one', 'two', 'three', 'four'];

interface Received {
  delivery: string;
  attempt: number;
  event: string;
  jobId: string;
  genuine: boolean;
}

describe(`kill -9 of the whole service under jobs, ${ROUNDS} times`, function () {
  this.timeout(900_000 + ROUNDS * 20_000);
  const received: Received[] = [];
  const accepted = new Set<string>();
  let directory: string;
  let running: Installation;
  let receiver: Server;
  let key: string;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-events-'));
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const header = (name: string): string => String(request.headers[name]);
        const secret = createHash('sha256').update(key).digest('hex');
        received.push({
          delivery: header('x-service-delivery'),
          attempt: Number(header('x-service-attempt')),
          event: header('x-service-event'),
          jobId: (JSON.parse(body.toString('utf8')) as { job?: { id: string } }).job?.id ?? '',
          genuine: createHmac('sha256', secret).update(body).digest('hex') === header('x-service-signature'),
        });
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    await begin();
    const { port } = receiver.address() as AddressInfo;
    const made = await createClient(AdminService, deviceService()).createAccountKey({
      email: 'owner@localhost',
      name: 'hooks',
      scope: KeyScope.CONTROL,
      devices: ['*'],
      webhookUrl: `http://127.0.0.1:${port}/hook`,
    });
    key = made.key?.key ?? '';
    for (const name of DEVICES) await client().createPhone({ name, start: false });
    received.length = 0;
  });

  after(async () => {
    await running.stop();
    receiver.close();
    await removeData(directory);
  });

  async function begin(): Promise<void> {
    const environment = { ALLOW_PRIVATE_TARGETS: 'on', SIMULATED_BOOT_MS: '50' };
    running = await startInstallation({ directory, start, environment });
  }

  function client(): RestClient {
    return new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  }

  function deviceService(): Transport {
    const { grpc, meshToken } = running;
    return connectTo({ url: `http://${grpc.device}`, service: 'the device service', meshToken });
  }

  /** Starts and stops each device in turn until the service is killed under it. */
  async function disturb(): Promise<void> {
    await Promise.all(
      DEVICES.map(async (name) => {
        for (let kind = 'start'; ; kind = kind === 'start' ? 'stop' : 'start') {
          const response = await client()
            .post(`/v1/devices/${name}/${kind}`)
            .catch(() => undefined);
          if (response === undefined) return;
          if (response.status === 202) accepted.add(response.body.job.id as string);
          await systemClock.sleep(60);
        }
      }),
    );
  }

  it('publishes every accepted job, each under one delivery id, signed, and never a fourth time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = accepted.size;
      const disturbing = disturb();
      // On a machine with other work, the first jobs take longer than the pause.
      await until(() => accepted.size > before + 1);
      await systemClock.sleep((round * 97) % 400);
      await running.kill();
      await disturbing;
      await begin();
    }
    expect(accepted.size).to.be.greaterThan(ROUNDS);
    // Over gRPC, where no rate limit holds: there are many jobs to ask for.
    const jobs = createClient(JobService, deviceService());
    for (const id of accepted) {
      const { job } = await jobs.getJob({ id, waitS: 30 }, { headers: { authorization: `Bearer ${running.key}` } });
      expect(job?.state, id).to.equal(JobState.DONE);
    }
    const published = (): Set<string> => new Set(received.map(({ jobId }) => jobId));
    for (let tries = 0; tries < 1_500 && [...accepted].some((id) => !published().has(id)); tries++)
      await systemClock.sleep(10);

    expect(
      [...accepted].filter((id) => !published().has(id)),
      'jobs that nobody was notified of',
    ).to.deep.equal([]);
    for (const id of accepted) {
      const ofJob = received.filter(({ jobId }) => jobId === id);
      expect(new Set(ofJob.map(({ delivery }) => delivery)), id).to.have.length(1);
      expect(
        ofJob.every(({ genuine, event, attempt }) => genuine && event === 'job.finished' && attempt <= 3),
      ).to.equal(true);
    }
  });
});
