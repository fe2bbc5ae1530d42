/** One file, folder or link of an image. Owners are root and times are zero, so that equal contents are equal layers. */
export type ImageEntry = { path: string; mode: number } & (
  | { kind: 'folder' }
  | { kind: 'link'; target: string }
  /** `source`: the path on this machine. */
  | { kind: 'file'; source: string; sizeBytes: number }
  | { kind: 'text'; text: string }
);

/** The entries by path, without the leading slash. */
export type ImageTree = Map<string, ImageEntry>;

/** Adds an entry with the folders that it is in. */
export function addEntry(tree: ImageTree, entry: ImageEntry): void {
  const parts = entry.path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const path = parts.slice(0, depth).join('/');
    if (!tree.has(path)) tree.set(path, { path, mode: 0o755, kind: 'folder' });
  }
  tree.set(entry.path, entry);
}
