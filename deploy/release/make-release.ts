import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseBill } from './bill.js';
import { releaseChart } from './chart.js';
import { checkChangelog, checkReleaseBefore, checkTree, checkVersions } from './checks.js';
import { releasePhoneImage, releaseServiceImage } from './container-images.js';
import { releaseCli, releaseClient, releaseMcp } from './npm-packages.js';
import { type Part, type Release, SkippedPart } from './part.js';
import { releaseWheel } from './wheel.js';

/** All parts, in their order. */
export const PARTS: readonly Part[] = [
  { name: 'tree', isCheck: true, run: checkTree },
  { name: 'changelog', isCheck: true, run: checkChangelog },
  { name: 'versions', isCheck: true, run: checkVersions },
  { name: 'before', isCheck: true, run: checkReleaseBefore },
  { name: 'client', isCheck: false, run: releaseClient },
  { name: 'cli', isCheck: false, run: releaseCli },
  { name: 'mcp', isCheck: false, run: releaseMcp },
  { name: 'python', isCheck: false, run: releaseWheel },
  { name: 'chart', isCheck: false, run: releaseChart },
  { name: 'bill', isCheck: false, run: releaseBill },
  { name: 'image', isCheck: false, run: releaseServiceImage },
  { name: 'phone-image', isCheck: false, run: releasePhoneImage },
];

/** The list of digests. A folder that has it counts as the folder of a release. */
const CHECKSUMS = 'SHA256SUMS';

/**
 * Empties the folder of a release, or makes it. Throws when the folder has files but no checksums of a release. The user names the folder
 * by hand, so those files may be something else.
 */
function emptyOutput(output: string): void {
  const checksums = join(output, CHECKSUMS);
  if (existsSync(output) && readdirSync(output).length > 0 && !existsSync(checksums))
    throw new Error(`${output} has files, and no ${CHECKSUMS} of a release. Name another folder, or empty it.`);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  // The list exists from the beginning, so that the folder is recognized even when the release broke off.
  writeFileSync(checksums, '');
}

export interface Outcomes {
  failed: number;
  skipped: number;
}

/**
 * Makes the parts one after the other, and a list of checksums of the files that they wrote. `say` reports each part when it has ended. All
 * checks run, so that all faults are seen together. Builds run only when all checks passed.
 */
export async function makeRelease(
  release: Release,
  parts: readonly Part[],
  say: (line: string) => void,
): Promise<Outcomes> {
  const outcomes = { failed: 0, skipped: 0 };
  emptyOutput(release.output);
  let checksFailed = false;
  for (const part of parts) {
    try {
      if (!part.isCheck && checksFailed) throw new SkippedPart('a check failed');
      say(`done     ${part.name}: ${await part.run(release)}`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isSkipped = error instanceof SkippedPart;
      outcomes[isSkipped ? 'skipped' : 'failed']++;
      checksFailed ||= part.isCheck;
      say(`${isSkipped ? 'skipped ' : 'FAILED  '} ${part.name}: ${message}`);
    }
  }
  const files = await writeChecksums(release.output);
  say(
    `${release.version}: ${parts.length - outcomes.failed - outcomes.skipped} done, ${outcomes.skipped} skipped, ${outcomes.failed} failed; ${files.length} files in ${release.output}`,
  );
  return outcomes;
}

/** Writes the digests of the files in a folder, as `sha256sum --check` reads them. Returns their names. */
async function writeChecksums(folder: string): Promise<string[]> {
  const names = readdirSync(folder)
    .filter((name) => name !== CHECKSUMS)
    .sort();
  let lines = '';
  for (const name of names) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(folder, name))) hash.update(chunk as Buffer);
    lines += `${hash.digest('hex')}  ${name}\n`;
  }
  writeFileSync(join(folder, CHECKSUMS), lines);
  return names;
}
