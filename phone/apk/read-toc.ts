import { fromBinary } from '@bufbuild/protobuf';
import { type Toc, TocSchema } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { ApkError } from './apk-error.js';
import type { ReadBudget } from './read-budget.js';
import type { ZipFile } from './zip-file.js';

/** The file of a bundle in which bundletool describes its APKs. */
export const TOC = 'toc.pb';

/** An APK takes some 100 bytes. A message takes two at least, so this bounds what decoding takes. */
const MAX_TOC_BYTES = 1024 ** 2;
/** A set for old phones has one for each kind of processor and density, some 50. */
const MAX_VARIANTS = 200;
/** Modules of all variants, and packs of assets. */
const MAX_MODULES = 2_000;
/** APKs of all modules: a module has up to 100. */
const MAX_APKS = 10_000;

/**
 * Reads a bundle's `toc.pb`, which may be hostile. Returns undefined when there is none. Throws ApkError for one that is broken, over the
 * budget, or larger than those of apps.
 */
export async function readToc(zip: ZipFile, budget: ReadBudget): Promise<Toc | undefined> {
  const bytes = await zip.read(TOC, MAX_TOC_BYTES, budget);
  if (bytes === undefined) return undefined;
  const toc = decoded(bytes);
  const modules = toc.variants.flatMap((one) => one.modules);
  const apks = [...modules, ...toc.assetPacks].reduce((count, one) => count + one.apks.length, 0);
  assertAtMost(toc.variants.length, MAX_VARIANTS, 'variants');
  assertAtMost(modules.length + toc.assetPacks.length, MAX_MODULES, 'modules');
  assertAtMost(apks, MAX_APKS, 'APKs');
  budget.spendWork(modules.length + apks);
  return toc;
}

function decoded(bytes: Buffer): Toc {
  try {
    // Fields that are not needed are not kept, as each would take more memory than it has bytes.
    return fromBinary(TocSchema, bytes, { readUnknownFields: false });
  } catch {
    throw new ApkError('INSTALL_FAILED_INVALID_APK', `its ${TOC} is broken; make the APKs again with bundletool`);
  }
}

function assertAtMost(count: number, most: number, what: string): void {
  if (count > most) throw new ApkError('INSTALL_FAILED_INVALID_APK', `its ${TOC} has over ${most} ${what}`);
}
