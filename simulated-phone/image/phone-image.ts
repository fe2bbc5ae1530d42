import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BuiltImage, writeImage } from './archive.js';
import { addEntry, type ImageTree } from './image-entry.js';
import { addFolder, addPackages } from './node-packages.js';
import { addBusybox, addNode } from './programs.js';

/** The folder of the phone in the image. */
const HOME = 'opt/cloudphone';

/** The folder of the operator's apps in the image, below that of the phone. */
const APPS = 'apps';

/** The entrypoint of redroid. A container's own arguments come after it. */
const ENTRYPOINT = ['/init', 'qemu=1', 'androidboot.hardware=redroid'];

const INIT = `#!/bin/sh\nexec /usr/bin/node /${HOME}/simulated-phone/container/main.js "$@"\n`;

/**
 * Writes the simulated phone as an image for container engines, from the files of this repository and of this machine alone. Parts that
 * seldom change (Node, libraries, packages) are a layer of their own, so that an engine reads them once. `root`: the root of the
 * repository. `apps`: the folder of further apps, which is copied without its own packages (load-apps.ts).
 */
export async function writePhoneImage(
  root: string,
  path: string,
  apps?: string,
): Promise<BuiltImage & { names: string[] }> {
  if (process.platform !== 'linux')
    throw new Error('The image is made of the programs of a Linux machine. Run this there.');
  const base: ImageTree = new Map();
  addBusybox(base);
  addNode(base, addPackages(base, root, 'simulated-phone', HOME));
  for (const folder of ['dev', 'proc', 'sys', 'etc', 'data']) addEntry(base, { kind: 'folder', path: folder, mode: 0o755 }); // prettier-ignore
  addEntry(base, { kind: 'folder', path: 'tmp', mode: 0o1777 });
  addEntry(base, { kind: 'text', path: 'etc/passwd', text: 'root:x:0:0:root:/:/bin/sh\n', mode: 0o644 });
  addEntry(base, { kind: 'text', path: 'etc/group', text: 'root:x:0:\n', mode: 0o644 });
  const compiled = await mkdtemp(join(tmpdir(), 'phone-image-'));
  try {
    await compile(root, compiled);
    const phone: ImageTree = new Map();
    addFolder(phone, compiled, HOME);
    addEntry(phone, { kind: 'text', path: `${HOME}/package.json`, text: '{"type": "module"}\n', mode: 0o644 });
    addEntry(phone, { kind: 'text', path: 'init', text: INIT, mode: 0o755 });
    const names = namesFor(root);
    const layers = [
      { tree: base, about: 'Node, its libraries, busybox and packages' },
      { tree: phone, about: 'The simulated phone' },
      ...(apps === undefined ? [] : [{ tree: treeOf(apps, APPS), about: 'Further apps' }]),
    ];
    const image = await writeImage(path, layers, {
      names,
      entrypoint: ENTRYPOINT,
      environment: [
        'PATH=/usr/bin:/bin',
        'NODE_ENV=production',
        ...(apps === undefined ? [] : [`SIMULATED_APPS_DIR=/${APPS}`]),
      ],
      ports: ['5555/tcp'],
      volumes: ['/data'],
    });
    return { ...image, names };
  } finally {
    await rm(compiled, { recursive: true, force: true });
  }
}

function treeOf(folder: string, path: string): ImageTree {
  const tree: ImageTree = new Map();
  addFolder(tree, folder, path);
  return tree;
}

/** Compiles only the files that the phone imports, so that nothing of an earlier build is in the image. */
async function compile(root: string, into: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  const words = ['-p', join(root, 'simulated-phone'), '--outDir', into, '--incremental', 'false', '--tsBuildInfoFile', 'null']; // prettier-ignore
  await promisify(execFile)(process.execPath, [compiler, ...words]).catch((error: unknown) => {
    const { stdout = '' } = error as { stdout?: string };
    throw new Error(`The simulated phone does not compile: ${stdout.slice(0, 2_000)}`, { cause: error });
  });
}

/**
 * Returns names with localhost/, as Podman has them. An engine would pull other names, if it has not loaded them, from a registry, where
 * anybody may own them.
 */
function namesFor(root: string): string[] {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return [version, 'latest'].map((tag) => `localhost/cloudphone/simulated-phone:${tag}`);
}
