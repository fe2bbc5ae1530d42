import { join } from 'node:path';
import { writeVersions } from './versions.js';

// `npm run release:version -- 0.3.0`: writes the version into every file that has it.
const root = join(import.meta.dirname, '../../..');
const [version, ...more] = process.argv.slice(2);
try {
  if (version === undefined || more.length > 0) throw new Error('Usage: npm run release:version -- 0.3.0');
  console.log(writeVersions(root, version).join('\n'));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
