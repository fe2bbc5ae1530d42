// Builds the documentation when one of its sources is newer than the last build: so every `npm start` can call it. It needs the compiled
// files of the folder and of what it imports.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const built = join(import.meta.dirname, 'dist');
const changedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

// A folder is as new as the last file that was removed from it.
const folders = ['reference/page', 'docs', ...['reference', 'gateway', 'kit', 'proto'].map((name) => `dist/${name}`)];
const sources = folders.flatMap((folder) => [
  folder,
  ...readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
]);
const others = ['README.md', 'client/README.md', 'package-lock.json'];
const newestMs = Math.max(...[...sources, ...others].map((path) => changedMs(join(root, path))));

const last = join(built, 'openapi-v1.yaml');
if (newestMs > changedMs(last)) {
  const { builtFiles } = await import('../dist/reference/site/built-files.js');
  const files = await builtFiles();
  // A gateway may be running: the folder that it serves is replaced whole.
  const made = `${built}.new`;
  const old = `${built}.old`;
  for (const path of [made, old]) rmSync(path, { recursive: true, force: true });
  for (const [path, content] of files) {
    mkdirSync(join(made, dirname(path)), { recursive: true });
    writeFileSync(join(made, path), content);
  }
  if (existsSync(built)) renameSync(built, old);
  renameSync(made, built);
  rmSync(old, { recursive: true, force: true });
}
