import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeRelease, PARTS } from './make-release.js';
import { productVersion } from './versions.js';

const NAMES = PARTS.map(({ name }) => name);
const HELP = `Usage: npm run release [-- OPTIONS]

Checks that a release can be made, builds its parts, tries each, and writes them with SHA256SUMS into release/.
Status 1: a part failed. Parts that this machine cannot make are skipped, with the reason.

  --only NAMES        some parts, with commas: ${NAMES.join(', ')}
  --complete          a skipped part fails the release
  --output FOLDER     in place of release/; the release that is in it is removed
  --node-image NAME   in place of the images that deploy/Dockerfile names
  --base-image NAME
`;

// The command `npm run release`. It checks, builds and tries all parts of a release on this machine.
const root = join(import.meta.dirname, '../../..');
try {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean' },
      only: { type: 'string' },
      complete: { type: 'boolean' },
      output: { type: 'string' },
      'node-image': { type: 'string' },
      'base-image': { type: 'string' },
    },
  });
  if (values.help === true) process.stdout.write(HELP);
  else {
    const only = values.only?.split(',') ?? NAMES;
    const unknown = only.find((name) => !NAMES.includes(name));
    if (unknown !== undefined) throw new Error(`--only: "${unknown}" is not one of ${NAMES.join(', ')}.`);
    const { 'node-image': node, 'base-image': base } = values;
    const release = {
      root,
      output: resolve(values.output ?? join(root, 'release')),
      version: productVersion(root),
      images: { ...(node !== undefined && { node }), ...(base !== undefined && { base }) },
    };
    const parts = PARTS.filter(({ name }) => only.includes(name));
    const { failed, skipped } = await makeRelease(release, parts, (line) => console.log(line));
    process.exitCode = failed > 0 || (values.complete === true && skipped > 0) ? 1 : 0;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
