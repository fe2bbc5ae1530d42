import { join, resolve } from 'node:path';
import { writePhoneImage } from './phone-image.js';

// `npm run phone-image [-- FILE]`: the simulated phone as an image for container engines.
const root = join(import.meta.dirname, '../../..');
const path = resolve(process.argv[2] ?? join(root, 'dist/phone-image.tar'));
try {
  const { names, id, sizeBytes } = await writePhoneImage(root, path);
  console.log(`${path}: ${names.join(' and ')}, ${Math.round(sizeBytes / 1e6)} MB, id ${id.slice(0, 12)}`);
  console.log(`Load it with: podman load -i ${path}, or docker load -i ${path}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
