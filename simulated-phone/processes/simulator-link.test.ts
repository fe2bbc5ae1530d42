import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { lockFolder } from '../../kit/files/folder-lock.js';
import { SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { processFolder } from '../host/process-folder.js';
import { linkToProcess } from './simulator-link.js';

describe('linkToProcess', function () {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-link-'));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function log(): string {
    try {
      return readFileSync(join(processFolder(directory, 0), 'simulator.log'), 'utf8');
    } catch {
      return '';
    }
  }

  it('starts the simulator as soon as the one before it has let go of the folder', async () => {
    // This process acts as a simulator that no longer listens and is still saving its phones.
    const before = lockFolder(processFolder(directory, 0));
    const link = linkToProcess({ directory, index: 0, clock: systemClock, environment: { PATH: process.env['PATH'] } });
    const ready = link.ensure();
    while (!log().includes('is in use')) await systemClock.sleep(10);
    before.close();
    await ready;
    const simulator = createClient(SimulatorService, link.transport);
    expect((await simulator.inspectPhone({ phoneId: 'phone_none' })).status?.state).to.equal('absent');
    await simulator.quit({});
    link.close();
  });
});
