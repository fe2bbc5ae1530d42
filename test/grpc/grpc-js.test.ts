import { expect } from 'chai';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { startWorld, type World } from '../world.js';

/* Clients that we did not write: @grpc/grpc-js with our proto files, and with nothing but reflection. */

type Client = grpc.Client & Record<string, (...values: unknown[]) => grpc.ClientReadableStream<unknown>>;
type ClientConstructor = new (address: string, credentials: grpc.ChannelCredentials) => Client;

describe('a grpc-js client', () => {
  let world: World;
  const clients: Client[] = [];

  before(async () => {
    world = await startWorld();
  });

  after(async () => {
    for (const client of clients) client.close();
    await world.close();
  });

  function client(file: string, service: string, address: string): Client {
    const definition = loadSync(file, {
      includeDirs: ['proto', 'proto/deps'],
      keepCase: true,
      enums: String,
      defaults: true,
    });
    const loaded = service
      .split('.')
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], grpc.loadPackageDefinition(definition));
    const made = new (loaded as ClientConstructor)(address, grpc.credentials.createInsecure());
    clients.push(made);
    return made;
  }

  function identity(): grpc.Metadata {
    const metadata = new grpc.Metadata();
    metadata.set('authorization', `Bearer ${world.key}`);
    return metadata;
  }

  function unary<T>(made: Client, method: string, request: unknown, metadata = identity()): Promise<T> {
    return new Promise((resolve, reject) => {
      made[method]!(request, metadata, (error: grpc.ServiceError | null, answer: T) =>
        error === null ? resolve(answer) : reject(error),
      );
    });
  }

  it('calls unary rpcs with a key', async () => {
    const devices = client(
      'cloudphone/device/v1/device_service.proto',
      'cloudphone.device.v1.DeviceService',
      world.mesh.grpc.device,
    );
    const created = await unary<{ job: { kind: string }; device: { name: string } }>(devices, 'createDevice', {
      name: 'from-grpc',
      model: 'phone-720p',
      network: { type: 'EXIT_TYPE_DIRECT', country: 'de' },
      plan: 'PLAN_MINUTE',
    });
    expect(created.job.kind).to.equal('JOB_KIND_CREATE');
    const jobs = client(
      'cloudphone/device/v1/job_service.proto',
      'cloudphone.device.v1.JobService',
      world.mesh.grpc.device,
    );
    const listed = await unary<{ jobs: { id: string }[] }>(jobs, 'listJobs', { device: 'from-grpc' });
    const { job } = await unary<{ job: { state: string } }>(jobs, 'getJob', { id: listed.jobs[0]!.id, wait_s: 20 });
    expect(job.state).to.equal('JOB_STATE_DONE');
  });

  it('is told errors by gRPC status codes', async () => {
    const devices = client(
      'cloudphone/device/v1/device_service.proto',
      'cloudphone.device.v1.DeviceService',
      world.mesh.grpc.device,
    );
    const codeOf = (call: Promise<unknown>): Promise<number> =>
      call.then(
        () => 0,
        (error: unknown) => (error as grpc.ServiceError).code,
      );
    expect(await codeOf(unary(devices, 'getDevice', { name: 'nowhere' }))).to.equal(grpc.status.NOT_FOUND);
    expect(await codeOf(unary(devices, 'getDevice', { name: 'x' }, new grpc.Metadata()))).to.equal(
      grpc.status.UNAUTHENTICATED,
    );
    expect(await codeOf(unary(devices, 'startDevice', { name: 'from-grpc' }))).to.equal(grpc.status.ABORTED);
    expect(await codeOf(unary(devices, 'createDevice', { name: 'Bad Name' }))).to.equal(grpc.status.INVALID_ARGUMENT);
    const details = await unary(devices, 'getDevice', { name: 'größe: 100%, "x"' }).catch((error: unknown) => (error as grpc.ServiceError).details); // prettier-ignore
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
      stream.once('data', (answer: { lines: { tag: string }[] }) => resolve(answer.lines));
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

  it('is told that the service is healthy', async () => {
    const health = client('grpc/health/v1/health.proto', 'grpc.health.v1.Health', world.mesh.grpc.device);
    for (const service of ['', 'cloudphone.device.v1.DeviceService']) {
      expect(await unary(health, 'check', { service }, new grpc.Metadata())).to.include({ status: 'SERVING' });
    }
  });
});
