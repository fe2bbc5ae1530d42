import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { RowResult } from '../../check-phones/row.js';
import { startEngine } from '../../testing/container-engine.js';
import { phoneImage } from '../../testing/container-engine/phone-image.js';
import { PHONE_SUBNETS } from '../../testing/phone-subnets.js';
import { freePort } from '../../testing/free-port.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { AdbClient } from '../relay/adb-client.js';

const compiled = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

interface Report {
  passed: boolean;
  rows: RowResult[];
}

describe('npm run check-phones', function () {
  let directory: string;
  let running: Installation | undefined;
  let phone: ChildProcess | undefined;

  before(function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
  });
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'cloudphone-check-'))));
  afterEach(async () => {
    phone?.kill('SIGKILL');
    await running?.stop();
    [phone, running] = [undefined, undefined];
    await removeData(join(directory, 'data'));
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs the command, as npm does after the build; with the service's own key where it runs. */
  function check(...words: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
    const service = running === undefined ? [] : ['--base-url', running.baseUrl, '--key', running.key];
    return new Promise((resolve) => {
      const all = [compiled('check-phones/main.js'), ...service, ...words];
      execFile(process.execPath, all, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : 1, stdout, stderr }),
      );
    });
  }

  async function report(...words: string[]): Promise<Report & { status: number }> {
    const { status, stdout, stderr } = await check('--json', ...words);
    expect(stdout, stderr).to.match(/^\{/);
    return { status, ...(JSON.parse(stdout) as Report) };
  }

  const outcomes = ({ rows }: Report, wanted: RowResult['outcome']): string[] =>
    rows.flatMap(({ row, outcome, detail }) => (outcome === wanted ? [`${row}: ${detail}`] : []));

  const start = (environment: Record<string, string>): Promise<Installation> =>
    startInstallation({
      ...{ directory: join(directory, 'data'), start: compiled('start.js') },
      environment,
    });

  /** Starts a phone that the service does not make, and a service that has it. */
  async function attach(...flags: string[]): Promise<void> {
    const port = await freePort();
    const words = ['--port', String(port), '--data', join(directory, 'phone'), ...flags];
    phone = spawn(process.execPath, [compiled('simulated-phone/alone/main.js'), ...words], {
      env: { ...process.env, SIMULATED_BOOT_MS: '50' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => phone?.stdout?.once('data', () => resolve()));
    const file = join(directory, 'phones.json');
    writeFileSync(
      file,
      JSON.stringify({ phones: [{ address: `127.0.0.1:${port}`, model: 'bench', clean: 'uninstall' }] }),
    );
    running = await start({ PHONES_FILE: file, PHONE_DRIVER: 'attached' });
  }

  it('passes for simulated phones in every row', async () => {
    running = await start({ SIMULATED_BOOT_MS: '50', SIMULATED_PROCESSES: '1', ALLOW_PRIVATE_TARGETS: 'on' });
    const { pid } = running;
    const simulator = `$(cat /proc/${pid}/task/${pid}/children)`;
    const found = await report(
      ...['--model', 'phone-720p', '--rounds', '20'],
      ...['--kill-command', `kill -9 ${simulator}`],
      // The one phone of the simulator is measured with it.
      ...[
        '--usage-command',
        `ps -o rss= -p ${simulator} | awk '{ print $1 / 1024 }'; du -sm ${join(directory, 'data')} | cut -f1`,
      ],
      ...['--leftovers-command', `find ${join(directory, 'data')} -name 'ph_*'`],
    );
    expect(outcomes(found, 'fail')).to.deep.equal([]);
    expect(outcomes(found, 'not offered')).to.deep.equal([]);
    expect(found).to.include({ status: 0, passed: true });
    const { devices } = (await (await fetch(`${running.baseUrl}/devices`, { headers: { authorization: `Bearer ${running.key}` } })).json()) as { devices: unknown[] }; // prettier-ignore
    expect(devices).to.deep.equal([]);
  });

  it('passes for attached phones in each row that these offer, also in a container', async () => {
    await attach('--container');
    const found = await report('--model', 'bench', '--rounds', '2');
    expect(outcomes(found, 'fail')).to.deep.equal([]);
    expect(outcomes(found, 'not offered').map((line) => line.split(':')[0])).to.deep.equal([
      'identity',
      'memory and disk of one phone against the model',
      'snapshot, change, restore',
      'clone, with an identity of its own',
      'template, and a phone of it',
      'pool, and a lease of its phone',
      'exit by a proxy; nothing leaves once it has ended',
      'no DNS and no UDP past the exit',
      'conditions',
      'kill',
    ]);
    expect(found).to.include({ status: 0, passed: true });
  });

  it('passes for phones in containers in every row', async function () {
    const engine = await startEngine(join(directory, 'engine'));
    if (typeof engine === 'string') skip(this, engine);
    try {
      const model = {
        ...{ model: 'stand-in', driver: 'container', android: '14', binder: false, privileged: false },
        ...{ image: await engine.load(await phoneImage()), screen: { width: 1080, height: 1920, density: 480 } },
        ...{ memory_mb: 512, boot_limit_s: 60 },
      };
      const models = join(directory, 'models.json');
      writeFileSync(models, JSON.stringify({ models: [model] }));
      running = await start({
        ...{ PHONE_DRIVER: 'container', MODELS_FILE: models, DOCKER_HOST: `unix://${engine.socketPath}` },
        ...{ PHONE_SUBNETS, ALLOW_PRIVATE_TARGETS: 'on' },
      });
      const command = engine.commandLine;
      const found = `$(${command} ps --all --quiet --filter label=cloudphone.device={device})`;
      const pid = `$(${command} inspect --format '{{.State.Pid}}' ${found})`;
      const result = await report(
        ...['--model', 'stand-in', '--rounds', '5', '--kill-command', `${command} kill ${found}`],
        ...['--usage-command', `ps -o rss= -p ${pid} | awk '{ print $1 / 1024 }'; du -sm ${directory}/data | cut -f1`],
        ...['--leftovers-command', `${command} ps --all --quiet; ${command} network ls --format '{{.Name}}' | grep cloudphone; find ${directory}/data -name 'ph_*'`], // prettier-ignore
      );
      expect(outcomes(result, 'fail')).to.deep.equal([]);
      expect(outcomes(result, 'not offered').map((line) => line.split(':')[0])).to.deep.equal(['conditions']);
      expect(result).to.include({ status: 0, passed: true });
      const find = (row: string): string => result.rows.find((one) => one.row === row)?.detail ?? '';
      expect(find('exit by a proxy; nothing leaves once it has ended')).to.equal("by the HTTP proxy of the phone's system, and not past it"); // prettier-ignore
      console.log(`      ${find('memory and disk of one phone against the model')}; ${find('starts and stops')}`);
    } finally {
      await running?.stop();
      running = undefined;
      await engine.close();
    }
  });

  it('fails with the row and the reason, and deletes what it has made', async () => {
    running = await start({ SIMULATED_BOOT_MS: '50' });
    const found = await report(
      ...['--model', 'phone-720p', '--rounds', '1', '--file-mib', '1'],
      ...['--kill-command', 'exit 3', '--leftovers-command', 'echo container {device}'],
    );
    expect(found).to.include({ status: 1, passed: false });
    const failed = outcomes(found, 'fail');
    expect(failed).to.have.length(2);
    expect(failed[0]).to.match(/^kill.*--kill-command failed/);
    expect(failed[1], failed.join('; ')).to.match(/^delete leaves nothing: left on the host: container check-/);
  });

  it('starts a service of its own where none is named, and lists the models where the model is unknown', async () => {
    const { status, stderr } = await check('--model', 'nothing');
    expect(status).to.equal(1);
    expect(stderr).to.contain('--model "nothing" is not offered. There are: phone-720p, phone-1080p.');
  });
});
