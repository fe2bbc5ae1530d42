import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openApi } from '../../testing/openapi.js';
import { startWorld, type World } from '../world.js';

const GENERATOR = 'openapi-python-client==0.29.1';

/** Output of pip when the package index cannot be reached, as opposed to faults of the package. */
const NO_NETWORK =
  /NewConnectionError|ConnectTimeout|ReadTimeout|NameResolutionError|Network is unreachable|ProxyError|Temporary failure/;

const PROGRAM = `
import sys
from made.client import AuthenticatedClient
from made.api.device import create_device
from made.api.job import get_job
from made.models import CreateDeviceRequest, CreateDeviceRequestPlan, ExitChoice, ExitChoiceType

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
body = CreateDeviceRequest(
    name="snake", model="phone-720p", plan=CreateDeviceRequestPlan.MINUTE,
    network=ExitChoice(type_=ExitChoiceType.DIRECT, country="us"),
)
accepted = create_device.sync(client=client, body=body, idempotency_key="once")
again = create_device.sync(client=client, body=body, idempotency_key="once")
job = get_job.sync(accepted.job.id, client=client, wait_s=30).job
print(accepted.device.name, accepted.device.exit_.country, job.kind.value, job.state.value, again.job.id == accepted.job.id)
refused = create_device.sync(client=client, body=body)
print(refused.error.value, "|", refused.message)
`;

describe('the client that a Python generator makes of the reference', function () {
  // A package index is used, on machines that do other things too.
  this.timeout(300_000);
  let world: World;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-python-'));
    world = await startWorld();
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('makes a device, and has the types of errors', async function () {
    const bin = join(folder, 'venv', 'bin');
    const made = await run('python3', ['-m', 'venv', join(folder, 'venv')]);
    if (made.status !== 0) skip(this, `python3 with venv: ${made.printed}`);
    const options = ['--quiet', '--retries', '1', '--timeout', '20', '--disable-pip-version-check'];
    const installed = await run(join(bin, 'pip'), ['install', ...options, GENERATOR]);
    if (installed.status !== 0 && NO_NETWORK.test(installed.printed)) skip(this, 'the package index of Python');
    expect(installed.status, installed.printed).to.equal(0);

    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApi().document));
    const output = ['--meta', 'none', '--output-path', join(folder, 'made')];
    const generated = await run(join(bin, 'openapi-python-client'), ['generate', '--path', 'openapi.json', ...output]);
    expect(generated.status, generated.printed).to.equal(0);
    // It has no form for pictures and APKs; it has one for everything else.
    const warnings = [...generated.printed.matchAll(/WARNING parsing (\S+ \S+)/g)].map(([, operation]) => operation);
    expect(warnings).to.have.members([
      ...['GET /v1/apps/{app}/icon', 'POST /v1/devices/{name}/apk', 'GET /v1/devices/{name}/screenshot'],
    ]);

    writeFileSync(join(folder, 'program.py'), PROGRAM);
    const { status, printed } = await run(join(bin, 'python'), ['program.py', world.mesh.url, world.key]);
    expect(status, printed).to.equal(0);
    expect(printed).to.match(/^snake us create done True\nbad_request \| .*snake/);
  });

  /** Runs a program in the folder; returns the output of both streams. */
  function run(command: string, words: string[]): Promise<{ status: number; printed: string }> {
    return new Promise((resolve) => {
      execFile(command, words, { cwd: folder }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : 1, printed: stdout + stderr + (error?.message ?? '') });
      });
    });
  }

  function skip(context: Mocha.Context, missing: string): never {
    process.stdout.write(`      needs ${missing}, which is not there\n`);
    return context.skip();
  }
});
