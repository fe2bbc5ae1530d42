import { expect } from 'chai';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { until } from '../../testing/until.js';
import { type Called, type Calling, startCli } from '../cli/program.js';
import { shellOf } from '../network/phone-shell.js';
import { DEMO, faultsOf, type KilledServicesWorld, startKilledServicesWorld } from './killed-services-world.js';

/** Each program must have ended, or go on, so long after the kill or after the service is back, ms. */
const BOUND_MS = 60_000;

/** The tag of the lines of these tests. */
const TAG = 'Killed';

describe('kill -9 while the command line follows a log', () => {
  let world: KilledServicesWorld;
  let connection: MongoConnection;
  const calls: Calling[] = [];
  let written = 0;

  before(async () => {
    world = await startKilledServicesWorld();
    connection = await connectMongo({ url: world.services.databaseUrl, database: 'cloudphone', log: silentLog });
  });
  afterEach(async () => {
    for (const { child, ended } of calls.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });
  after(async () => {
    await connection.close();
    await world.close();
  });

  /** Has the phone write a line, and returns its text. */
  async function write(): Promise<string> {
    const text = `line-${++written}`;
    await shellOf(connection.database, DEMO, `log -t ${TAG} ${text}`);
    return text;
  }

  /** Begins to follow the log. Returns with the first line. */
  async function follow(): Promise<{ calling: Calling; lines: () => string[] }> {
    const first = await write();
    const calling = startCli(['logs', DEMO, '--follow', '--lines', '1', '--tag', TAG], world.environment);
    calls.push(calling);
    const lines = (): string[] => calling.stdout().match(/line-\d+/g) ?? [];
    await until(() => lines().includes(first) || calling.child.exitCode !== null, BOUND_MS);
    expect(lines(), calling.stderr()).to.deep.equal([first]);
    return { calling, lines };
  }

  /** Waits until the program has ended, and returns how. */
  async function endOf({ ended }: Calling): Promise<Called> {
    let called: Called | undefined;
    void ended.then((end) => (called = end));
    await until(() => called !== undefined, BOUND_MS);
    return called!;
  }

  const followed = async (): Promise<number> => (await world.services.gateway.scrape()).sum('http_open_sockets') ?? -1;

  for (const name of ['gateway', 'screen', 'device'] as const)
    it(`of the ${name} service loses no line, and repeats none`, async () => {
      const { calling, lines } = await follow();
      const [seen] = lines();
      const before = await write();
      await until(() => lines().includes(before), BOUND_MS);
      await world.services.kill(name);
      const meanwhile = await write();
      await world.services.start(name);
      const after = await write();
      await until(() => lines().includes(after) || calling.child.exitCode !== null, BOUND_MS);
      expect(lines(), calling.stderr()).to.deep.equal([seen, before, meanwhile, after]);
      expect(faultsOf(world.services)).to.deep.equal([]);
    });

  it('of the phone ends it with the reason', async () => {
    const { calling } = await follow();
    await world.cutPower();
    const { status, stderr } = await endOf(calling);
    expect([status, stderr]).to.deep.equal([
      5,
      `cloudphone: The device "${DEMO}" is failed, not running. Call POST /v1/devices/${DEMO}/start first.\n`,
    ]);
    await world.startPhone();
    await follow();
    expect(faultsOf(world.services)).to.deep.equal([]);
  });

  it('of the program ends its stream', async () => {
    await until(async () => (await followed()) === 0, BOUND_MS);
    const { calling } = await follow();
    expect(await followed()).to.equal(1);
    calling.child.kill('SIGKILL');
    await until(async () => (await followed()) === 0, BOUND_MS);
    expect(faultsOf(world.services)).to.deep.equal([]);
  });
});
