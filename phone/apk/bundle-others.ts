import { posix } from 'node:path';

/** A file of a bundle that is not installed. */
export interface LeftOut {
  /** Its name in the bundle. */
  file: string;
  /** Why, for people. */
  reason: string;
}

/** Android's stores allow two expansion files for an app. */
const MAX_EXPANSIONS = 10;

/** Files that describe the bundle. The makers of bundles add them, and they have nothing of the app. */
const ABOUT_BUNDLE = /^(toc\.pb|(manifest|info)\.json|icon\.(png|jpe?g|webp)|[^/]+\.url|META-INF\/.*)$/;

/**
 * Divides the files of a bundle that are not among the installed APKs. Some are expansion files (OBB) of the app, and others are left out.
 */
export function othersOf(
  names: readonly string[],
  installed: readonly string[],
  packageName: string,
): { expansions: string[]; leftOut: LeftOut[] } {
  const expansions = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const apks = new Set(installed);
  for (const file of names.toSorted()) {
    if (apks.has(file) || file.endsWith('/') || ABOUT_BUNDLE.test(file)) continue;
    const name = posix.basename(file);
    const reason = reasonToLeaveOut(file, packageName, expansions);
    if (reason === undefined) expansions.set(name, file);
    else leftOut.push({ file, reason });
  }
  return { expansions: [...expansions.values()], leftOut };
}

function reasonToLeaveOut(
  file: string,
  packageName: string,
  expansions: ReadonlyMap<string, string>,
): string | undefined {
  if (file.startsWith('standalones/')) return 'an APK for Android before 5, in place of the splits';
  if (file.startsWith('instant/')) return 'an APK for use without an installation';
  if (file.startsWith('archive/')) return 'an APK for an archived app';
  if (/\.apk$/i.test(file)) return 'the bundle has other APKs that are installed in its place';
  if (!/\.obb$/i.test(file)) return 'only APKs and expansion files are installed';
  const name = posix.basename(file);
  const [beginning] = /^(?:main|patch)\.\d+\./.exec(name) ?? [];
  if (beginning === undefined || name !== `${beginning}${packageName}.obb`)
    return `expansion files of this app are named main.<version>.${packageName}.obb or patch.<version>.${packageName}.obb`;
  if (expansions.has(name)) return 'the bundle has another expansion file of this name';
  return expansions.size < MAX_EXPANSIONS ? undefined : `at most ${MAX_EXPANSIONS} expansion files are installed`;
}
