import { execFileSync } from 'node:child_process';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { addEntry, type ImageTree } from './image-entry.js';

const BUSYBOX_PLACES = ['/bin/busybox', '/usr/bin/busybox'];

/** Adds this machine's Node as /usr/bin/node, with the libraries that it and the native code of the packages need. */
export function addNode(tree: ImageTree, packages: readonly string[]): void {
  const node = realpathSync(process.execPath);
  addFile(tree, node, 'usr/bin/node', 0o755);
  const natives = packages.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.node$|\.so(\.\d+)*$/.test(name) && !/prebuilds\/(?!linux-)/.test(name))
      .map((name) => join(folder, name)),
  );
  const libraries = new Set<string>();
  for (const file of [node, ...natives.filter(isOfThisMachine)]) for (const one of librariesOf(file)) libraries.add(one); // prettier-ignore
  // Libraries inside packages are in the image already.
  for (const path of libraries) {
    if (!packages.some((folder) => path.startsWith(folder))) addFile(tree, path, path.slice(1), 0o755);
  }
}

/** Adds a program of this machine, with the libraries that it needs. */
export function addProgram(tree: ImageTree, source: string, path: string): void {
  addFile(tree, source, path, 0o755);
  for (const library of librariesOf(source)) addFile(tree, library, library.slice(1), 0o755);
}

/** Adds Debian's static busybox as the shell and its programs. */
export function addBusybox(tree: ImageTree, places: readonly string[] = BUSYBOX_PLACES): void {
  const busybox = places.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  if (busybox === undefined || librariesOf(busybox).length > 0) {
    throw new Error('The image needs a static busybox as its shell. Install the Debian package busybox-static.');
  }
  addFile(tree, busybox, 'bin/busybox', 0o755);
  for (const name of run(busybox, ['--list']).split('\n')) {
    if (name === '' || name === 'busybox') continue;
    addEntry(tree, { kind: 'link', path: `bin/${name}`, target: 'busybox', mode: 0o777 });
  }
}

function addFile(tree: ImageTree, source: string, path: string, mode: number): void {
  addEntry(tree, { kind: 'file', path, source, mode, sizeBytes: statSync(source).size });
}

/** Returns the paths of the shared libraries that the system's linker loads for a file; none for a static one. */
function librariesOf(file: string): string[] {
  let printed: string;
  try {
    printed = run('ldd', [file]);
  } catch (error) {
    // The linker reports a static program in this way.
    if (/not a dynamic executable/.test((error as { stderr?: string }).stderr ?? '')) return [];
    throw error;
  }
  const missing = /^\s*(\S+) => not found/m.exec(printed)?.[1];
  if (missing !== undefined) throw new Error(`The library ${missing}, which ${file} needs, is not installed.`);
  return [...printed.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)].map(([, path = '']) => path);
}

/** Whether native code is for this machine: packages may also have code for musl, or for other processors. */
function isOfThisMachine(file: string): boolean {
  return !/musl/.test(file) && (!/prebuilds\//.test(file) || file.includes(`prebuilds/${process.platform}-${process.arch}/`)); // prettier-ignore
}

function run(command: string, words: string[]): string {
  return execFileSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 16 * 1024 ** 2 }); // prettier-ignore
}
