import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Called, type Calling, startCli } from '../cli/program.js';
import { DEMO, faultsOf, type KilledServicesWorld, startKilledServicesWorld } from './killed-services-world.js';

/** Each program must have ended so long after the kill, or after the service is back, ms. */
const BOUND_MS = 120_000;

/** Length of a recording before the kill, ms. */
const RECORDED_MS = 2_000;

const PATH = `/v1/devices/${DEMO}/recordings`;

const run = promisify(execFile);

/** A recording, as the API has it. */
interface Listed {
  id: string;
  state: string;
  reason?: string;
  duration_ms: number;
}

describe('kill -9 during a recording by the command line', () => {
  let world: KilledServicesWorld | undefined;
  let file: string;
  const calls: Calling[] = [];

  before(async function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    world = await startKilledServicesWorld();
    file = join(world.folder, 'demo.mp4');
  });
  beforeEach(() => rmSync(file, { force: true }));
  afterEach(async () => {
    for (const { child, ended } of calls.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });
  after(() => world?.close());

  /** Begins a recording, and waits until it has a few seconds. Returns the call and a function that returns the recording as it is. */
  async function record(): Promise<{ calling: Calling; now: () => Promise<Listed> }> {
    const { api, environment } = world!;
    const calling = startCli(['record', DEMO, '-o', file], environment);
    calls.push(calling);
    await until(() => calling.stderr().includes('is recorded') || calling.child.exitCode !== null, BOUND_MS);
    const { recordings } = (await api.get(PATH)).body as { recordings: Listed[] };
    const [{ id, state }] = recordings as [Listed];
    expect(state, calling.stderr()).to.equal('recording');
    const now = async (): Promise<Listed> => (await api.get(`${PATH}/${id}`)).body.recording as Listed;
    await until(async () => (await now()).duration_ms >= RECORDED_MS, BOUND_MS);
    return { calling, now };
  }

  /** Waits until the program has ended, and returns how. */
  async function endOf({ ended }: Calling): Promise<Called> {
    let called: Called | undefined;
    void ended.then((end) => (called = end));
    await until(() => called !== undefined, BOUND_MS);
    return called!;
  }

  /** Checks that a file is a video that can be played to its end. */
  async function plays(path: string): Promise<void> {
    const words = ['-v', 'error', '-count_frames', '-show_entries', 'format=duration', '-of', 'csv=p=0', path];
    const { stdout, stderr } = await run('ffprobe', words);
    expect(stderr).to.equal('');
    expect(1_000 * Number(stdout)).to.be.at.least(RECORDED_MS);
  }

  /** Checks that nothing but whole files is left, and that another recording can begin and end. */
  async function recordsAgain(): Promise<void> {
    rmSync(file, { force: true });
    const { calling } = await record();
    calling.child.kill('SIGINT');
    expect(await endOf(calling)).to.include({ status: 0 });
    await plays(file);
    const { recordings } = (await world!.api.get(PATH)).body as { recordings: Listed[] };
    expect(recordings.filter(({ state }) => state === 'recording')).to.deep.equal([]);
    expect((await world!.services.device.scrape()).sum('recordings_under_way')).to.equal(0);
    expect(faultsOf(world!.services)).to.deep.equal([]);
  }

  it('of the gateway is survived by it', async () => {
    const { calling, now } = await record();
    await world!.killAndStart('gateway');
    const { duration_ms: before } = await now();
    await until(async () => (await now()).duration_ms > before + RECORDED_MS, BOUND_MS);
    expect(calling.child.exitCode).to.equal(null);
    calling.child.kill('SIGINT');
    expect(await endOf(calling)).to.include({ status: 0 });
    expect(await now()).to.include({ state: 'ready' });
    await plays(file);
    await recordsAgain();
  });

  it('of a gateway that stays away ends the program, which says how to have the recording', async () => {
    const { calling, now } = await record();
    await world!.services.kill('gateway');
    const { status, stderr } = await endOf(calling);
    expect(status).to.equal(3);
    const [, path = ''] = /The recording goes on there\. End it with POST (\S+)\/stop, then get \S+\/content\./.exec(
      stderr,
    )!;
    await world!.services.start('gateway');
    expect(await now()).to.include({ state: 'recording' });
    expect((await world!.api.post(`${path}/stop`, {})).body.recording).to.include({ state: 'ready' });
    writeFileSync(file, (await world!.api.get(`${path}/content`)).bytes);
    await plays(file);
    await recordsAgain();
  });

  for (const name of ['screen', 'device'] as const)
    it(`of the ${name} service interrupts it, and what there is of it is saved`, async () => {
      const { calling, now } = await record();
      await world!.killAndStart(name);
      const { status, stderr } = await endOf(calling);
      expect(await now()).to.include({ state: 'interrupted' });
      expect([status, stderr]).to.deep.equal([1, `cloudphone: ${DEMO} is recorded. Ctrl-C ends it.\ncloudphone: ${(await now()).reason!}\n`]); // prettier-ignore
      await plays(file);
      await world!.startPhone();
      await recordsAgain();
    });

  it('of the phone ends it, and it is saved', async () => {
    const { calling, now } = await record();
    await world!.cutPower();
    const { status, stderr } = await endOf(calling);
    expect([status, stderr]).to.deep.equal([0, `cloudphone: ${DEMO} is recorded. Ctrl-C ends it.\n`]);
    expect(await now()).to.include({ state: 'ready' });
    await plays(file);
    await world!.startPhone();
    await recordsAgain();
  });

  it('of the program has it go on, until it is stopped', async () => {
    const { calling, now } = await record();
    calling.child.kill('SIGKILL');
    await endOf(calling);
    const { id, duration_ms: before } = await now();
    await until(async () => (await now()).duration_ms > before, BOUND_MS);
    expect(existsSync(file)).to.equal(false);
    const stopped = (await world!.api.post(`${PATH}/${id}/stop`, {})).body.recording as Listed;
    expect(stopped.state).to.equal('ready');
    await recordsAgain();
  });
});
