import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import type { ImageEntry, ImageTree } from './image-entry.js';

/** The digest and the size by which images refer to a layer. */
export interface LayerFacts {
  /** SHA-256 of the tar file. */
  digest: string;
  sizeBytes: number;
}

/** Returns the layer's tar file, sorted by path. */
export function layerTar(tree: ImageTree): Pack {
  const tar = pack();
  const entries = [...tree.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  void addAll(tar, entries).catch((error: unknown) => tar.destroy(error instanceof Error ? error : undefined));
  return tar;
}

/** Packs the layer only to measure it, as an archive needs a layer's digest and size before the layer itself. */
export async function measureLayer(tree: ImageTree): Promise<LayerFacts> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      sizeBytes += chunk.length;
      done();
    },
  });
  await pipeline(layerTar(tree), sink);
  return { digest: hash.digest('hex'), sizeBytes };
}

async function addAll(tar: Pack, entries: readonly ImageEntry[]): Promise<void> {
  for (const entry of entries) {
    const header = headerOf(entry);
    if (entry.kind === 'file') await pipeline(createReadStream(entry.source), tar.entry(header));
    else if (entry.kind === 'text') tar.entry(header, entry.text);
    else tar.entry(header);
  }
  tar.finalize();
}

function headerOf(entry: ImageEntry): Parameters<Pack['entry']>[0] {
  const shared = { name: entry.path, mode: entry.mode, uid: 0, gid: 0, mtime: new Date(0) };
  switch (entry.kind) {
    case 'folder':
      return { ...shared, type: 'directory' };
    case 'link':
      return { ...shared, type: 'symlink', linkname: entry.target };
    case 'file':
      return { ...shared, type: 'file', size: entry.sizeBytes };
    case 'text':
      return { ...shared, type: 'file', size: Buffer.byteLength(entry.text) };
  }
}
