import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ComposeProject } from '../../testing/compose/docker-compose.js';
import { type ContainerEngine, startEngine } from '../../testing/container-engine.js';
import { runProgram } from '../../testing/container-engine/engine.js';
import { freePort } from '../../testing/free-port.js';
import { isInstalled } from '../../testing/is-installed.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { AdbClient } from '../relay/adb-client.js';
import { loadCaddyImage } from './caddy-image.js';
import { buildServiceImage } from './service-image.js';

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));
/** A name for which Caddy makes a certificate of its own authority. */
const DOMAIN = 'phones.local';

/** Serves the embedded MongoDB on TCP. */
const STAND_IN = `
  const { connect, createServer } = require('node:net');
  const log = { info() {}, warn: console.warn, error: console.error };
  import('/opt/cloudphone/dist/embedded-mongo/embedded-mongo.js').then(async ({ startEmbeddedMongo }) => {
    const database = await startEmbeddedMongo({ directory: '/data/db', log });
    createServer((client) => {
      const server = connect('/data/db/mongodb.sock');
      client.pipe(server).pipe(client);
      for (const one of [client, server]) one.on('error', () => (client.destroy(), server.destroy()));
    }).listen(27017);
    process.on('SIGTERM', () => database.close().then(() => process.exit()));
  });`;
const IS_SERVING = `node --eval "require('net').connect(27017).on('connect', () => process.exit(0)).on('error', () => process.exit(1))"`;

/** On loopback. */
interface Ports {
  http: number;
  https: number;
  /** Port of the first relay. */
  adb: number;
}

/**
 * The differences from deploy/compose.yaml:
 * - MongoDB, whose image is in a registry, is the embedded server in a container of its own.
 * - Ports are published on loopback, at numbers that nothing else of the machine uses.
 * - Phones boot at once.
 * - The status service, which does not know Caddy's own authority, does not verify its certificate.
 */
function differences({ http, https, adb }: Ports): string {
  return `
services:
  caddy: { ports: !override ['127.0.0.1:${http}:80', '127.0.0.1:${https}:443'] }
  relay: { ports: !override ['127.0.0.1:${adb}:6500'] }
  device: { environment: { SIMULATED_BOOT_MS: '50' } }
  status: { environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }
  mongo:
    entrypoint: !override ${JSON.stringify(['node', '--eval', STAND_IN])}
    user: '0:0'
    healthcheck: { test: !override ${JSON.stringify(['CMD-SHELL', IS_SERVING])} }
`;
}

describe('deploy/compose.yaml on an engine', function () {
  let folder: string;
  let engine: ContainerEngine;
  let project: ComposeProject;
  let ports: Ports;
  let key = '';
  const stopChecks = new AbortController();

  before(async function () {
    if (!isInstalled('caddy')) skip(this, 'needs the program caddy (Debian package caddy)');
    folder = await mkdtemp(join(tmpdir(), 'compose-'));
    const started = await startEngine(join(folder, 'engine'));
    if (typeof started === 'string') skip(this, started);
    engine = started;
    const files = ['compose.yaml', 'differences.yaml'].map((name) => join(folder, name));
    const images = { CLOUDPHONE_IMAGE: 'cloudphone/service:test', CADDY_IMAGE: 'cloudphone/caddy:test' };
    const found = ComposeProject.of(engine, files, { DOMAIN, ...images, MONGO_IMAGE: images.CLOUDPHONE_IMAGE });
    if (typeof found === 'string') skip(this, found);
    project = found;
    ports = { http: await freePort(), https: await freePort(), adb: await freePort() };
    for (const name of ['compose.yaml', 'Caddyfile', 'new-secrets.sh'])
      await cp(join(DEPLOY, name), join(folder, name));
    await writeFile(join(folder, 'differences.yaml'), differences(ports));
    await runProgram('sh', [join(folder, 'new-secrets.sh')], process.env);
    // The stand-in has neither users nor a replica set.
    await writeFile(join(folder, 'secrets/mongodb-url'), 'mongodb://mongo:27017/?directConnection=true\n');
    expect(await buildServiceImage(engine, folder)).to.equal(images.CLOUDPHONE_IMAGE);
    await loadCaddyImage(engine, folder);
    if (engine.kind === 'podman') void runHealthChecks();
  });
  after(async () => {
    stopChecks.abort();
    await (engine as ContainerEngine | undefined)?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /**
   * Podman has them run by systemd, which is not everywhere; Docker runs them itself. The checks run as often as the file says.
   */
  async function runHealthChecks(): Promise<void> {
    while (!stopChecks.signal.aborted) {
      await engine.cli('healthcheck', 'run', 'cloudphone-mongo-1').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
  }

  const curl = async (path: string, ...words: string[]): Promise<string> => {
    const place = ['--resolve', `${DOMAIN}:${ports.https}:127.0.0.1`, '-sk', '--max-time', '30'];
    const login = key === '' ? [] : ['-H', `Authorization: Bearer ${key}`];
    const url = `https://${DOMAIN}:${ports.https}${path}`;
    return (await promisify(execFile)('curl', [...place, ...login, ...words, url], { maxBuffer: 16 * 1024 ** 2 }))
      .stdout;
  };
  const json = async (path: string, ...words: string[]) => {
    const body = JSON.parse(await curl(path, ...words));
    expect(body, `${path}: ${JSON.stringify(body)}`).not.to.have.property('error');
    return body;
  };
  const post = (path: string, body: object) =>
    json(path, '-H', 'Content-Type: application/json', '-d', JSON.stringify(body));
  const codeOf = (path: string): Promise<string> =>
    curl(path, '-o', '/dev/null', '-w', '%{http_code}').catch(() => 'none');
  const isTrue = (): boolean => true;
  const isDone = async (id: string): Promise<void> => {
    expect((await json(`/v1/jobs/${id}?wait_s=60`)).job).to.include({ state: 'done' });
  };

  it('starts all services, behind https', async () => {
    await project.run('up', '--detach', '--no-build');
    await until(async () => (await codeOf('/v1/prices')) === '200');
    expect(await curl('/', '-I')).to.match(/^strict-transport-security: max-age=31536000\r$/im);
    const place = ['--resolve', `${DOMAIN}:${ports.http}:127.0.0.1`];
    const plain = await promisify(execFile)('curl', ['-si', ...place, `http://${DOMAIN}:${ports.http}/v1/models`]);
    expect(plain.stdout)
      .to.match(/^HTTP\/1.1 308 /)
      .and.match(new RegExp(`^location: https://${DOMAIN}/v1/models\r$`, 'im'));
  });

  it('takes an account of the operator, and serves phones', async () => {
    const admin = (...words: string[]) => project.run('run', '--rm', '--no-TTY', 'admin', ...words);
    await admin('account', 'create', '--email', 'ann@example.com', '--password', 'correct horse battery');
    const made = await admin('key', 'create', '--account', 'ann@example.com', '--name', 'ci', '--scope', 'control', '--devices', '*'); // prettier-ignore
    key = /\bcp_\w+/.exec(made)?.[0] ?? '';
    const network = { type: 'direct', country: 'us' };
    const { job } = await post('/v1/devices', { name: 'inside', model: 'phone-720p', network, plan: 'minute' });
    await isDone(job.id);
    const { observation } = await post('/v1/devices/inside/act', { open_app: { app: 'Notes' }, observe: 'elements' });
    expect(observation.app).to.equal('com.cloudphone.notes');
  });

  it('lets adb through a relay', async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    // The engine's network, as which connections from this machine come.
    const { adb: relay } = await post('/v1/devices/inside/adb', { allow: ['10.0.0.0/8', '172.16.0.0/12'] });
    expect([relay.host, relay.port]).to.deep.equal([DOMAIN, 6500]);
    const adb = await AdbClient.start();
    try {
      const serial = await adb.login({ host: '127.0.0.1', port: ports.adb, code: relay.code });
      expect((await adb.run('-s', serial, 'shell', 'getprop', 'ro.product.model')).stdout).to.equal('Phone 720p\n');
    } finally {
      await adb.close();
    }
  });

  it('shows the page of its status', async () => {
    expect(await curl('/status'))
      .to.contain('REST API')
      .and.to.contain('Live screens');
  });

  it('serves on while one of the gateways is stopped and started', async () => {
    const codes: string[] = [];
    const over = new AbortController();
    const calls = (async () => {
      while (!over.signal.aborted) {
        codes.push(await codeOf('/v1/prices'));
        // An address may send 60 requests a minute.
        await new Promise((resolve) => setTimeout(resolve, 1_100));
      }
    })();
    await project.run('stop', 'gateway-1');
    await project.run('start', 'gateway-1');
    const readyz = ['wget', '-q', '-O', '-', 'http://127.0.0.1:7010/readyz'];
    await until(() => engine.cli('exec', 'cloudphone-gateway-1-1', ...readyz).then(isTrue, () => false));
    await project.run('stop', 'gateway-2');
    over.abort();
    await calls;
    expect(new Set(codes)).to.deep.equal(new Set(['200']));
    await project.run('start', 'gateway-2');
  });

  it('keeps accounts, keys and phones when it is taken down and brought up again', async () => {
    await project.run('down');
    await project.run('up', '--detach', '--no-build');
    await until(async () => (await curl('/v1/devices/inside')).includes('"state":"running"'));
    const { observation } = await json('/v1/devices/inside/observe?screenshot=none');
    expect(observation.app).to.match(/^com\.cloudphone\./);
  });
});
