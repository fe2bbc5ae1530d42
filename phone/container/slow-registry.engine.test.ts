import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { ContainerWorld } from './testing/container-world.js';

describe('the image of a phone at a registry that takes connections and sends nothing', function () {
  let world: ContainerWorld;
  let registry: Server;
  const sockets = new Set<Socket>();

  before(async function () {
    const started = await ContainerWorld.start();
    if (typeof started === 'string') skip(this, started);
    world = started;
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    (registry as Server | undefined)?.close();
    await (world as ContainerWorld | undefined)?.close();
  });

  it('is pulled until the operation is given up, and no longer', async () => {
    registry = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).resume();
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    const { port } = registry.address() as AddressInfo;
    world.model = { ...world.model, image: `127.0.0.1:${port}/phone:14` };
    await world.reopen();
    const given = new AbortController();
    let pulls = 0;
    const options = { signal: given.signal, onPulling: () => pulls++ };
    const phone = { phoneId: 'ph_new', model: world.model.model };
    let failure: unknown;
    const prepared = world.driver.prepare?.(phone, options).catch((error: unknown) => (failure = error));
    await until(() => sockets.size > 0);
    expect([pulls, failure]).to.deep.equal([1, undefined]);
    given.abort(new Error('the job was cancelled'));
    await prepared;
    expect(String(failure)).to.equal('Error: the job was cancelled');
  });
});
