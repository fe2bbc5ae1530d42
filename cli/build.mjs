// Builds the program: one file, and one for each command, with the client in them. A file for each module would cost each call 15 ms more of
// a processor. The types are checked by the compilation of the repository.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;
const outdir = join(folder, 'dist');

const { outputFiles } = await build({
  entryPoints: [join(folder, 'src/main.ts')],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Third-party packages stay packages, with their licences.
  packages: 'external',
  chunkNames: 'part-[hash]',
  logLevel: 'warning',
  write: false,
});

// The program may be in use meanwhile: files that are the same stay, others are replaced whole, and those of earlier builds go last.
mkdirSync(outdir, { recursive: true });
const before = new Set(readdirSync(outdir));
for (const { path, contents } of outputFiles) {
  const name = basename(path);
  const isSame = before.delete(name) && readFileSync(path).equals(contents);
  if (isSame) continue;
  const written = `${path}.${process.pid}`;
  writeFileSync(written, contents);
  renameSync(written, path);
}
for (const name of before) rmSync(join(outdir, name), { recursive: true, force: true });
