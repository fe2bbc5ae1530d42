import { expect } from 'chai';
import * as grpc from '@grpc/grpc-js';
import { type PanelClient, signIn, signUp } from '../access/people.js';
import { startWorld, type World } from '../world.js';
import { type GrpcClient, GrpcClients, metadataOf, statusOf, unary } from './grpc-client.js';

/* The screen and the relay service authenticate nobody: the device service decides. Seen from their own gRPC ports. */

describe('a grpc-js client of the screen and the relay service', () => {
  let world: World;
  let panel: PanelClient;
  let screens: GrpcClient;
  let relays: GrpcClient;
  const clients = new GrpcClients();
  const keys: Record<'read' | 'control' | 'narrow' | 'foreign', string> = {
    read: '',
    control: '',
    narrow: '',
    foreign: '',
  };

  before(async () => {
    world = await startWorld();
    panel = await signIn(world);
    await world.api.createPhone({ name: 'one' });
    await world.api.createPhone({ name: 'another', start: false });
    const stranger = await signUp(world, 'someone@example.com');
    keys.read = await panel.createKey({ scope: 'read' });
    keys.control = await panel.createKey();
    keys.narrow = await panel.createKey({ devices: ['another'] });
    keys.foreign = await stranger.createKey();
    const { screen, relay } = world.mesh.grpc;
    screens = clients.client('cloudphone/screen/v1/screen_service.proto', 'cloudphone.screen.v1.ScreenService', screen);
    relays = clients.client('cloudphone/relay/v1/relay_service.proto', 'cloudphone.relay.v1.RelayService', relay);
  });
  after(async () => {
    clients.close();
    await world.close();
  });

  const tap = { name: 'one', tap: { x: 5, y: 5 }, observe: 'OBSERVE_DETAIL_NONE' };
  const reading: [string, () => GrpcClient, object][] = [
    ['getScreenshot', () => screens, { name: 'one' }],
    ['getLogs', () => screens, { name: 'one', lines: 1 }],
    ['observe', () => screens, { name: 'one' }],
    ['getAdb', () => relays, { name: 'one' }],
  ];
  const controlling: [string, () => GrpcClient, object][] = [
    ['act', () => screens, tap],
    ['performAction', () => screens, { name: 'one', tap: { x: 5, y: 5 } }],
    ['sendInput', () => screens, { name: 'one', events: [{ wait: { ms: 1 } }] }],
    ['enableAdb', () => relays, { name: 'one', allow: ['127.0.0.1'] }],
    ['disableAdb', () => relays, { name: 'one' }],
  ];

  for (const [method, client, request] of [...reading, ...controlling]) {
    const needsControl = controlling.some(([name]) => name === method);
    it(`may call ${method} ${needsControl ? 'with a control key only' : 'with any key of the account'}`, async () => {
      const statusWith = (key: string | undefined) => statusOf(unary(client(), method, request, metadataOf(key)));
      expect(await statusWith(undefined), 'no key').to.equal(grpc.status.UNAUTHENTICATED);
      expect(await statusWith('cp_wrong'), 'a wrong key').to.equal(grpc.status.UNAUTHENTICATED);
      expect(await statusWith(keys.foreign), 'a key of another account').to.equal(grpc.status.NOT_FOUND);
      expect(await statusWith(keys.narrow), 'a key for another device').to.equal(grpc.status.PERMISSION_DENIED);
      expect(await statusWith(keys.read), 'a read key').to.equal(
        needsControl ? grpc.status.PERMISSION_DENIED : grpc.status.OK,
      );
      expect(await statusWith(keys.control), 'a control key').to.equal(grpc.status.OK);
    });
  }

  it('cannot locate a phone at the device service without the scope that it is for', async () => {
    const file = 'cloudphone/device/v1/phone_service.proto';
    const phones = clients.client(file, 'cloudphone.device.v1.PhoneService', world.mesh.grpc.device);
    const locate = (scope: string) => unary(phones, 'locatePhone', { name: 'one', scope }, metadataOf(keys.read));
    expect(await statusOf(locate('SCOPE_UNSPECIFIED'))).to.equal(grpc.status.INVALID_ARGUMENT);
    expect(await statusOf(locate('SCOPE_PUBLIC'))).to.equal(grpc.status.INVALID_ARGUMENT);
    expect(await statusOf(locate('SCOPE_CONTROL'))).to.equal(grpc.status.PERMISSION_DENIED);
    expect(await statusOf(locate('SCOPE_READ'))).to.equal(grpc.status.OK);
  });

  it('reads a log until its key is revoked', async () => {
    const made = await panel.ask('POST', '/v1/keys', { name: 'short', scope: 'read', devices: ['*'] });
    const { id, key } = made.body.key as { id: string; key: string };
    const stream = screens['streamLogs']!({ name: 'one', since: { seconds: 0, nanos: 0 } }, metadataOf(key));
    const failure = new Promise<grpc.ServiceError>((resolve) => stream.once('error', resolve as () => void));
    await new Promise((resolve) => stream.once('data', resolve));
    stream.resume();
    expect((await panel.ask('DELETE', `/v1/keys/${id}`)).status).to.equal(204);
    expect((await failure).code).to.equal(grpc.status.UNAUTHENTICATED);
  });
});
