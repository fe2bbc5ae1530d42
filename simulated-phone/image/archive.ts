import { begunAhead } from '../../kit/async/begun-ahead.js';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import type { ImageTree } from './image-entry.js';
import { layerTar, measureLayer } from './layer.js';

/** Docker's and OCI's configuration of an image, as far as it is used here. */
export interface ImageSettings {
  names: readonly string[];
  entrypoint: readonly string[];
  environment: readonly string[];
  ports: readonly string[];
  volumes: readonly string[];
}

export interface BuiltImage {
  /** SHA-256 of the configuration, by which engines know the image. Equal for equal content. */
  id: string;
  sizeBytes: number;
}

/** Processors by Node's and by OCI's names. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The same for every image, so that equal content has an equal id. */
const CREATED = '1970-01-01T00:00:00Z';

/**
 * Writes an image as one file that `docker load`, `podman load` and `ctr images import` read. It is in Docker's archive format; an engine
 * skips layers that it has. Only a part of one file at a time is held in memory. The file appears by one rename.
 */
export async function writeImage(
  path: string,
  layers: readonly { tree: ImageTree; about: string }[],
  settings: ImageSettings,
): Promise<BuiltImage> {
  const measured = [];
  for (const { tree, about } of layers) measured.push({ tree, about, ...(await measureLayer(tree)) });
  const empty = (paths: readonly string[]): object => Object.fromEntries(paths.map((one) => [one, {}]));
  const config = JSON.stringify({
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    created: CREATED,
    config: {
      Entrypoint: settings.entrypoint,
      Env: settings.environment,
      ExposedPorts: empty(settings.ports),
      Volumes: empty(settings.volumes),
      WorkingDir: '/',
      StopSignal: 'SIGTERM',
    },
    rootfs: { type: 'layers', diff_ids: measured.map(({ digest }) => `sha256:${digest}`) },
    history: measured.map(({ about }) => ({ created: CREATED, created_by: about })),
  });
  const id = createHash('sha256').update(config).digest('hex');
  const manifest = [
    { Config: `${id}.json`, RepoTags: settings.names, Layers: measured.map(({ digest }) => `${digest}.tar`) },
  ];
  const archive = pack();
  const temporary = `${path}.part`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const written = begunAhead(pipeline(archive, createWriteStream(temporary)));
    const added = addParts(archive, { id, config, manifest, measured }).catch((error: unknown) => {
      archive.destroy();
      throw error;
    });
    await Promise.all([added, written]);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  const sizeBytes = measured.reduce((sum, layer) => sum + layer.sizeBytes, 0);
  return { id, sizeBytes };
}

interface ArchiveParts {
  id: string;
  config: string;
  manifest: object;
  measured: readonly { tree: ImageTree; digest: string; sizeBytes: number }[];
}

async function addParts(archive: Pack, { id, config, manifest, measured }: ArchiveParts): Promise<void> {
  const shared = { mode: 0o644, mtime: new Date(0) };
  archive.entry({ ...shared, name: `${id}.json` }, config);
  archive.entry({ ...shared, name: 'manifest.json' }, JSON.stringify(manifest));
  for (const { tree, digest, sizeBytes } of measured) {
    await pipeline(layerTar(tree), archive.entry({ ...shared, name: `${digest}.tar`, size: sizeBytes }));
  }
  archive.finalize();
}
