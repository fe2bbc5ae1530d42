import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writePhoneImage } from './phone-image.js';

// Runs `npm run phone-image [-- FILE] [--apps DIR]`, which writes the simulated phone as an image for container engines.
const root = join(import.meta.dirname, '../../..');
try {
  const { values, positionals } = parseArgs({ options: { apps: { type: 'string' } }, allowPositionals: true });
  const path = resolve(positionals[0] ?? join(root, 'dist/phone-image.tar'));
  const apps = values.apps === undefined ? undefined : resolve(values.apps);
  const { names, id, sizeBytes } = await writePhoneImage(root, path, apps);
  console.log(`${path}: ${names.join(' and ')}, ${Math.round(sizeBytes / 1e6)} MB, id ${id.slice(0, 12)}`);
  console.log(`Load it with: podman load -i ${path}, or docker load -i ${path}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
