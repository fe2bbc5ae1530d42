import { once } from 'node:events';
import { createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import type { PhoneFolder } from '../host/phone-folder.js';
import { PROTOCOL } from '../host/protocol.js';
import type { SimulatorLink } from './simulator-link.js';
import { SimulatorProcesses } from './simulator-processes.js';

describe('the simulator processes', () => {
  it('let the service start although one of them ends while it is being found', async () => {
    const linkTo = (): SimulatorLink => ({
      transport: createRouterTransport(() => undefined),
      isUp: async () => true,
      ensure: () => Promise.reject(new Error('the process ended')),
      close: () => undefined,
    });
    const processes = new SimulatorProcesses({
      count: 1,
      folder: { list: async () => [] } as unknown as PhoneFolder,
      linkTo,
      found: async () => [0],
      clock: systemClock,
      log: silentLog,
      onChange: () => undefined,
    });
    await processes.open();
    expect(processes.attended()).to.deep.equal([]);
    await processes.close({ quit: false });
  });

  describe('that are attended', () => {
    let clock: FakeClock;
    let quits: number;
    let processes: SimulatorProcesses;

    /** A process that is attended, and never responds to a request to quit. */
    const linkTo = (): SimulatorLink => ({
      transport: createRouterTransport((router) =>
        router.service(SimulatorService, {
          attend: async function* (_request, { signal }) {
            yield { protocol: PROTOCOL, runningPhoneIds: [] };
            await once(signal, 'abort');
          },
          quit: () => {
            quits++;
            return new Promise(() => undefined);
          },
        }),
      ),
      isUp: async () => true,
      ensure: async () => undefined,
      close: () => undefined,
    });

    beforeEach(async () => {
      clock = new FakeClock();
      quits = 0;
      processes = new SimulatorProcesses({
        ...{ count: 3, linkTo, clock, log: silentLog, onChange: () => undefined },
        folder: { list: async () => [] } as unknown as PhoneFolder,
        found: async () => [0, 1, 2],
      });
      await processes.open();
    });

    it('are waited for no longer than 30 s when they do not quit', async () => {
      let closed = false;
      const closing = processes.close({ quit: true }).then(() => (closed = true));
      await until(() => quits === 3);
      await clock.pass(29_000);
      expect(closed).to.equal(false);
      await clock.pass(2_000);
      await closing;
    });

    it('get work of no phone only while they respond, unless none does', async () => {
      const ids = Array.from({ length: 30 }, (_, at) => `sn_${at}`);
      const chosen = (): number[] => [...new Set(ids.map((id) => processes.for(id).index))].sort();
      expect(chosen()).to.deep.equal([0, 1, 2]);
      processes.at(1).isResponding = false;
      expect(chosen()).to.deep.equal([0, 2]);
      for (const index of [0, 2]) processes.at(index).isResponding = false;
      expect(chosen()).to.deep.equal([0, 1, 2]);
      await processes.close({ quit: false });
    });
  });
});
