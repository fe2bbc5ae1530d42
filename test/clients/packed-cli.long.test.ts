import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { installPacked, succeed } from '../../testing/packed-package.js';
import { until } from '../../testing/until.js';
import { startCli } from '../cli/program.js';
import { startWorld, type World } from '../world.js';
import { ROOT } from './mcp-world.js';

/** A step of deploy/github-action/action.yml. */
interface Step {
  name: string;
  env: Record<string, string>;
  run: string;
}

describe('the command line, packed and installed in a program', function () {
  let world: World;
  let folder: string;
  let tarball: string;
  let program: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-cli-'));
    ({ program, tarball } = await installPacked('cli', folder, { built: true }));
    world = await startWorld();
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is installed from its package alone, with nothing of this project from a registry, and uses a service', async () => {
    const command = join(program, 'node_modules', '.bin', 'cloudphone');
    expect(await succeed(command, ['--help'], program)).to.include('cloudphone COMMAND');
    await world.api.createPhone({ name: 'demo' });
    const environment = { HOME: folder, CLOUDPHONE_URL: world.mesh.url, CLOUDPHONE_KEY: world.key };
    const main = join(program, 'node_modules/@cloudphone/cli/cloudphone.mjs');
    const list = await startCli(['list', '--names'], environment, { program: main, cwd: program }).ended;
    expect(list).to.deep.equal({ status: 0, stdout: 'demo\n', stderr: '' });
    const replay = join(folder, 'notes.yaml');
    writeFileSync(replay, 'version: 1\nsteps:\n  - open_app: {app: Notes}\n    expect: {text: New note}\n');
    const words = ['replay', replay, '--device', 'demo', '--junit', join(folder, 'junit.xml')];
    const played = await startCli(words, environment, { program: main, cwd: program }).ended;
    expect([played.status, played.stderr], played.stdout).to.deep.equal([0, '']);
    expect(readFileSync(join(folder, 'junit.xml'), 'utf8')).to.include('tests="1" failures="0"');
  });

  it('is what the action for GitHub installs and runs', async () => {
    const action = parse(readFileSync(join(ROOT, 'deploy/github-action/action.yml'), 'utf8')) as {
      inputs: Record<string, { default?: string }>;
      runs: { steps: Step[] };
    };
    const given: Record<string, string> = {
      ...{ package: join(folder, tarball), url: world.mesh.url, key: world.key, pool: '' },
      ...{ options: '--model phone-720p --no-adb', command: 'echo "on $CLOUDPHONE_DEVICE"; exit 6' },
    };
    expect(Object.keys(action.inputs)).to.have.members(Object.keys(given));
    const file = join(folder, 'github-path');
    const { PATH = '' } = process.env;
    const results: { name: string; status: number; printed: string }[] = [];
    const runStep = async ({ name, env, run }: Step): Promise<void> => {
      // Nothing of a caller stands in a script.
      expect(run, name).not.to.include('${{');
      const inputs = Object.entries(env).map(([key, value]) => [
        key,
        value.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, input: string) => given[input] ?? ''),
      ]);
      const added = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
      results.push({ name, ...(await bash(run, { ...Object.fromEntries(inputs), PATH: `${added}:${PATH}` })) });
    };
    for (const step of action.runs.steps) await runStep(step);
    expect(
      results.map(({ status }) => status),
      JSON.stringify(results),
    ).to.deep.equal([0, 0, 6]);
    expect(results.at(-1)?.printed).to.match(/^on run-\w{8}$/m);
    await until(async () => (await world.api.get('/v1/devices?label=cloudphone-run:phone')).body.devices.length === 0);
    await world.api.ask('PUT', '/v1/pools/ci', { model: 'phone-720p', ready: 1 });
    Object.assign(given, { pool: 'ci', options: '--no-adb' });
    for (const step of action.runs.steps.slice(-1)) await runStep(step);
    expect(results.at(-1)?.status, results.at(-1)?.printed).to.equal(6);
    expect(results.at(-1)?.printed).to.match(/^on ci-\w{6}$/m);
  });

  /** Runs the script of a step as GitHub does. */
  function bash(script: string, environment: Record<string, string>): Promise<{ status: number; printed: string }> {
    // With npm's own settings of this machine, such as its registry.
    const env = {
      ...process.env,
      ...{ RUNNER_TEMP: folder, GITHUB_PATH: join(folder, 'github-path') },
      ...environment,
    };
    return new Promise((resolve) => {
      const words = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
      execFile('bash', words, { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : Number(error.code), printed: stdout + stderr }),
      );
    });
  }
});
