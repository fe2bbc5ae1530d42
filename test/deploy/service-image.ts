import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeImage } from '../../simulated-phone/image/archive.js';
import { addEntry, type ImageTree } from '../../simulated-phone/image/image-entry.js';
import { addBusybox } from '../../simulated-phone/image/programs.js';
import type { ContainerEngine } from '../../testing/container-engine.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const NAME = 'cloudphone/service:test';

/** Debian's packages of which every Debian image has the libraries. */
const LIBRARIES = ['libc6', 'libgcc-s1', 'libstdc++6'];

/**
 * Builds the second stage of deploy/Dockerfile with an engine and returns the image's name. No registry is needed: the base is busybox with
 * libraries of this machine, which must be a Debian. The files of the first stage are made here by the same program, from the compiled
 * files. Its other commands, `npm ci` and the build, are those of CI.
 */
export async function buildServiceImage(engine: ContainerEngine, folder: string): Promise<string> {
  const context = join(folder, 'context');
  await promisify(execFile)(process.execPath, [join(ROOT, 'dist/deploy/image/main.js'), context]);
  const base = await engine.load(await writeBase(join(folder, 'base.tar')));
  const file = join(folder, 'Dockerfile');
  writeFileSync(file, secondStage(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')));
  // Podman's own format has no health checks, and layers for each line would be written one after the other.
  const words = engine.kind === 'podman' ? ['--format', 'docker', '--layers=false'] : [];
  await engine.cli('build', ...words, '--build-arg', `BASE_IMAGE=${base}`, '--tag', NAME, '--file', file, context);
  return NAME;
}

/** The Dockerfile without its first stage, with that stage's files taken from the context. */
function secondStage(dockerfile: string): string {
  const at = dockerfile.indexOf('FROM ${BASE_IMAGE}');
  if (at === -1) throw new Error('deploy/Dockerfile has no stage from BASE_IMAGE');
  return `ARG BASE_IMAGE\n${dockerfile.slice(at).replaceAll(/--from=build (--chown=\S+ )?\/image\//g, '$1')}`;
}

async function writeBase(path: string): Promise<string> {
  const tree: ImageTree = new Map();
  addBusybox(tree);
  const installed = execFileSync('dpkg', ['-L', ...LIBRARIES], { encoding: 'utf8' }).split('\n');
  for (const source of installed.filter((one) => /^(\/usr)?\/lib[^/]*\/([^/]+\/)?[^/]+\.so(\.\d+)*$/.test(one))) {
    const entry = { kind: 'file', source, sizeBytes: statSync(source).size, mode: 0o755 } as const;
    addEntry(tree, { ...entry, path: source.slice(1) });
  }
  for (const name of ['dev', 'proc', 'sys', 'etc', 'run', 'usr'])
    addEntry(tree, { kind: 'folder', path: name, mode: 0o755 });
  addEntry(tree, { kind: 'folder', path: 'tmp', mode: 0o1777 });
  addEntry(tree, { kind: 'text', path: 'etc/passwd', text: 'root:x:0:0:root:/:/bin/sh\n', mode: 0o644 });
  await writeImage(path, [{ tree, about: 'busybox and libraries' }], {
    names: ['cloudphone/base:test'],
    entrypoint: ['/bin/sh'],
    environment: ['PATH=/usr/local/bin:/usr/bin:/bin'],
    ports: [],
    volumes: [],
  });
  return path;
}
