import type { ReadHandle, WriteHandle } from './file-handles.js';
import type { FileStat } from './file-stat.js';
import { baseName, parentPath } from './phone-path.js';

/** Files that are not on the disk: the read-only system, `/proc`, `/dev`. One tree serves every phone of a process. */
export class VirtualTree<Context> {
  readonly #nodes = new Map<string, VirtualNode<Context>>();
  readonly #children = new Map<string, string[]>();

  /** Adds a file. Folders on the way are made. */
  add(path: string, node: VirtualNode<Context>): void {
    if (!this.#nodes.has(path) && path !== '/') {
      const parent = parentPath(path);
      if (!this.#nodes.has(parent)) this.add(parent, { kind: 'directory' });
      const siblings = this.#children.get(parent) ?? [];
      siblings.push(baseName(path));
      this.#children.set(parent, siblings);
    }
    this.#nodes.set(path, node);
  }

  get(path: string): VirtualNode<Context> | undefined {
    return this.#nodes.get(path);
  }

  list(path: string): readonly string[] {
    return this.#children.get(path) ?? [];
  }

  stat(path: string, node: VirtualNode<Context>): FileStat {
    const owner = node.kind === 'file' && path.startsWith('/system/bin/') ? { uid: 0, gid: 2000 } : { uid: 0, gid: 0 };
    const shared = { ...owner, mtimeMs: SYSTEM_IMAGE_TIME_MS, ino: inodeOf(path), sizeBytes: 4096 };
    switch (node.kind) {
      case 'directory':
        return { ...shared, kind: 'directory', permissions: 0o755 };
      case 'link':
        return { ...shared, kind: 'link', permissions: 0o777, target: node.target, sizeBytes: node.target.length };
      case 'device':
        return { ...shared, kind: 'device', permissions: 0o666, sizeBytes: 0 };
      case 'input':
        return { ...shared, kind: 'device', permissions: 0o660, sizeBytes: 0, gid: INPUT_GID };
      case 'file':
        return { ...shared, kind: 'file', permissions: node.permissions ?? 0o444, sizeBytes: node.sizeBytes ?? 0 };
    }
  }
}

export type VirtualNode<Context> =
  | { kind: 'directory' }
  | { kind: 'link'; target: string }
  /** A file whose content is made when it is read. `sizeBytes`: the size that shows; files of /proc show 0 and still have content. */
  | { kind: 'file'; permissions?: number; sizeBytes?: number; read: (context: Context) => string }
  | { kind: 'device'; device: 'null' | 'zero' | 'random' }
  /** A file of the phone that acts on it when it is written. */
  | { kind: 'input'; device: (context: Context) => OpenedDevice };

export interface OpenedDevice {
  openRead(): ReadHandle;
  openWrite(): WriteHandle;
}

/** The group `input`, which the shell's user belongs to. */
const INPUT_GID = 1004;

/** 2009-01-01, the date Android gives to the files of its system image. */
const SYSTEM_IMAGE_TIME_MS = 1_230_768_000_000;

function inodeOf(path: string): number {
  let hash = 7;
  for (let at = 0; at < path.length; at++) hash = (hash * 31 + path.charCodeAt(at)) % 1_000_003;
  return hash + 1;
}
