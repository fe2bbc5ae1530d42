import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serviceFiles } from './service-files.js';
import { writeTree } from './write-tree.js';

// `node dist/deploy/image/main.js FOLDER`, in the build stage of deploy/Dockerfile after `npm ci` and `npm run build`: writes the files
// of the image into a new folder.
const root = join(import.meta.dirname, '../../..');
const [folder] = process.argv.slice(2);
try {
  if (folder === undefined) throw new Error('Usage: node dist/deploy/image/main.js FOLDER');
  const into = resolve(folder);
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const sizeBytes = await writeTree(await serviceFiles(root), into);
  console.log(`${into}: ${Math.round(sizeBytes / 1e6)} MB`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
