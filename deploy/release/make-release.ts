import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseBill } from './bill.js';
import { releaseChart } from './chart.js';
import { checkChangelog, checkReleaseBefore, checkTree, checkVersions } from './checks.js';
import { CHECKSUMS, writeChecksums } from './checksums.js';
import { releasePhoneImage, releaseServiceImage } from './container-images.js';
import { releaseClient, releaseMcp } from './npm-packages.js';
import { type Part, type Release, SkippedPart } from './part.js';
import { releaseWheel } from './wheel.js';

/** All parts, in their order. */
export const PARTS: readonly Part[] = [
  { name: 'tree', isCheck: true, run: checkTree },
  { name: 'changelog', isCheck: true, run: checkChangelog },
  { name: 'versions', isCheck: true, run: checkVersions },
  { name: 'before', isCheck: true, run: checkReleaseBefore },
  { name: 'client', isCheck: false, run: releaseClient },
  { name: 'mcp', isCheck: false, run: releaseMcp },
  { name: 'python', isCheck: false, run: releaseWheel },
  { name: 'chart', isCheck: false, run: releaseChart },
  { name: 'bill', isCheck: false, run: releaseBill },
  { name: 'image', isCheck: false, run: releaseServiceImage },
  { name: 'phone-image', isCheck: false, run: releasePhoneImage },
];

/**
 * Makes the folder of a release anew. Throws for one that is not empty and has no checksums of a release: it may be anybody's, as the folder
 * is named by hand.
 */
function emptyOutput(output: string): void {
  const checksums = join(output, CHECKSUMS);
  if (existsSync(output) && readdirSync(output).length > 0 && !existsSync(checksums))
    throw new Error(`${output} has files, and no ${CHECKSUMS} of a release. Name another folder, or empty it.`);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  // From the beginning, so that the folder of a release that broke off is known too.
  writeFileSync(checksums, '');
}

export interface Outcomes {
  failed: number;
  skipped: number;
}

/**
 * Makes the parts one after the other, and a list of checksums of what they wrote. Each is reported by `say` when it has ended. All
 * checks run, so that all faults are seen at once; the builds only after good ones.
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
