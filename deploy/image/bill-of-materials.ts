import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolders } from '../../simulated-phone/image/node-packages.js';

/** Packages of the panel that only build its page, and are not part of the page. */
const BUILDERS = new Set(['vite', '@vitejs/plugin-react', '@types/react', '@types/react-dom']);

interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  licenses?: object[];
  purl?: string;
}

interface Bom {
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * Returns the bill of materials of the image in CycloneDX' JSON. It has the image's packages as `npm sbom` reports them, those inside the
 * panel's page, and Node. `folders` are those of the image's packages.
 */
export async function billOfMaterials(root: string, folders: readonly string[]): Promise<string> {
  const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const { stdout } = await promisify(execFile)('npm', words, { cwd: root, maxBuffer: 64 * 1024 ** 2 });
  const all = JSON.parse(stdout) as Bom;
  const page = packageFolders(root, ['panel'], { development: true, without: BUILDERS });
  const inside = new Set([...folders, ...page].map(nameAndVersion));
  const components = all.components.filter((one) => inside.delete(one['bom-ref']));
  if (inside.size > 0) throw new Error(`npm sbom does not report ${[...inside].join(', ')}. Run npm ci.`);
  const refs = new Set(components.map((one) => one['bom-ref']));
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  const bom = { ...all, components: [nodeComponent(process.versions.node), ...components], dependencies };
  return `${JSON.stringify(bom, undefined, 1)}\n`;
}

function nodeComponent(version: string): Component {
  const ref = `node@${version}`;
  const licenses = [{ license: { id: 'MIT' } }];
  return { 'bom-ref': ref, type: 'application', name: 'node', version, licenses, purl: `pkg:generic/node@${version}` };
}

function nameAndVersion(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  return `${name ?? ''}@${version ?? ''}`;
}
