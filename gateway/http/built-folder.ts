import { type Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Middleware } from '../context.js';
import { type Asset, assetOf, kept, serve } from './asset.js';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
};

export interface BuiltFolderOptions {
  path: string;
  /** The name of the folder's contents, for the error when they are not built. */
  title: string;
  /** The command with which the operator builds the folder. */
  command: string;
  /** The beginning of the paths whose files never change, as their content's hash is in the path. */
  immutable: string;
  /** The path of a file without which the folder is not whole. */
  last: string;
  /** The Content-Security-Policy of the folder's pages. */
  policy: string;
  /** Changes the text of each file that is not immutable, when it is read. Absent: the files are sent as they were built. */
  fill?: (text: string) => string;
}

/** Returns the middleware that responds with the file of a path; undefined when there is no such file. */
export type FindFile = (path: string) => Promise<Middleware | undefined>;

/**
 * Opens a folder of files that the build made. The path of an `index.html` is that of its folder. Each file is read at its first
 * request, and kept. The function that is returned throws `unavailable` while the folder is not built or not whole.
 */
export function openBuiltFolder(options: BuiltFolderOptions): FindFile {
  const files = kept(() => filesOf(options));
  return async (path) => (await files()).get(path);
}

async function filesOf(options: BuiltFolderOptions): Promise<Map<string, Middleware>> {
  const { path: folder, title, command, last } = options;
  const notBuilt = (cause?: unknown): ApiError => {
    const message = `The ${title} has not been built. The operator does so with: ${command}`;
    return new ApiError('unavailable', message, { cause });
  };
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw notBuilt(cause);
  });
  const files = new Map(entries.filter((entry) => entry.isFile()).flatMap((entry) => fileOf(entry, options)));
  // This file is missing while a build is under way, or after a build was cut off. The next request then lists the folder again.
  if (!files.has(last)) throw notBuilt();
  return files;
}

/** Returns a file with its path, or nothing when files of its type are not sent to browsers. */
function fileOf(entry: Dirent, { path: folder, immutable, policy, fill }: BuiltFolderOptions): [string, Middleware][] {
  const type = TYPES[extname(entry.name)];
  if (type === undefined) return [];
  const file = join(entry.parentPath, entry.name);
  const path = `/${relative(folder, file)}`.replace(/(?<=\/)index\.html$/, '');
  const isImmutable = path.startsWith(immutable);
  const asset = kept(async (): Promise<Asset> => {
    if (fill === undefined || isImmutable) return assetOf(type, await readFile(file));
    return assetOf(type, fill(await readFile(file, 'utf8')));
  });
  return [[path, serve(asset, type === 'text/html' ? { policy } : { immutable: isImmutable })]];
}
