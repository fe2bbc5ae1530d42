import { expect } from 'chai';
import * as grpc from '@grpc/grpc-js';
import { startWorld, type World } from '../world.js';
import { GrpcClients, metadataOf, statusOf, unary } from './grpc-client.js';

/* Clients that we did not write: @grpc/grpc-js with our proto files, and with nothing but reflection. */

describe('a grpc-js client', () => {
  let world: World;
  const clients = new GrpcClients();

  before(async () => {
    world = await startWorld();
  });

  after(async () => {
    clients.close();
    await world.close();
  });

  const client = (...values: Parameters<GrpcClients['client']>) => clients.client(...values);
  const identity = () => metadataOf(world.key);

  it('calls unary rpcs with a key', async () => {
    const devices = client(
      'cloudphone/device/v1/device_service.proto',
      'cloudphone.device.v1.DeviceService',
      world.mesh.grpc.device,
    );
    const created = await unary<{ job: { kind: string }; device: { name: string } }>(
      devices,
      'createDevice',
      {
        name: 'from-grpc',
        model: 'phone-720p',
        network: { type: 'EXIT_TYPE_DIRECT', country: 'de' },
        plan: 'PLAN_MINUTE',
      },
      identity(),
    );
    expect(created.job.kind).to.equal('JOB_KIND_CREATE');
    const jobs = client(
      'cloudphone/device/v1/job_service.proto',
      'cloudphone.device.v1.JobService',
      world.mesh.grpc.device,
    );
    const listed = await unary<{ jobs: { id: string }[] }>(jobs, 'listJobs', { device: 'from-grpc' }, identity());
    const { job } = await unary<{ job: { state: string } }>(
      jobs,
      'getJob',
      { id: listed.jobs[0]!.id, wait_s: 20 },
      identity(),
    );
    expect(job.state).to.equal('JOB_STATE_DONE');
  });

  it('gets errors as gRPC status codes', async () => {
    const devices = client(
      'cloudphone/device/v1/device_service.proto',
      'cloudphone.device.v1.DeviceService',
      world.mesh.grpc.device,
    );
    expect(await statusOf(unary(devices, 'getDevice', { name: 'nowhere' }, identity()))).to.equal(
      grpc.status.NOT_FOUND,
    );
    expect(await statusOf(unary(devices, 'getDevice', { name: 'x' }, new grpc.Metadata()))).to.equal(
      grpc.status.UNAUTHENTICATED,
    );
    expect(await statusOf(unary(devices, 'startDevice', { name: 'from-grpc' }, identity()))).to.equal(
      grpc.status.ABORTED,
    );
    expect(await statusOf(unary(devices, 'createDevice', { name: 'Bad Name' }, identity()))).to.equal(
      grpc.status.INVALID_ARGUMENT,
    );
    const details = await unary(devices, 'getDevice', { name: 'größe: 100%, "x"' }, identity()).catch((error: unknown) => (error as grpc.ServiceError).details); // prettier-ignore
    expect(details).to.contain('There is no device "größe: 100%, "x"". GET /v1/devices');
  });

  it('reads a stream of log lines from the phone', async () => {
    const screens = client(
      'cloudphone/screen/v1/screen_service.proto',
      'cloudphone.screen.v1.ScreenService',
      world.mesh.grpc.screen,
    );
    const stream = screens['streamLogs']!({ name: 'from-grpc', since: { seconds: 0, nanos: 0 } }, identity());
    const lines = await new Promise<{ tag: string }[]>((resolve, reject) => {
      stream.once('data', (response: { lines: { tag: string }[] }) => resolve(response.lines));
      stream.once('error', reject);
    });
    expect(lines.length).to.be.greaterThan(0);
    stream.on('error', () => undefined);
    stream.cancel();
  });

  for (const version of ['v1', 'v1alpha']) {
    it(`lists services and reads their files by reflection ${version}`, async () => {
      for (const [address, service] of [
        [world.mesh.grpc.device, 'cloudphone.device.v1.DeviceService'],
        [world.mesh.grpc.screen, 'cloudphone.screen.v1.ScreenService'],
      ] as const) {
        const reflection = client(
          `grpc/reflection/${version}/reflection.proto`,
          `grpc.reflection.${version}.ServerReflection`,
          address,
        );
        const ask = (request: object): Promise<Record<string, Record<string, { name: string }[]>>> =>
          new Promise((resolve, reject) => {
            const call = reflection['serverReflectionInfo']!() as unknown as grpc.ClientDuplexStream<object, never>;
            call.once('data', resolve);
            call.once('error', reject);
            call.write(request);
            call.end();
          });
        const listed = await ask({ list_services: '' });
        expect(listed['list_services_response']!['service']!.map(({ name }) => name)).to.include(service);
        const file = await ask({ file_containing_symbol: service });
        expect(file['file_descriptor_response']!['file_descriptor_proto']!.length).to.be.greaterThan(5);
      }
    });
  }

  it('sees that the service is healthy', async () => {
    const health = client('grpc/health/v1/health.proto', 'grpc.health.v1.Health', world.mesh.grpc.device);
    for (const service of ['', 'cloudphone.device.v1.DeviceService']) {
      expect(await unary(health, 'check', { service }, new grpc.Metadata())).to.include({ status: 'SERVING' });
    }
  });
});
