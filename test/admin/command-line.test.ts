import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Code, createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { type Installation, startInstallation, removeData } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const main = fileURLToPath(new URL('../../admin/main.js', import.meta.url));

describe("the operator's command line", function () {
  let directory: string;
  let running: Installation;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-admin-'));
    running = await startInstallation({ directory, start });
  });
  after(async () => {
    await running.stop();
    await removeData(directory);
  });

  async function admin(
    args: string[],
    { input = '', environment = {} }: { input?: string; environment?: Record<string, string> } = {},
  ): Promise<{ status: number | null; out: string; error: string }> {
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, DATA_DIR: directory, ...environment },
    });
    let [out, error] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    child.stdin.end(input);
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { status, out, error };
  }

  const json = async (args: string[]): Promise<any> => JSON.parse((await admin([...args, '--json'])).out); // eslint-disable-line @typescript-eslint/no-explicit-any -- the output for programs is tested

  it('prints a link for a new password without a mail server, and says that there is none', async () => {
    const email = 'link@example.com';
    await admin(['account', 'create', '--email', email, '--password', 'correct horse']);
    const { out } = await admin(['account', 'password-link', '--email', email]);
    const token = /^\/reset#(\S+) \(after the address of the control panel\)\nIt works once, until 20/.exec(out)?.[1];
    const body = { token, new_password: 'staple battery horse' };
    const anyone = new RestClient(running.baseUrl.replace(/\/v1$/, ''), undefined);
    expect((await anyone.post('/v1/account/password/reset/confirm', body)).status).to.equal(204);
    const signedIn = await anyone.post('/v1/session', { email, password: 'staple battery horse' });
    expect(signedIn.status).to.equal(201);
    const nobody = await admin(['account', 'password-link', '--email', 'nobody@example.com']);
    expect(nobody.error).to.contain('Nobody signs in as "nobody@example.com"');
    const test = await admin(['mail', 'test', '--to', email]);
    expect(test.status).not.to.equal(0);
    expect(test.error).to.contain('set SMTP_URL, MAIL_FROM and PUBLIC_URL');
  });

  it('is let in by the token in the data folder alone, which no other user of the machine can read', async () => {
    const { grpc, meshToken } = running;
    const toDevice = (token: string | undefined) =>
      connectTo({ url: `http://${grpc.device}`, service: 'the device service', meshToken: token });
    for (const token of [undefined, 'another token of at least 32 characters']) {
      const refused = await createClient(AdminService, toDevice(token))
        .listAccounts({})
        .then(
          () => undefined,
          (error: unknown) => (error as Error).cause,
        );
      expect(refused).to.have.property('code', Code.PermissionDenied);
    }
    const { accounts } = await createClient(AdminService, toDevice(meshToken)).listAccounts({});
    expect(accounts).not.to.be.empty;
    expect(statSync(join(directory, 'mesh-token')).mode & 0o777).to.equal(0o600);
    const headers = { authorization: `Bearer ${running.key}` };
    const { devices } = await createClient(DeviceService, toDevice(undefined)).listDevices({}, { headers });
    expect(devices).to.deep.equal([]);
  });

  it('says what to set when the service refuses it', async () => {
    const environment = { MESH_TOKEN: 'another token of at least 32 characters' };
    const { status, out, error } = await admin(['account', 'list'], { environment });
    expect({ status, out }).to.deep.equal({ status: 1, out: '' });
    expect(error).to.contain('MESH_TOKEN').and.to.contain('DATA_DIR').and.not.to.contain('wrong on our side');
  });

  it('makes accounts, with the password given or on standard input', async () => {
    const made = await json(['account', 'create', '--email', 'a@example.com', '--password', 'correct horse']);
    expect(made.account).to.deep.include({
      email: 'a@example.com',
      balance: '0.00',
      trial: { state: 'unused', minutes_left: 30 },
    });
    const piped = await admin(['account', 'create', '--email', 'b@example.com'], { input: 'from a pipe\n' });
    expect(piped).to.deep.equal({ status: 0, out: 'b@example.com  balance 0.00 USD\n', error: '' });
    const api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), undefined);
    expect((await api.post('/v1/session', { email: 'b@example.com', password: 'from a pipe' })).status).to.equal(201);
  });

  it('replaces a lost password', async () => {
    const words = ['account', 'password', '--email'];
    const replaced = await admin([...words, 'b@example.com'], { input: 'another one\n' });
    expect(replaced).to.deep.equal({
      status: 0,
      out: "b@example.com has a new password; the person's sessions have ended.\n",
      error: '',
    });
    const api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), undefined);
    const signIn = (password: string) => api.post('/v1/session', { email: 'b@example.com', password });
    expect([(await signIn('from a pipe')).status, (await signIn('another one')).status]).to.deep.equal([401, 201]);
    const nobody = await admin([...words, 'nobody@example.com', '--password', 'another one']);
    expect([nobody.status, nobody.error]).to.deep.equal([1, 'Nobody signs in as "nobody@example.com".\n']);
  });

  it('credits and lists accounts', async () => {
    const credited = await json(['account', 'credit', '--email', 'a@example.com', '--amount', '5.00']);
    expect(credited.account.balance).to.equal('5.00');
    const { accounts } = await json(['account', 'list']);
    expect(accounts.map(({ email }: { email: string }) => email)).to.deep.equal([
      'owner@localhost',
      'link@example.com',
      'a@example.com',
      'b@example.com',
    ]);
    expect((await admin(['account', 'list'])).out).to.match(
      /^E-MAIL +BALANCE +TRIAL MINUTES +STATE\nowner@localhost +10.00 +\d+ +active\n/,
    );
  });

  it('makes keys that work, shows them once, and revokes them', async () => {
    const words = ['key', 'create', '--account', 'a@example.com', '--name', 'ci', '--scope', 'control'];
    const { status, out } = await admin([...words, '--devices', '*']);
    expect(status).to.equal(0);
    expect(out).to.match(/^cp_[A-Za-z0-9]{40,}\n$/);
    const api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), out.trim());
    expect((await api.get('/v1/account')).body.account.email).to.equal('a@example.com');
    const { keys } = await json(['key', 'list', '--account', 'a@example.com']);
    expect(keys).to.have.length(1);
    expect(keys[0]).to.include({ name: 'ci', scope: 'control', prefix: out.slice(0, 8) });
    expect(JSON.stringify(keys)).not.to.contain(out.trim());
    expect((await admin(['key', 'revoke', '--id', keys[0].id as string])).status).to.equal(0);
    expect((await admin(['key', 'revoke', '--id', keys[0].id as string])).status).to.equal(1);
  });

  it('lists devices and jobs of all accounts', async () => {
    const api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
    await api.createPhone({ name: 'seen' });
    const { devices } = await json(['device', 'list']);
    expect(devices[0]).to.include({ account: 'owner@localhost' });
    expect(devices[0].device).to.include({ name: 'seen', state: 'running' });
    expect((await json(['job', 'list', '--state', 'running'])).jobs).to.deep.equal([]);
    const { jobs } = await json(['job', 'list']);
    expect(jobs[0].job).to.include({ kind: 'create', state: 'done', device: 'seen' });
    const [heads, first] = (await admin(['job', 'list'])).out.split('\n');
    expect(heads).to.match(/^ACCOUNT +JOB +KIND +STATE +DEVICE +BEGUN +ENDED +ERROR$/);
    expect(first).to.match(/^owner@localhost +job_\w+ +create +done +seen +20\d\d-\S+Z +20\d\d-\S+Z *$/);
  });

  it('stops and deletes a device of an account, and names its own commands in errors', async () => {
    const api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
    const words = ['--account', 'owner@localhost', '--name', 'seen'];
    const stopped = await admin(['device', 'stop', ...words]);
    expect(stopped.out).to.match(/^seen is being stopped, by job_\w+\n$/);
    const [, id = ''] = /(job_\w+)/.exec(stopped.out) ?? [];
    expect((await api.get(`/v1/jobs/${id}?wait_s=30`)).body.job).to.include({ kind: 'stop', state: 'done' });
    const again = await admin(['device', 'stop', ...words]);
    expect([again.status, again.error]).to.deep.equal([
      1,
      'The device "seen" is stopped, so it cannot stop. See: npm run --silent admin -- device list\n',
    ]);
    const { job } = await json(['device', 'delete', ...words]);
    expect((await api.get(`/v1/jobs/${job.id}?wait_s=30`)).body.job).to.include({ kind: 'delete', state: 'done' });
    const gone = await admin(['device', 'delete', ...words]);
    expect(gone.error).to.equal('There is no device "seen". See: npm run --silent admin -- device list\n');
  });

  it('gives an account quotas of its own, disables it, lets it in again, and deletes it', async () => {
    const email = 'leaves@example.com';
    await admin(['account', 'create', '--email', email, '--password', 'correct horse']);
    await admin(['account', 'credit', '--email', email, '--amount', '1']);
    const key = await admin([
      'key',
      'create',
      '--account',
      email,
      '--name',
      'k',
      '--scope',
      'control',
      '--devices',
      '*',
    ]);
    const api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), key.out.trim());
    const quota = await admin(['account', 'quota', '--email', email, '--devices', '1', '--storage-gb', '2']);
    expect(quota.out).to.equal(`${email}  devices up to 1, storage up to 2 GB\n`);
    await api.createPhone({ name: 'mine' });
    expect((await admin(['account', 'delete', '--email', email])).error).to.equal(
      `The account "${email}" is in use. Disable it first: account disable --email ${email}\n`,
    );
    const disabled = await admin(['account', 'disable', '--email', email]);
    expect(disabled.out).to.equal(`${email} is disabled; devices being stopped: 1.\n`);
    expect((await admin(['account', 'list'])).out).to.match(/^leaves@example.com .* disabled$/m);
    expect((await admin(['account', 'enable', '--email', email])).out).to.match(
      /^leaves@example.com {2}balance 0\.99\d USD\n$/,
    );
    expect((await admin(['account', 'list'])).out).to.match(/^leaves@example.com .* active$/m);
    await admin(['account', 'disable', '--email', email]);
    const deleted = await admin(['account', 'delete', '--email', email]);
    expect([deleted.out, deleted.error]).to.deep.equal([`${email} is deleted.\n`, '']);
    expect((await admin(['account', 'list'])).out).not.to.contain(email);
    expect((await admin(['device', 'list'])).out).not.to.contain('mine');
  });

  it('examines the machine with the service on it, and ends with status 1 where a check fails', async () => {
    const well = await admin(['doctor', '--json'], { environment: { PORT: '0' } });
    const { ok, checks } = JSON.parse(well.out) as { ok: boolean; checks: { check: string; outcome: string }[] };
    expect(checks.find(({ check }) => check === 'service')).to.have.property('outcome', 'ok');
    expect([well.status, ok]).to.deep.equal(checks.some(({ outcome }) => outcome === 'fail') ? [1, false] : [0, true]);
    const ill = await admin(['doctor'], { environment: { PORT: 'none' } });
    expect(ill.status).to.equal(1);
    expect(ill.out).to.match(/^fail {5}settings: .*PORT/);
  });

  it('reports a fault in one line, on standard error, with status 1', async () => {
    for (const [args, text] of [
      [['account', 'credit', '--email', 'nobody@example.com', '--amount', '1'], 'nobody@example.com'],
      [['account', 'credit', '--email', 'a@example.com', '--amount', 'much'], '"much"'],
      [['account', 'credit', '--email', 'a@example.com'], '--amount is missing'],
      [['account', 'credit', '--email', 'a@example.com', '--amount', '-5'], 'amount: '],
      [['account', 'create', '--email', 'a@example.com', '--password', 'correct horse'], 'has an account already'],
      [['account', 'create', '--email', 'c@example.com', '--password', 'short'], 'password'],
      [['key', 'create', '--account', 'a@example.com', '--name', 'n', '--scope', 'all', '--devices', '*'], '--scope'],
      [['job', 'list', '--state', 'odd'], 'running, done, failed'],
      [['account', 'list', '--color', 'red'], 'color'],
    ] as const) {
      const { status, out, error } = await admin([...args]);
      expect(status, args.join(' ')).to.equal(1);
      expect(out).to.equal('');
      expect(error.trim().split('\n')).to.have.length(1);
      expect(error).to.contain(text);
    }
    const usage = await admin(['account', 'destroy']);
    expect(usage.status).to.equal(1);
    expect(usage.error).to.contain('account credit --email');
  });

  it('shows where the service is, and where its first key is, as the start did', async () => {
    const { status, out } = await admin(['info']);
    expect(status).to.equal(0);
    expect(out)
      .to.contain(running.baseUrl)
      .and.to.match(/^ {2}API key {2,}in quickstart.json/m);
    const { password } = await json(['info']);
    for (const text of [out, running.printed()]) expect(text).not.to.contain(running.key).and.not.to.contain(password);
    expect(await json(['info'])).to.deep.equal(JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8')));
    const nowhere = await admin(['info'], { environment: { DATA_DIR: join(directory, 'nowhere') } });
    expect([nowhere.status, nowhere.error]).to.deep.equal([
      1,
      `${join(directory, 'nowhere', 'quickstart.json')} cannot be read. Set DATA_DIR to the data folder of a service that was ` +
        'started with npm start.\n',
    ]);
  });

  it('forgets the first password once it is replaced', async () => {
    await admin(['account', 'password', '--email', 'owner@localhost', '--password', 'a password of mine']);
    expect(await json(['info']))
      .to.include({ email: 'owner@localhost', api_key: running.key })
      .and.not.to.have.property('password');
    expect((await admin(['info'])).out).to.contain('a lost password: npm run --silent admin -- account password');
  });

  it('explains each command', async () => {
    const all = await admin(['--help']);
    expect(all.status).to.equal(0);
    expect(all.out).to.contain('key create --account … --name …').and.to.contain('info');
    const one = await admin(['key', 'create', '--help']);
    expect(one.out).to.contain('Makes an API key').and.to.contain('--webhook-url');
    expect([one.status, one.error]).to.deep.equal([0, '']);
  });

  it('lists the relays that are on, without their codes', async () => {
    expect((await json(['relay', 'list'])).relays).to.deep.equal([]);
    const api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
    const name = await api.createPhone({ name: 'relayed' });
    const { body } = await api.post(`/v1/devices/${name}/adb`, { allow: ['127.0.0.1'] });
    const listed = await json(['relay', 'list']);
    expect(listed.relays).to.have.length(1);
    expect(listed.relays[0]).to.include({ device: 'relayed' });
    expect(listed.relays[0].adb).to.include({ enabled: true, port: body.adb.port });
    const { out } = await admin(['relay', 'list']);
    expect(out)
      .to.contain(`127.0.0.1:${body.adb.port as number}`)
      .and.to.contain('owner@localhost')
      .and.not.to.contain(body.adb.code);
  });

  it('explains how to find the service when there is none', async () => {
    const nowhere = await admin(['account', 'list'], { environment: { DATA_DIR: join(directory, 'nowhere') } });
    expect(nowhere.error).to.contain('DATA_DIR').and.to.contain('DEVICE_SERVICE_URL');
    const url = { DEVICE_SERVICE_URL: 'http://127.0.0.1:9' };
    const dead = await admin(['account', 'list'], { environment: url });
    expect(dead.error).to.equal('The device service cannot be reached just now. Try again.\n');
    const { grpc } = JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8'));
    const found = await admin(['account', 'list'], { environment: { DEVICE_SERVICE_URL: `http://${grpc.device}` } });
    expect(found.status).to.equal(0);
  });
});
