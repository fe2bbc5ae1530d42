import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ImageBasedModel } from '../../phone/image-based/model.js';
import { selfSigned } from '../../testing/self-signed.js';
import { checkEngine } from './check-engine.js';
import { checkBackup, checkCertificates, checkClock, checkDisk, checkPorts } from './check-host.js';
import { checkKernel } from './check-kernel.js';
import { checkPhoneDisk } from './check-phone-disk.js';
import { examine } from './examine.js';
import type { Finding, Machine } from './finding.js';
import { failureOf, findingsJson, findingsText } from './report.js';

describe('the doctor', () => {
  let directory: string;
  let files: Record<string, string>;
  let responses: Record<string, { status: number; body: string }>;
  let outputs: Record<string, string>;
  const NOW_MS = Date.UTC(2030, 0, 1);
  const machine: Machine = {
    readText: async (path) => files[path],
    ask: async ({ url }) => responses[url],
    run: async (program) => outputs[program],
    now: () => NOW_MS,
  };
  const container = { kinds: ['container'] as const, container: { socketPath: '/engine.sock', pool: '10.0.0.0/16' } };
  const models = [{ driver: 'container', image: 'redroid:14', binder: false }] as unknown as ImageBasedModel[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'doctor-'));
    [files, responses, outputs] = [{}, {}, {}];
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const outcomes = (findings: readonly Finding[]): string[] =>
    findings.map(({ check, outcome }) => `${check}: ${outcome}`);

  it('reports an engine that is away, and images that are not there', async () => {
    expect(outcomes(await checkEngine(container, models, machine))).to.deep.equal(['engine: fail']);
    responses['http://engine/v1.41/_ping'] = { status: 200, body: 'OK' };
    expect(outcomes(await checkEngine(container, models, machine))).to.deep.equal(['engine: ok', 'image: warn']);
    responses['http://engine/v1.41/images/redroid%3A14/json'] = { status: 200, body: '{}' };
    expect(outcomes(await checkEngine(container, models, machine))).to.deep.equal(['engine: ok', 'image: ok']);
    expect(outcomes(await checkEngine({ ...container, kinds: ['simulated'] }, [], machine))).to.deep.equal([
      'engine: skipped',
    ]);
  });

  it('reports kernel settings that are too small, and says what to write where', async () => {
    outputs['nft'] = 'nftables v1';
    files['/proc/sys/fs/inotify/max_user_instances'] = '128\n';
    files['/proc/sys/kernel/pid_max'] = '4194304\n';
    const findings = await checkKernel(['container'], models, machine);
    expect(outcomes(findings)).to.deep.equal([
      'kernel modules: ok',
      'firewall: ok',
      'sysctl fs.inotify.max_user_instances: warn',
      'sysctl fs.inotify.max_user_watches: skipped',
      'sysctl kernel.pid_max: ok',
      'sysctl kernel.threads-max: skipped',
      'sysctl net.netfilter.nf_conntrack_max: skipped',
    ]);
    expect(findings[2]?.next).to.contain('"fs.inotify.max_user_instances = 8192" into /etc/sysctl.d');
    outputs = {};
    expect(outcomes(await checkKernel(['container'], models, machine))[1]).to.equal('firewall: fail');
  });

  it('reports a disk that is nearly full, also of a folder that does not exist yet', async () => {
    const at = (freeBytes: number): Promise<Finding> =>
      checkDisk(join(directory, 'a', 'b'), async () => ({ freeBytes }));
    expect((await at(10e9)).outcome).to.equal('ok');
    expect((await at(1e9)).outcome).to.equal('warn');
    const full = await at(1e6);
    expect(full.outcome).to.equal('fail');
    expect(full.found).to.equal(`0 MiB are free at ${directory}`);
    const withoutEntries = await checkDisk(directory, async () => ({ freeBytes: 10e9, freeEntries: 0 }));
    expect(withoutEntries.outcome).to.equal('fail');
  });

  it('reports how the disk of phones is bounded, and what to mount or install', async () => {
    const checkAt = (): Promise<Finding> => checkPhoneDisk({ kinds: ['container'], dataDirectory: directory }, machine);
    const mounted = (kind: string, options: string): void => {
      files['/proc/self/mountinfo'] =
        `20 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 20 8:2 / ${directory} rw,relatime - ${kind} /dev/sdb1 ${options}\n`;
    };
    expect((await checkAt()).outcome).to.equal('skipped');
    mounted('ext4', 'rw');
    const without = await checkAt();
    expect(without).to.deep.include({
      outcome: 'warn',
      found: `measured, as ${directory} is ext4, mounted without prjquota`,
    });
    expect(without.next).to.contain(`${directory}/container`);
    mounted('xfs', 'rw,prjquota');
    expect((await checkAt()).next).to.contain('e2fsprogs and quota');
    outputs['sh'] = '/usr/bin/chattr\n';
    expect(await checkAt()).to.deep.include({
      outcome: 'ok',
      found: `mounted for a project quota (xfs) at ${directory}`,
    });
    const elsewhere = await checkPhoneDisk({ kinds: ['emulator'], dataDirectory: directory }, machine);
    expect(elsewhere.outcome).to.equal('skipped');
  });

  it('reports certificates that have ended, end soon, or cannot be read', async () => {
    const { cert } = selfSigned();
    const endMs = Date.UTC(2049, 0, 1);
    const at = async (nowMs: number): Promise<string[]> =>
      outcomes(await checkCertificates([{ setting: 'TLS_CERT', read: async () => cert }], nowMs));
    expect(await at(NOW_MS)).to.deep.equal(['certificate TLS_CERT: ok']);
    expect(await at(endMs - 3 * 86_400_000)).to.deep.equal(['certificate TLS_CERT: warn']);
    expect(await at(endMs)).to.deep.equal(['certificate TLS_CERT: fail']);
    const unreadable = [{ setting: 'TLS_CERT', read: () => Promise.reject(new Error('no such file')) }];
    expect((await checkCertificates(unreadable, NOW_MS))[0]?.outcome).to.equal('fail');
  });

  it('reports a clock that differs from that of the database, or follows no time server', async () => {
    outputs['timedatectl'] = 'no\n';
    expect(outcomes(await checkClock(NOW_MS - 60_000, machine))).to.deep.equal(['clock: fail', 'clock: warn']);
    outputs['timedatectl'] = 'yes\n';
    expect(outcomes(await checkClock(NOW_MS + 100, machine))).to.deep.equal(['clock: ok', 'clock: ok']);
    outputs = {};
    expect(outcomes(await checkClock(undefined, machine))).to.deep.equal(['clock: skipped']);
  });

  it('reports ports of other programs, and not those of the service itself', async () => {
    const { createServer } = await import('node:net');
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const ports = [{ host: '127.0.0.1', port, wanted: 'by the gateway (PORT)' }];
    const found = await checkPorts(ports, false);
    expect(found.outcome).to.equal('fail');
    expect(found.found).to.contain(`Port ${port} on 127.0.0.1`);
    expect((await checkPorts(ports, true)).outcome).to.equal('ok');
    await new Promise((resolve) => server.close(resolve));
    expect((await checkPorts(ports, false)).outcome).to.equal('ok');
  });

  it('ends at settings that cannot be read, with all their faults in one line', async () => {
    const findings = await examine({ DATA_DIR: directory, PORT: 'x', OPS_PORT: 'y' }, machine);
    expect(outcomes(findings)).to.deep.equal(['settings: fail']);
    expect(findings[0]?.found)
      .to.match(/PORT.*OPS_PORT/)
      .and.not.to.contain('\n');
    expect(failureOf(findings)).to.equal('1 check failed.');
  });

  it('warns where no backup of the last 48 hours was verified', async () => {
    const check = (): Promise<Finding> => checkBackup('/data', machine);
    expect((await check()).outcome).to.equal('skipped');
    files['/data/folder-id'] = 'folder_x\n';
    expect(await check()).to.include({ outcome: 'warn', found: 'none was ever verified' });
    const hoursAgo = (hours: number): string => `${new Date(NOW_MS - hours * 3_600_000).toISOString()}\n`;
    files['/data/verified-backup'] = hoursAgo(49);
    expect(await check()).to.include({ outcome: 'warn', found: 'the newest verified one was made 49 hours ago' });
    files['/data/verified-backup'] = hoursAgo(47);
    expect(await check()).to.include({ outcome: 'ok', found: 'the newest verified one was made 47 hours ago' });
    files['/data/verified-backup'] = '';
    expect((await check()).outcome).to.equal('warn');
  });

  it('has the problems of a running service, and ignores other programs at its address', async () => {
    const quickstart = join(directory, 'quickstart.json');
    files[quickstart] = JSON.stringify({ ops_url: 'http://127.0.0.1:7010' });
    const environment = { DATA_DIR: directory, PORT: '0' };
    const services = async (): Promise<Finding[]> =>
      (await examine(environment, machine)).filter(({ check }) => check === 'service');
    expect((await services())[0]?.outcome).to.equal('skipped');
    responses['http://127.0.0.1:7010/v1/health'] = { status: 200, body: '<html>' };
    expect((await services())[0]?.outcome).to.equal('skipped');
    responses['http://127.0.0.1:7010/v1/health'] = { status: 200, body: '{"status":"problem","problems":["a","b"]}' };
    expect((await services()).map(({ outcome, found }) => `${outcome} ${found}`)).to.deep.equal(['fail a', 'fail b']);
    files[quickstart] = 'half a fi';
    expect((await services())[0]?.outcome).to.equal('skipped');
  });

  it('reports a models file that cannot be used', async () => {
    const path = join(directory, 'models.json');
    await writeFile(path, '{"models": 7}');
    const environment = { DATA_DIR: directory, PORT: '0', PHONE_DRIVER: 'container', MODELS_FILE: path };
    expect(outcomes(await examine(environment, machine))).to.include('models: fail');
  });

  it('prints what to do below each line, and the same as JSON', () => {
    const findings: Finding[] = [
      { check: 'disk', outcome: 'ok', found: 'much' },
      { check: 'engine', outcome: 'fail', found: 'away', next: 'Start it.' },
    ];
    expect(findingsText(findings)).to.equal('ok       disk: much\nfail     engine: away\n         Start it.\n');
    expect(failureOf([...findings, ...findings])).to.equal('2 checks failed.');
    expect(failureOf(findings.slice(0, 1))).to.equal(undefined);
    expect(JSON.parse(findingsJson(findings))).to.deep.equal({ ok: false, checks: findings });
  });
});
