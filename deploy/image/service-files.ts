import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { addEntry, type ImageTree } from '../../simulated-phone/image/image-entry.js';
import { addFolder, packageFolders } from '../../simulated-phone/image/node-packages.js';
import { billOfMaterials } from './bill-of-materials.js';

/** Where the service is in the image. */
const HOME = 'opt/cloudphone';

/** Compiled files that the programs of the image are made of. */
const PROGRAMS = [
  ...['admin', 'deploy/entrypoint', 'deploy/live', 'embedded-mongo', 'kit', 'phone', 'proto', 'simulated-phone'],
  ...['gateway', 'device-service', 'screen-service', 'relay-service', 'webhook-service', 'status-service'],
  ...['start', 'start.js', 'client', 'mcp'],
].map((path) => join('dist', path));

/** Files that the programs read at run time, beside the compiled ones. */
const READ = [
  ...['package.json', 'LICENSE', 'panel/dist', 'reference/dist'],
  ...[
    'status-service/page/page.css',
    'phone/image-based/models.schema.json',
    'device-service/devices/apps/demo/catalogue',
  ],
];

/** The text of the command `cloudphone`. Node does not take a file without an extension for a module, so the command imports one. */
const COMMAND = `#!/usr/local/bin/node\nimport('/${HOME}/dist/deploy/entrypoint/main.js');\n`;

/**
 * Returns the files of the image by their paths in it: Node, the compiled service without its tests, its packages, and their bill of
 * materials. They come from a repository after `npm ci` and `npm run build`. `root` is the folder of the repository.
 */
export async function serviceFiles(root: string): Promise<ImageTree> {
  const tree: ImageTree = new Map();
  addPath(tree, realpathSync(process.execPath), 'usr/local/bin/node');
  addEntry(tree, { kind: 'text', path: 'usr/local/bin/cloudphone', text: COMMAND, mode: 0o755 });
  for (const path of [...PROGRAMS, ...READ]) addPath(tree, join(root, path), join(HOME, path));
  const packages = packageFolders(root, ['.', 'embedded-mongo', 'mcp', 'simulated-phone']);
  for (const folder of packages) addFolder(tree, folder, join(HOME, relative(root, folder)));
  addEntry(tree, {
    kind: 'text',
    path: join(HOME, 'sbom.cdx.json'),
    text: await billOfMaterials(root, packages),
    mode: 0o644,
  });
  // The volume, which the user of the image owns.
  addEntry(tree, { kind: 'folder', path: 'data', mode: 0o700 });
  return tree;
}

/** Adds a file, or a folder with its contents, without tests and source maps. */
function addPath(tree: ImageTree, source: string, path: string): void {
  const { size, mode } = statSync(source);
  if (!statSync(source).isDirectory()) {
    addEntry(tree, { kind: 'file', path, source, sizeBytes: size, mode });
    return;
  }
  for (const name of readdirSync(source))
    if (!/\.test\.js$|\.map$/.test(name)) addPath(tree, join(source, name), join(path, name));
}
