import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { until } from '../../../testing/until.js';
import { openDrivers } from './open-drivers.js';

describe('opening the drivers of a host', () => {
  let directory: string;
  let phone: Server;
  const connections = new Set<Socket>();

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-drivers-'));
    phone = createServer((socket) => {
      connections.add(socket);
      socket.on('error', () => undefined).on('close', () => connections.delete(socket));
    });
    await new Promise<void>((resolve) => phone.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    phone.close();
    for (const socket of connections) socket.destroy();
    rmSync(directory, { recursive: true, force: true });
  });

  it('closes the one that is open when the other cannot be opened', async () => {
    const phonesFile = join(directory, 'phones.json');
    const { port } = phone.address() as AddressInfo;
    writeFileSync(
      phonesFile,
      JSON.stringify({ phones: [{ address: `127.0.0.1:${port}`, model: 'phone-one', clean: 'none' }] }),
    );
    const opening = openDrivers({
      config: {
        kinds: ['attached', 'simulated'],
        address: '127.0.0.1',
        phonesFile,
        ...{
          modelsFile: undefined,
          androidHome: undefined,
          bootsAtOnce: 1,
          container: { socketPath: '', pool: '10.213.0.0/16' },
          kubernetes: { access: { kubeconfig: undefined, namespace: '' }, gateImage: '', storageClass: undefined },
        },
        environment: { SIMULATED_PROCESSES: 'many' },
      },
      dataDirectory: directory,
      phonesOutliveDriver: false,
      clock: systemClock,
      log: silentLog,
    });
    const error = await opening.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error).with.property('message').that.contains('SIMULATED_PROCESSES');
    // Connections are accepted in order. If the driver has a connection of its own, it is known once this one is.
    const probe = connect(port, '127.0.0.1');
    await until(() => [...connections].some(({ remotePort }) => remotePort === probe.localPort));
    probe.destroy();
    await until(() => connections.size === 0);
  });
});
