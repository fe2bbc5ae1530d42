// Builds the control panel when one of its sources, or the lock file with its libraries, is newer than the last build. So every `npm start`
// can call it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const panel = import.meta.dirname;
const changedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

// A folder is as new as the last file that was removed from it.
const sources = ['src', 'public', '../reference/samples', '../replay'].flatMap((folder) => [
  join(panel, folder),
  ...readdirSync(join(panel, folder), { recursive: true }).map((name) => join(panel, folder, name)),
]);
const others = [join(panel, 'index.html'), join(panel, 'vite.config.mjs'), join(panel, '../package-lock.json')];
const newestMs = Math.max(...[...sources, ...others].map(changedMs));

if (newestMs > changedMs(join(panel, 'dist/index.html'))) {
  const { build } = await import('vite');
  await build({ configFile: join(panel, 'vite.config.mjs'), logLevel: 'warn' });
}
