import { join } from 'node:path';
import { writeImage } from '../../simulated-phone/image/archive.js';
import { addEntry, type ImageTree } from '../../simulated-phone/image/image-entry.js';
import { addProgram } from '../../simulated-phone/image/programs.js';
import type { ContainerEngine } from '../../testing/container-engine.js';

/** Loads an image of this machine's Caddy (Debian package caddy) into an engine, as Caddy's own is: its command and its two volumes. */
export async function loadCaddyImage(engine: ContainerEngine, folder: string): Promise<string> {
  const tree: ImageTree = new Map();
  addProgram(tree, '/usr/bin/caddy', 'usr/bin/caddy');
  for (const path of ['data', 'config', 'tmp', 'dev', 'proc', 'sys', 'etc/caddy'])
    addEntry(tree, { kind: 'folder', path, mode: 0o755 });
  const archive = join(folder, 'caddy.tar');
  await writeImage(archive, [{ tree, about: 'Caddy' }], {
    names: ['cloudphone/caddy:test'],
    entrypoint: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'],
    environment: ['PATH=/usr/bin', 'XDG_CONFIG_HOME=/config', 'XDG_DATA_HOME=/data'],
    ports: [],
    volumes: [],
  });
  return engine.load(archive);
}
