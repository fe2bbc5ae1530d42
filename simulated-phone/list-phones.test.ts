import { createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { silentLog } from '../kit/log/log.js';
import { ChangeFeed } from '../phone/change-feed.js';
import { LIST_RESPONSE_MS } from '../phone/list-response.js';
import { SimulatorService } from '../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { FakeClock, settled } from '../testing/fake-clock.js';
import { SimulatedDriver } from './driver.js';
import type { PhoneFolder } from './host/phone-folder.js';
import { PROTOCOL } from './host/protocol.js';
import type { SimulatorLink } from './processes/simulator-link.js';
import { SimulatorProcesses } from './processes/simulator-processes.js';

const ENDPOINT = { host: '127.0.0.1', port: 5555, identity: 'A1/1' };

/** `well`, `ended` and `silent` run in the processes 0, 0 and 1. */
const PROCESS_OF: Record<string, number> = { well: 0, ended: 0, silent: 1 };

describe('the list of simulated phones', () => {
  let clock: FakeClock;
  let driver: SimulatedDriver;
  /** The indices of the processes that cannot be reached. */
  let unreached: Set<number>;
  /** Functions that each end an attempt to reach one of these processes. */
  let reaching: ((error: Error) => void)[];

  beforeEach(() => {
    clock = new FakeClock();
    unreached = new Set();
    reaching = [];
    const changes = new ChangeFeed();
    const folder = {
      list: async () => ['well', 'ended', 'silent', 'off', 'unreadable'],
      inspect: async (phoneId: string) => {
        if (phoneId === 'unreadable') throw new Error('EIO');
        const process = PROCESS_OF[phoneId];
        return process === undefined ? { status: { state: 'stopped' } } : { process };
      },
    } as unknown as PhoneFolder;
    const processes = new SimulatorProcesses({
      ...{ count: 2, folder, clock, log: silentLog, linkTo, found: async () => [] },
      onChange: (change) => changes.publish(change),
    });
    const measureCapacity = async () => ({ freeMemoryMb: 0, freeDiskMb: 0 });
    driver = new SimulatedDriver({ ...{ folder, processes, changes, measureCapacity, clock }, log: silentLog, phonesOutliveDriver: true }); // prettier-ignore
  });
  afterEach(async () => {
    for (const giveUp of reaching) giveUp(new Error('the process did not start'));
    await driver.close();
  });

  /** Process 0 lists the phone `well`; process 1 greets, and never lists its own. */
  function linkTo(index: number): SimulatorLink {
    const phones = [{ phoneId: 'well', state: 'running', endpoint: ENDPOINT }];
    const transport = createRouterTransport((router) =>
      router.service(SimulatorService, {
        attend: async function* (_request, { signal }) {
          yield { protocol: PROTOCOL, runningPhoneIds: [] };
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
        listPhones: () => (index === 0 ? { phones } : new Promise<never>(() => undefined)),
      }),
    );
    const reach = () => new Promise<never>((_, reject) => reaching.push(reject));
    const ensure = () => (unreached.has(index) ? reach() : Promise.resolve());
    return { transport, isUp: async () => true, ensure, close: () => undefined };
  }

  /** Lists the phones, which waits for a process until its time is over. */
  async function list(): Promise<Record<string, unknown>> {
    let isDone = false;
    const listing = driver.list().finally(() => (isDone = true));
    await clock.pass(LIST_RESPONSE_MS - 1_000, 1_000);
    expect(isDone).to.equal(false);
    await clock.pass(1_000, 1_000);
    return Object.fromEntries(await listing);
  }

  const expected = {
    well: { state: 'running', endpoint: ENDPOINT },
    // The process of this phone does not list it any more.
    ended: { state: 'unknown' },
    silent: { state: 'unknown' },
    off: { state: 'stopped' },
    unreadable: { state: 'unknown' },
  };

  it('has those of the other processes although one process does not respond', async () => {
    expect(await list()).to.deep.equal(expected);
  });

  it('has them although one process is not even reached', async () => {
    unreached.add(1);
    expect(await list()).to.deep.equal(expected);
  });

  it('fails when it is aborted', async () => {
    const aborting = new AbortController();
    const failure = driver.list(aborting.signal).catch((error: unknown) => error);
    await settled();
    aborting.abort(new Error('closing'));
    expect(await failure).to.have.property('message', 'closing');
  });
});
