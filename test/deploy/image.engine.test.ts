import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { programs } from '../../deploy/entrypoint/programs.js';
import { type ContainerEngine, startEngine } from '../../testing/container-engine.js';
import { freePort } from '../../testing/free-port.js';
import { connectMcp } from '../../testing/mcp-client.js';
import { releaseBefore } from '../../testing/release-before.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { toolResult } from '../clients/mcp-world.js';
import { databaseOf, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';
import { referenceOf } from '../upgrade/installation-of.js';
import { buildServiceImage } from './service-image.js';

/** A service ends within 25 s of a SIGTERM, then the engine kills it. */
const STOP_S = 30;

describe('the image of the services', function () {
  let folder: string;
  let engine: ContainerEngine;
  let image: string;
  let port: number;

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'service-image-'));
    const started = await startEngine(folder);
    if (typeof started === 'string') skip(this, started);
    engine = started;
    image = await buildServiceImage(engine, folder);
    port = await freePort();
    await writeFile(join(folder, 'mesh-token'), 'a-token-of-32-characters-for-tests\n');
  });
  after(async () => {
    await (engine as ContainerEngine | undefined)?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What deploy/compose.yaml gives every service, too. */
  const HARDENED = [...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']];
  const exec = async (...words: string[]): Promise<string> => (await engine.cli('exec', 'all', ...words)).trim();
  const isReady = (): Promise<boolean> =>
    exec('wget', '-q', '-O', '-', 'http://127.0.0.1:7010/readyz').then(
      () => true,
      () => false,
    );
  const client = async (): Promise<RestClient> => {
    const { api_key: key, base_url: url } = JSON.parse(await exec('cat', '/data/quickstart.json')) as Record<
      string,
      string
    >;
    expect(url).to.equal('http://127.0.0.1:8080/v1');
    return new RestClient(`http://127.0.0.1:${port}`, key);
  };

  it('runs everything in one process, as a user without rights, on a root that cannot be written', async () => {
    const settings = { HOST: '0.0.0.0', MESH_TOKEN_FILE: '/run/mesh-token', SIMULATED_BOOT_MS: '50' };
    const words = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const places = ['--volume', 'data:/data', '--volume', `${join(folder, 'mesh-token')}:/run/mesh-token:ro`];
    await engine.cli('run', '--detach', '--name', 'all', ...HARDENED, ...words, ...places, '--publish', `127.0.0.1:${port}:8080`, image); // prettier-ignore
    await until(isReady);
    expect(await exec('cat', '/proc/1/status')).to.match(/^Uid:\t10001\t10001\t10001\t10001$/m).and.match(/^CapEff:\t0+$/m); // prettier-ignore
    for (const path of ['/opt/cloudphone/x', '/usr/x', '/x'])
      expect(await exec('touch', path).catch(String), path).to.match(/read-only file system/i);
    expect(await engine.cli('healthcheck', 'run', 'all')).to.equal('');
  });

  it('serves phones', async () => {
    const rest = await client();
    const name = await rest.createPhone({ name: 'inside' });
    const { status, bytes } = await rest.get(`/v1/devices/${name}/screenshot`);
    expect(status).to.equal(200);
    expect(bytes.subarray(1, 4).toString()).to.equal('PNG');
    expect(await exec('cloudphone', 'admin', 'account', 'list')).to.contain('owner@localhost');
  });

  it('serves MCP, whose packages are loaded with its first message', async () => {
    const { api_key: key } = JSON.parse(await exec('cat', '/data/quickstart.json')) as Record<string, string>;
    const agent = await connectMcp(`http://127.0.0.1:${port}`, key!);
    const result = toolResult(await agent.callTool({ name: 'list_devices', arguments: {} }));
    await agent.close();
    expect(result.text).to.contain('inside');
  });

  it('has what it is made of listed with licences, and neither npm nor the tests', async () => {
    const bom = JSON.parse(await exec('cat', '/opt/cloudphone/sbom.cdx.json')) as {
      components: { name: string; licenses?: unknown[] }[];
    };
    // The bill lists what the services, the phone and the panel's page contain, and what runs it all.
    const names = bom.components.map(({ name }) => name);
    expect(names).to.include.members(['koa', 'sharp', 'react', 'node']).and.not.to.include('typescript');
    expect(bom.components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name)).to.deep.equal([]); // prettier-ignore
    const files = await exec('find', '/opt/cloudphone', '/usr/local');
    // The documentation is there as the files that are served, not as those that it was made of.
    expect(files)
      .to.contain('/opt/cloudphone/reference/dist/docs/index.html')
      .and.not.to.contain('/opt/cloudphone/docs');
    expect(files).not.to.match(/\/(npm|typescript|vite|gcc)$|dist\/.*\.test\.js$|\.d\.ts$/m);
  });

  it('ends in time, and goes on with the same data', async () => {
    const beganMs = performance.now();
    await engine.cli('stop', '--time', String(STOP_S), 'all');
    expect(performance.now() - beganMs).to.be.below(STOP_S * 1_000);
    // The process was not killed: that would be 137.
    expect((await engine.cli('inspect', '--format', '{{.State.ExitCode}}', 'all')).trim()).to.equal('0');
    await engine.cli('start', 'all');
    await until(isReady);
    const rest = await client();
    expect((await rest.get('/v1/devices/inside')).body.device.name).to.equal('inside');
  });

  it('upgrades a volume of the release before', async function () {
    const release = await releaseBefore();
    if (typeof release === 'string') skip(this, release);
    const data = join(folder, 'older');
    const before = await startInstallation({ directory: data, start: join(release.root, 'dist/start.js') });
    const older = new RestClient(before.baseUrl.replace('/v1', ''), before.key, referenceOf(release));
    await older.createPhone({ name: 'older' });
    expect(await before.stop()).to.equal(0);
    // docs/containers.md says this for a folder of the host.
    execFileSync('chown', ['-R', '10001:10001', data]);
    const settings = { HOST: '0.0.0.0', MESH_TOKEN_FILE: '/run/mesh-token', MONGODB_DATABASE: databaseOf(data) };
    const words = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const places = ['--volume', `${data}:/data`, '--volume', `${join(folder, 'mesh-token')}:/run/mesh-token:ro`];
    const upgradedPort = await freePort();
    await engine.cli('run', '--detach', '--name', 'upgraded', ...HARDENED, ...words, ...places, '--publish', `127.0.0.1:${upgradedPort}:8080`, image); // prettier-ignore
    const rest = new RestClient(`http://127.0.0.1:${upgradedPort}`, before.key);
    const stateOf = async (): Promise<string> => (await rest.get('/v1/devices/older')).body.device?.state as string;
    await until(async () => (await stateOf().catch(() => '')) === 'running');
    expect((await rest.get('/v1/devices/older/screenshot')).status).to.equal(200);
    await engine.cli('stop', '--time', String(STOP_S), 'upgraded');
  });

  it('has every service, by the first word of its command', async () => {
    const run = (word: string): Promise<string> => exec('sh', '-c', `OPS_PORT=x cloudphone ${word} 2>&1 || true`);
    // Loaded with all that they import, they report what they cannot use.
    for (const name of programs.keys())
      if (!['admin', 'gate', 'copy'].includes(name)) expect(await run(name), name).to.contain('OPS_PORT="x"');
    expect(await run('gate')).to.contain('GATE_TOKEN is missing');
    expect(await run('copy')).to.contain('Unexpected end of JSON input');
    expect(await run('gatway')).to.contain('"gatway" is not one of the programs of this image: start, gateway, ');
  });
});
