import { isWithin, parentPath } from './phone-path.js';

/**
 * The user of a file operation: the system with its apps, the shell (uid 2000), or the user of one app (`app:com.example`). A locked phone
 * keeps the shell out of most places.
 */
export type User = 'system' | 'shell' | `app:${string}`;

/** Returns the folder in which an app keeps its files. */
export function dataFolderOf(packageName: string): string {
  return `/data/data/${packageName}`;
}

export interface Access {
  read: boolean;
  write: boolean;
  /** Whether it may pass through, or reach a file by its full name. */
  traverse: boolean;
}

const full: Access = { read: true, write: true, traverse: true };
const readOnly: Access = { read: true, write: false, traverse: true };
const passOnly: Access = { read: false, write: false, traverse: true };
const none: Access = { read: false, write: false, traverse: false };

/** The rules for the shell, the most specific first. `below` holds for the contents of the folder, `itself` for the folder. */
const SHELL_RULES: { path: string; itself: Access; below: Access }[] = [
  { path: '/data/local/tmp', itself: full, below: full },
  { path: '/data/local', itself: passOnly, below: none },
  { path: '/data/app', itself: passOnly, below: readOnly },
  { path: '/data', itself: passOnly, below: none },
  { path: '/storage/emulated/0', itself: full, below: full },
  { path: '/storage/emulated', itself: passOnly, below: none },
  { path: '/dev/input', itself: readOnly, below: full },
  { path: '/', itself: readOnly, below: readOnly },
];

export function accessOf(user: User, path: string): Access {
  if (user === 'system') return full;
  if (user !== 'shell') {
    const own = dataFolderOf(user.slice('app:'.length));
    if (isWithin(path, own)) return full;
    // It passes through the folders that lead to its own.
    if (path === parentPath(own)) return passOnly;
  }
  for (const rule of SHELL_RULES) {
    if (path === rule.path) return rule.itself;
    if (isWithin(path, rule.path)) return rule.below;
  }
  return none;
}

/** Returns the owner that `ls -l` shows. */
export function ownerOf(path: string): { uid: number; gid: number } {
  if (isWithin(path, '/storage')) return { uid: 0, gid: 1015 };
  if (isWithin(path, '/data/local/tmp')) return { uid: 2000, gid: 2000 };
  if (isWithin(path, '/data')) return { uid: 1000, gid: 1000 };
  return { uid: 0, gid: 0 };
}
