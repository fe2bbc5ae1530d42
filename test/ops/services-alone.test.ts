import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect } from 'chai';
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { until } from '../../testing/until.js';
import type { PanelClient } from '../access/people.js';
import type { RestClient } from '../rest-client.js';
import { signUp } from './people-of.js';
import { type SeparateServices, startSeparateServices } from './separate-services.js';
import type { ServiceProcess } from './service-process.js';

describe('services that were started alone', function () {
  let services: SeparateServices;
  let all: ServiceProcess[];
  let panel: PanelClient;
  let api: RestClient;

  before(async () => {
    services = await startSeparateServices({});
    ({ all } = services);
    ({ panel, api } = await signUp(services.edgeUrl));
  });

  after(() => services.close());

  async function health(): Promise<Status> {
    const client = createClient(Health, createGrpcTransport({ baseUrl: services.deviceUrl }));
    return (await client.check({})).status;
  }

  it('report that they live and are ready, with the parts that they need', async () => {
    const checks = {
      gateway: { device_service: 'ok' },
      'device-service': { database: 'ok', data_folder: 'ok' },
      'screen-service': { device_service: 'ok' },
      'relay-service': { database: 'ok', device_service: 'ok' },
      'webhook-service': { database: 'ok', device_service: 'ok' },
      'status-service': {},
    };
    for (const service of all) {
      expect(await service.ask('/livez')).to.deep.equal({ status: 200, body: 'ok\n' });
      // A check of another service fails where a busy machine delays it: the next one is good.
      const ready = await service.readyWhen(200);
      expect(ready).to.deep.equal({ status: 200, ready: true, state: 'started', checks: checks[service.name] });
    }
  });
  it('are not ready while the database is gone, and live and are scraped all the same; then they are ready again', async () => {
    await api.createPhone({ name: 'a-phone', start: false });
    await services.stopDatabase();
    expect((await services.device.readyWhen(503)).checks).to.deep.equal({ database: 'failing', data_folder: 'ok' });
    expect((await services.relay.readyWhen(503)).checks).to.have.property('database', 'failing');
    expect((await services.webhook.readyWhen(503)).checks).to.have.property('database', 'failing');
    expect((await services.gateway.readyWhen(503)).checks).to.deep.equal({ device_service: 'failing' });
    expect((await services.screen.readyWhen(503)).checks).to.deep.equal({ device_service: 'failing' });
    expect(await health()).to.equal(Status.NOT_SERVING);
    for (const service of all) {
      expect((await service.ask('/livez')).status).to.equal(200);
      // The status page is for such a time.
      const isReady = service === services.status;
      expect((await service.ready()).status).to.equal(isReady ? 200 : 503);
      expect((await service.scrape()).sum('service_ready')).to.equal(isReady ? 1 : 0);
    }
    const scrape = await services.device.scrape();
    expect(scrape.sum('devices')).to.equal(undefined);
    expect((await services.device.scrape()).sum('measurements_failed_total', { measurement: 'devices' })).to.be.above(
      0,
    );
    expect((await services.webhook.scrape()).sum('webhook_queue_depth')).to.equal(undefined);
    await services.startDatabase();
    for (const service of all) expect((await service.readyWhen(200)).state).to.equal('started');
    for (const service of all) await until(async () => (await service.scrape()).sum('service_ready') === 1);
    expect(await health()).to.equal(Status.SERVING);
    expect((await services.device.scrape()).sum('devices')).to.equal(1);
    expect((await panel.ask('GET', '/v1/devices')).status).to.equal(200);
  });
});
