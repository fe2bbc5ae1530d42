import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeImage } from '../simulated-phone/image/archive.js';
import type { ImageTree } from '../simulated-phone/image/image-entry.js';
import { addBusybox } from '../simulated-phone/image/programs.js';
import { DockerEngine } from './container-engine/docker-engine.js';
import type { ContainerEngine } from './container-engine/engine.js';
import { PodmanEngine } from './container-engine/podman-engine.js';

export type { ContainerEngine } from './container-engine/engine.js';

/** The engine that the tests run with, by the environment variable CONTAINER_ENGINE. */
const KIND = process.env['CONTAINER_ENGINE'] ?? 'podman';

/**
 * Starts an engine that keeps everything below a folder of the caller. Returns the reason, for `skip`, where no engine can run containers
 * here. The engine needs Linux, root, and Debian's `podman`, `netavark`, `aardvark-dns`, `runc` and `busybox-static`, or `docker.io`.
 */
export async function startEngine(folder: string): Promise<ContainerEngine | string> {
  if (KIND !== 'podman' && KIND !== 'docker')
    throw new Error(`CONTAINER_ENGINE="${KIND}" is neither podman nor docker`);
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs Linux and root, for containers';
  await mkdir(folder, { recursive: true });
  const engine = KIND === 'podman' ? new PodmanEngine(folder) : new DockerEngine(folder);
  try {
    await engine.restart();
    await runContainer(engine, folder);
    return engine;
  } catch (error) {
    await engine.close();
    const reason = error instanceof Error ? error.message : String(error);
    return `needs ${KIND}, able to run containers here: ${reason}`;
  }
}

/** An engine that serves its API may still not be allowed to run anything. */
async function runContainer(engine: ContainerEngine, folder: string): Promise<void> {
  const tree: ImageTree = new Map();
  addBusybox(tree);
  const archive = join(folder, 'probe.tar');
  await writeImage(archive, [{ tree, about: 'busybox' }], {
    names: ['cloudphone/probe:latest'],
    entrypoint: ['/bin/true'],
    environment: [],
    ports: [],
    volumes: [],
  });
  await engine.cli('run', '--rm', '--privileged', '--network', 'none', await engine.load(archive));
}
