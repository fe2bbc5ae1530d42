import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readApi } from '../../reference/api/api.js';
import { sampleOf } from '../../reference/api/sample-of.js';
import { samplesOf } from '../../reference/samples/languages.js';
import { openApi } from '../../testing/openapi.js';
import { productVersion } from '../../deploy/release/versions.js';
import { skip } from '../../testing/skip.js';
import { type Ran, ToolFolder } from '../generators/tool-folder.js';
import { startWorld, type World } from '../world.js';
import { ROOT } from './mcp-world.js';

const PROGRAMS = ['smoke_test.py', 'note_agent.py', 'fleet.py', 'gym_agent.py'];
const TOOLS = ['mypy==2.4.1', 'pytest==9.2.0'];
const QUIET = ['--quiet', '--retries', '1', '--timeout', '20', '--disable-pip-version-check'];
// Python compiles what it imports; most of what is installed is not.
const NOT_COMPILED = { PIP_NO_COMPILE: '1' };

/** Each line is refused by the type checker, and the first two are not. */
const WRONG = `from cloudphone import CloudPhone, models
cloud = CloudPhone("http://phones/v1", "key")
cloud.phone("demo").tap(words="Save")
cloud.get("/v1/usage", models.GetUsageResult).balance
cloud.create_phone(model="phone-720p")
for event in cloud.events("demo", devise="demo"): pass
models.InstallAppBody(ap="trails")
`;

describe('the Python package, built and installed from its wheel', function () {
  // A package index, a build and a type checker, on machines that do other things too.
  this.timeout(600_000);
  let world: World;
  let folder: ToolFolder;
  let apps: string;
  before(async function () {
    folder = new ToolFolder();
    apps = mkdtempSync(join(tmpdir(), 'cloudphone-apps-'));
    const catalogue = fileURLToPath(new URL('../../../device-service/devices/apps/demo/catalogue', import.meta.url));
    world = await startWorld({ apps: { catalogue, folder: apps } });

    cpSync(join(ROOT, 'clients', 'python'), folder.at('package'), {
      recursive: true,
      // What an earlier build left there must not be in this one.
      filter: (path) => !/(?:models\.py|_sync|__pycache__)$/.test(path),
    });
    for (const program of PROGRAMS) cpSync(join(ROOT, 'docs', 'samples', program), folder.at('package', program));
    cpSync(folder.at('openapi.json'), folder.at('package', 'openapi.json'));

    const made = await folder.run('python3', ['-m', 'venv', folder.at('venv')]);
    if (made.status !== 0) skip(this, `needs python3 with venv: ${made.printed}`);
    const index = 'the package index of Python';
    const pip = folder.at('venv', 'bin', 'pip');
    // The build's own tools are in the same environment: a second one, as builds make by default, costs a third of the time.
    await folder.needs(this, index, pip, ['install', ...QUIET, ...buildTools(folder), ...TOOLS], NOT_COMPILED);
    const build = ['--no-build-isolation', '--no-deps', '--wheel-dir', folder.at('dist'), folder.at('package')];
    await folder.needs(this, index, pip, ['wheel', ...QUIET, ...build], NOT_COMPILED);
    const [wheel = ''] = readdirSync(folder.at('dist'));
    expect(wheel).to.equal(`cloudphone-${productVersion(ROOT)}-py3-none-any.whl`);
    await folder.needs(this, index, pip, ['install', ...QUIET, folder.at('dist', wheel)], NOT_COMPILED);
  });
  after(async () => {
    await world.close();
    folder.remove();
    rmSync(apps, { recursive: true, force: true });
  });

  it('has types that hold in strict mode, in itself, its tests and the programs of the guide', async () => {
    writeFileSync(folder.at('package', 'wrong.py'), WRONG);
    mkdirSync(folder.at('package', 'reference'));
    const samples = referenceSamples();
    for (const [id, code] of samples) writeFileSync(folder.at('package', 'reference', `${id}.py`), code);
    const checked = ['src/cloudphone', 'tests', ...PROGRAMS, 'reference', 'wrong.py'];
    const { printed } = await python(['-m', 'mypy', '--no-error-summary', ...checked], { MYPYPATH: 'src' });
    const faults = printed.split('\n').filter((line) => line.includes(': error:'));
    expect([...new Set(faults.map((line) => /^\S+?:\d+/.exec(line)?.[0]))], printed).to.deep.equal(
      [3, 4, 5, 6, 7].map((line) => `wrong.py:${line}`),
    );
  });

  it('repeats what is safe, and creates, uses and watches phones, sync and async', async () => {
    const { status, printed } = await python(['-m', 'pytest', '-q', 'tests']);
    expect(status, printed).to.equal(0);
  });

  it('runs the smoke test of the guide', async () => {
    const { status, printed } = await python(['-m', 'pytest', '-q', 'smoke_test.py']);
    expect(status, printed).to.equal(0);
    expect(printed).to.include('1 passed');
  });

  it('runs the agent and the job on a fleet of the guide', async () => {
    for (const name of ['fleet-a', 'fleet-b']) {
      await world.api.createPhone({ name, start: false });
      await world.api.ask('PATCH', `/v1/devices/${name}`, { labels: { team: 'qa' } });
    }
    const fleet = await python(['fleet.py', 'team:qa', 'trails']);
    expect(fleet.status, fleet.printed).to.equal(0);
    expect(fleet.printed.trim().split(/\s*\n/)).to.have.members(['fleet-a done', 'fleet-b done']);
    const agent = await python(['note_agent.py', 'fleet-a', 'Oat milk']);
    expect(agent.printed).to.match(/^done in \d+ turns\n$/);
    const { body } = await world.api.post('/v1/devices/fleet-a/action', { find_text: { text: 'Oat milk' } });
    expect(body.matches.length).to.be.greaterThan(0);
  });

  function python(words: string[], more: Record<string, string> = {}): Promise<Ran> {
    const env = { CLOUDPHONE_URL: `${world.mesh.url}/v1`, CLOUDPHONE_KEY: world.key, ...more };
    return folder.run(folder.at('venv', 'bin', 'python'), words, { cwd: folder.at('package'), env });
  }
});

/** The samples of the reference that use the package, by operation. */
function referenceSamples(): [id: string, code: string][] {
  const operations = readApi(openApi().document).resources.flatMap((resource) => resource.operations);
  const samples = operations
    .filter(({ isEvent }) => !isEvent)
    .map((operation): [string, string] => [
      operation.id,
      samplesOf(sampleOf(operation)).find(({ language }) => language.id === 'py')?.code ?? '',
    ]);
  const own = samples.filter(([, code]) => code.includes('from cloudphone import'));
  expect(own.length).to.be.greaterThan(50);
  return own;
}

/** What the package's build needs, as its project file has it. */
function buildTools(folder: ToolFolder): string[] {
  const [, list = ''] =
    /^requires = (\[.*\])$/m.exec(readFileSync(folder.at('package', 'pyproject.toml'), 'utf8')) ?? [];
  return JSON.parse(list) as string[];
}
