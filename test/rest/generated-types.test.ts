import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { openApi } from '../../testing/openapi.js';
import { startWorld, type World } from '../world.js';

const CLIENT = `
import type { paths } from './openapi.js';

type Create = paths['/v1/devices']['post'];
export type Body = Create['requestBody']['content']['application/json'];
type Accepted = Create['responses'][202]['content']['application/json'];
type Polled = paths['/v1/jobs/{id}']['get']['responses'][200]['content']['application/json'];

export async function makeDevice(base: string, key: string, body: Body): Promise<string> {
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const response = await fetch(base + '/v1/devices', { method: 'POST', headers, body: JSON.stringify(body) });
  const { job, device } = (await response.json()) as Accepted;
  const polled = await fetch(base + '/v1/jobs/' + job.id + '?wait_s=30', { headers });
  const { job: ended } = (await polled.json()) as Polled;
  if (ended.state !== 'done') throw new Error(ended.error?.message ?? ended.state);
  return device.name + ' by ' + device.exit.country;
}
`;

/** Each is wrong in one thing. */
const WRONG = [
  `import type { Body } from './client.js'; export const body: Body = { model: 'm', network: { type: 'direct', country: 'us' }, plan: 'weekly' };`,
  `import type { Body } from './client.js'; export const body: Body = { model: 'm', plan: 'minute' };`,
  `import type { Body } from './client.js'; export const body: Body = { model: 'm', network: { type: 'custom', country: 'us' }, plan: 'minute' };`,
];

describe('types that openapi-typescript makes of the reference', function () {
  // A compiler runs, on machines that do other things too.
  this.timeout(300_000);
  let world: World;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-types-'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    world = await startWorld();
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('compile, refuse wrong types, and make a device', async () => {
    writeFileSync(join(folder, 'openapi.ts'), astToString(await openapiTS(JSON.stringify(openApi().document))));
    writeFileSync(join(folder, 'client.ts'), CLIENT);
    WRONG.forEach((text, index) => writeFileSync(join(folder, `wrong-${index}.ts`), text));
    const options: ts.CompilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, outDir: join(folder, 'out'), types: [] },
      ...{
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
      },
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    };
    const files = ['client.ts', ...WRONG.map((_, index) => `wrong-${index}.ts`)].map((file) => join(folder, file));
    const program = ts.createProgram(files, options);
    const faults = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
      file: file?.fileName.split('/').at(-1),
      text: ts.flattenDiagnosticMessageText(messageText, ' '),
    }));
    expect(faults.filter(({ file }) => file?.startsWith('wrong-') !== true)).to.deep.equal([]);
    expect(new Set(faults.map(({ file }) => file))).to.have.length(WRONG.length);
    program.emit();
    const client = (await import(pathToFileURL(join(folder, 'out', 'client.js')).href)) as {
      makeDevice: (base: string, key: string, body: object) => Promise<string>;
    };
    const body = { name: 'typed', model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute' };
    expect(await client.makeDevice(world.mesh.url, world.key, body)).to.equal('typed by us');
  });
});
