import { connect } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect } from 'chai';
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { until } from '../../testing/until.js';
import { signUp } from './people-of.js';
import { startSeparateServices } from './separate-services.js';
import type { ServiceProcess } from './service-process.js';

/** How long a service goes on after a SIGTERM, ms: long enough for the requests of the test on a busy machine. */
const STOP_DELAY_MS = 15_000;

describe('services that are stopped', function () {
  it('turn not ready at a SIGTERM, serve on until their probes have noticed, and end with status 0', async () => {
    const services = await startSeparateServices({ STOP_DELAY_MS: String(STOP_DELAY_MS) });
    const { all } = services;
    const { panel } = await signUp(services.edgeUrl);
    const ports = new Map<ServiceProcess, number>();
    for (const service of all) ports.set(service, await service.port());
    for (const service of all) service.signal('SIGTERM');
    await Promise.all(
      all.map(async (service) => {
        await until(async () => (await service.ready()).state === 'stopping');
        expect(await service.ready()).to.deep.equal({ status: 503, ready: false, state: 'stopping', checks: {} });
        expect((await service.ask('/livez')).status).to.equal(200);
        await accepts(ports.get(service)!);
      }),
    );
    const client = createClient(Health, createGrpcTransport({ baseUrl: services.deviceUrl }));
    expect((await client.check({})).status).to.equal(Status.NOT_SERVING);
    expect((await panel.ask('GET', '/v1/devices')).status).to.equal(200);
    for (const service of all) expect(await service.exited(), service.said).to.equal(0);
    await services.close();
  });
});

/** Rejects when nobody listens. */
function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
