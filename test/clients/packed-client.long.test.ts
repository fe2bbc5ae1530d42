import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CloudPhone, verifyWebhook } from '@cloudphone/client';
import { expect } from 'chai';
import { productVersion } from '../../deploy/release/versions.js';
import { installPacked, run, succeed } from '../../testing/packed-package.js';
import { signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';
import { ROOT } from './mcp-world.js';

const PROGRAM = `
import { CloudPhone, CloudPhoneError, JobFailedError, verifyWebhook, type Job } from '@cloudphone/client';

const [url = '', key = '', hook = ''] = process.argv.slice(2);
const phone = new CloudPhone({ url, key });
const { job, device } = await phone.post('/v1/devices', {
  params: { header: { 'Idempotency-Key': 'packed' } },
  body: { name: 'packed', model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute' },
});
const ended: Job = await phone.waitForJob(job);
const picture: ArrayBuffer = await phone.get('/v1/devices/{name}/screenshot', {
  params: { path: { name: device.name }, query: { format: 'jpeg' } },
  parseAs: 'arrayBuffer',
});
const isJpeg = new Uint8Array(picture)[0] === 0xff;
const { devices } = await phone.get('/v1/devices', { params: { query: { state: 'running' } } });
let kind: string | undefined;
try {
  await phone.post('/v1/devices/{name}/start', { params: { path: { name: 'packed' } } });
} catch (error) {
  if (!(error instanceof CloudPhoneError) || error instanceof JobFailedError) throw error;
  if (error.kind === 'busy' && error.status === 409 && error.requestId !== undefined) kind = error.kind;
}
let finished: string | undefined;
for await (const event of phone.events({ types: ['job.finished'], device: device.name, lastEventId: '000000000000' })) {
  if (event.event === 'job.finished') finished = event.job.kind;
  break;
}
const genuine = await verifyWebhook(new Uint8Array(), hook, key);
const { adb } = await phone.delete('/v1/devices/{name}/adb', { params: { path: { name: 'packed' } } });
console.log(JSON.stringify({ ended: ended.state, isJpeg, devices: devices.map(({ name }) => name), kind, finished, genuine, adb: adb.enabled }));
`;

/** Each is refused by the compiler, for one reason. */
const WRONG = [
  `await phone.get('/v1/device');`,
  `await phone.get('/v1/devices/{name}');`,
  `await phone.get('/v1/devices', { params: { query: { state: 'sleeping' } } });`,
  `await phone.post('/v1/devices', { body: { model: 'm', network: { type: 'direct', country: 'us' }, plan: 'weekly' } });`,
  `(await phone.get('/v1/devices')).devices[0].colour;`,
  `phone.events({ types: ['job.begun'] });`,
];

describe('the client, packed and installed in a program', function () {
  // A package manager and a compiler run, on machines that do other things too.
  this.timeout(300_000);
  let world: World;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-client-'));
    world = await startWorld();
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('holds nothing but itself, compiles in strict mode, and makes and uses a device', async () => {
    const { program, tarball } = await installPacked('client', folder, { built: true });
    expect(tarball).to.equal(`cloudphone-client-${productVersion(ROOT)}.tgz`);
    expect(readdirSync(join(program, 'node_modules')).filter((name) => !name.startsWith('.'))).to.have.members([
      ...['@cloudphone', 'openapi-fetch', 'openapi-typescript-helpers'],
    ]);

    writeFileSync(join(program, 'program.ts'), PROGRAM + 'declare const process: { argv: string[] };\n');
    const head = `import { CloudPhone } from '@cloudphone/client';\nconst phone = new CloudPhone({ url: 'http://x/v1', key: 'k' });\n`;
    WRONG.forEach((text, index) => writeFileSync(join(program, `wrong-${index}.ts`), head + text));
    const strict = [
      '--strict',
      '--noUncheckedIndexedAccess',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      'false',
    ];
    const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    const wrong = WRONG.map((_, index) => `wrong-${index}.ts`);
    const { printed: faults } = await run(
      process.execPath,
      [tsc, ...strict, ...target, 'program.ts', ...wrong],
      program,
    );
    const named = new Set([...faults.matchAll(/^(\S+?)\(/gm)].map(([, file]) => file));
    expect([...named], faults).to.have.members(wrong);

    const printed = await succeed(process.execPath, ['program.js', `${world.mesh.url}/v1`, world.key, '0'], program);
    expect(JSON.parse(printed)).to.deep.equal({
      ...{
        ended: 'done',
        isJpeg: true,
        devices: ['packed'],
        kind: 'busy',
        finished: 'create',
        genuine: false,
        adb: false,
      },
    });
  });

  it('verifies requests that the service signs', async () => {
    const receiver = createServer();
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const received = once(receiver, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const panel = await signIn(world);
    const hook = { name: 'hook', scope: 'control', devices: ['*'], webhook_url: url };
    const key = (await panel.ask('POST', '/v1/keys', hook)).body.key.key as string;
    await new CloudPhone({ url: `${world.mesh.url}/v1`, key }).post('/v1/webhooks/test');
    const [request, response] = await received;
    const body = Buffer.concat(await request.toArray());
    const signature = String(request.headers['x-service-signature']);
    response.writeHead(204, { connection: 'close' }).end();
    receiver.close();
    expect(await verifyWebhook(body, signature, key)).to.equal(true);
    expect(await verifyWebhook(Buffer.concat([body, Buffer.from(' ')]), signature, key)).to.equal(false);
  });
});
