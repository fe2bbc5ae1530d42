import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { addEntry, type ImageTree } from './image-entry.js';

interface PackageFile {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/**
 * Files that no program reads: types, maps, texts for people, sources of native code, and fonts in formats that the phone does not use.
 * The phone uses WOFF for emoji alone (fallback-fonts.ts).
 */
const UNUSED_FILE =
  /\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|c|cc|h|gyp|css|scss)$|(?<!-emoji-400-normal)\.woff$|\/sbom\.cdx\.json$/;

/** License files, which are kept in every format, because the image is a copy of the licensed works. */
const LICENSE = /\/(licen[cs]e|notice|copying)[^/]*$/i;

/** Folders at a package's top with texts, tests or sources of native code, and folders with native code for other machines. */
const UNUSED_FOLDER = new RegExp(
  `node_modules/(@[^/]+/)?[^/]+/(\\.github|docs?|test|tests|__tests__|include)$|/prebuilds/(?!${process.platform}-${process.arch}$)[^/]+$`,
);

/**
 * Adds the packages that a workspace needs to run to `folder` of the tree, with the dependencies of those packages. A package has the same
 * place below `folder` as below the root of the repository, so that Node finds it there. Returns the packages' folders on this machine.
 */
export function addPackages(tree: ImageTree, root: string, workspace: string, folder: string): string[] {
  const folders = packageFolders(root, [workspace]);
  for (const one of folders) addFolder(tree, one, join(folder, relative(root, one)));
  return folders;
}

export interface PackageChoice {
  /** Packages that are left out, with the dependencies that no other package needs. */
  without?: ReadonlySet<string>;
  /** Whether the workspaces' development dependencies count too, as for a bundle that is made of them. */
  development?: boolean;
}

/** Returns the folders of the packages that workspaces need to run, and of the dependencies of those packages. */
export function packageFolders(root: string, workspaces: readonly string[], choice: PackageChoice = {}): string[] {
  const { without, development = false } = choice;
  const found = new Set<string>();
  const visit = (from: string, isWorkspace = false): void => {
    for (const { name, isOptional } of dependenciesOf(join(from, 'package.json'), isWorkspace && development)) {
      if (without?.has(name) === true) continue;
      const packageFolder = findPackage(root, from, name);
      if (packageFolder === undefined) {
        if (isOptional) continue;
        throw new Error(`The package ${name} is not installed. Run npm ci.`);
      }
      if (found.has(packageFolder)) continue;
      found.add(packageFolder);
      visit(packageFolder);
    }
  };
  for (const workspace of workspaces) visit(join(root, workspace), true);
  return [...found].sort();
}

/** Adds the files of a folder that a program may read. The folder's own packages are left out. */
export function addFolder(tree: ImageTree, from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const path = join(to, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && !UNUSED_FOLDER.test(`/${path}`)) addFolder(tree, source, path);
    } else if (entry.isFile() && (LICENSE.test(`/${path}`) || !UNUSED_FILE.test(`/${path}`))) {
      const { size, mode } = statSync(source);
      addEntry(tree, { kind: 'file', path, source, sizeBytes: size, mode: (mode & 0o100) === 0 ? 0o644 : 0o755 });
    }
  }
}

function dependenciesOf(path: string, development: boolean): { name: string; isOptional: boolean }[] {
  const read = JSON.parse(readFileSync(path, 'utf8')) as PackageFile;
  // npm lists optional packages among the dependencies too.
  const isOptional = (name: string): boolean =>
    read.peerDependenciesMeta?.[name]?.optional === true || Object.hasOwn(read.optionalDependencies ?? {}, name);
  const all = {
    ...(development && read.devDependencies),
    ...read.dependencies,
    ...read.peerDependencies,
    ...read.optionalDependencies,
  };
  return Object.keys(all).map((name) => ({ name, isOptional: isOptional(name) }));
}

/** Returns the folder in which Node finds a package that another one needs. */
function findPackage(root: string, from: string, name: string): string | undefined {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (statSync(join(candidate, 'package.json'), { throwIfNoEntry: false })?.isFile() === true) return candidate;
  }
  return undefined;
}
