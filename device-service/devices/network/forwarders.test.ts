import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { unhandledRejections } from '../../../testing/unhandled-rejections.js';
import type { ListedExit } from './exits-file.js';
import { Exits } from './exits.js';
import { Forwarders } from './forwarders.js';
import { WayOut } from './way-out.js';

const LISTED: ListedExit = { name: 'home', type: 'direct', country: 'us', timezones: ['America/New_York'] };
const EXIT = { type: 'direct', country: 'us', timezone: 'America/New_York', source: 'home' };

describe('the forwarders of a host', () => {
  let directory: string;
  let listed: readonly ListedExit[];
  let forwarders: Forwarders;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-forwarders-'));
    listed = [LISTED];
    const way = new WayOut(systemClock, { allowPrivateTargets: true });
    forwarders = new Forwarders({ directory, exits: new Exits(() => listed), way, log: silentLog });
  });

  afterEach(async () => {
    await forwarders.closeAll();
    rmSync(directory, { recursive: true, force: true });
  });

  it('cut the connections of a phone whose exit is gone while the forwarder of another phone fails to listen', async () => {
    const [broken, good] = ['ph_broken', 'ph_good'];
    const { forwarder } = forwarders.phoneExit(good, EXIT);
    const unhandled = await unhandledRejections(async () => {
      await forwarders.open(good, EXIT);
      const client: Socket = connect(forwarder ?? '');
      client.on('error', () => undefined);
      await once(client, 'connect');
      client.write('CONNECT 127.0.0.1:1 HTTP/1.1\r\n');
      // Without the directory, no socket can be made; the exits change while that is tried.
      rmSync(directory, { recursive: true });
      const failed = forwarders.open(broken, EXIT).catch((error: unknown) => error);
      listed = [];
      const changed = forwarders.exitsChanged();
      await new Promise((resolve) => client.once('close', resolve));
      await changed;
      expect(await failed).to.be.instanceOf(Error);
    });
    expect(unhandled).to.deep.equal([]);
  });
});
