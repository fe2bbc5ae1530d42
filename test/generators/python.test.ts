import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { ROOT } from '../clients/mcp-world.js';
import { startWorld, type World } from '../world.js';
import { ToolFolder } from './tool-folder.js';

const GENERATOR = 'openapi-python-client==0.29.1';

const PROGRAM = `
import io
import sys
from made.client import AuthenticatedClient
from made.api.app import upload_apk
from made.api.device import create_device
from made.api.job import get_job
from made.api.screen import get_screenshot
from made.models import CreateDeviceBody, ExitChoice, ExitChoiceType, Plan
from made.types import File

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
body = CreateDeviceBody(
    name="snake", model="phone-720p", plan=Plan.MINUTE,
    network=ExitChoice(type_=ExitChoiceType.DIRECT, country="us"),
)
accepted = create_device.sync(client=client, body=body, idempotency_key="once")
again = create_device.sync(client=client, body=body, idempotency_key="once")
job = get_job.sync(accepted.job.id, client=client, wait_s=30).job
print(accepted.device.name, accepted.device.exit_.country, job.kind.value, job.state.value, again.job.id == accepted.job.id)
refused = create_device.sync(client=client, body=body)
print(refused.error.value, "|", refused.message)
print(get_screenshot.sync("snake", client=client).payload.read(4))
print(upload_apk.sync("snake", client=client, body=File(payload=io.BytesIO(b"no app"))).error.value)
`;

describe('the client that openapi-python-client makes of the reference', function () {
  // A package index is used, on machines that do other things too.
  this.timeout(300_000);
  let world: World;
  let folder: ToolFolder;
  before(async () => {
    folder = new ToolFolder();
    world = await startWorld();
  });
  after(async () => {
    await world.close();
    folder.remove();
  });

  it('leaves nothing out, makes a device, sees its screen, and has the types of errors', async function () {
    const bin = folder.at('venv', 'bin');
    const made = await folder.run('python3', ['-m', 'venv', folder.at('venv')]);
    if (made.status !== 0) skip(this, `needs python3 with venv: ${made.printed}`);
    const options = ['--quiet', '--retries', '1', '--timeout', '20', '--disable-pip-version-check'];
    await folder.needs(this, 'the package index of Python', join(bin, 'pip'), ['install', ...options, GENERATOR]);

    folder.write('config.yaml', readFileSync(join(ROOT, 'docs', 'samples', 'openapi-python-client.yaml'), 'utf8'));
    const output = ['--meta', 'none', '--output-path', folder.at('made'), '--config', 'config.yaml'];
    const words = ['generate', '--path', 'openapi.json', ...output];
    const generated = await folder.run(join(bin, 'openapi-python-client'), words);
    expect(generated.status, generated.printed).to.equal(0);
    expect(generated.printed).not.to.contain('WARNING parsing');

    folder.write('program.py', PROGRAM);
    const { status, printed } = await folder.run(join(bin, 'python'), ['program.py', world.mesh.url, world.key]);
    expect(status, printed).to.equal(0);
    expect(printed).to.match(/^snake us create done True\nbad_request \| .*snake.*\nb'\\x89PNG'\nbad_request\n/);
  });
});
