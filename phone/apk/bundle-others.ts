import { posix } from 'node:path';
import type { LeftOut } from '../splits/choice.js';
import type { NamedExpansion } from './bundle-manifest.js';

/** Android's stores allow two expansion files for an app. */
const MAX_EXPANSIONS = 10;

/** Files that describe the bundle. The makers of bundles add them, and they have nothing of the app. */
const ABOUT_BUNDLE = /^(toc\.pb|(manifest|info)\.json|icon\.(png|jpe?g|webp)|[^/]+\.url|META-INF\/.*)$/;

/** An expansion file that is installed. */
export interface Expansion {
  /** Its name in the bundle. */
  file: string;
  /** Its name on the phone. */
  name: string;
}

/**
 * Divides the files of a bundle that are not among its judged APKs. Some are expansion files (OBB) of the app, and others are left out.
 * `named` are those of the bundle's manifest, which may have any names in the app's own folder.
 */
export function othersOf(
  names: readonly string[],
  judged: ReadonlySet<string>,
  packageName: string,
  named: readonly NamedExpansion[] = [],
): { expansions: Expansion[]; leftOut: LeftOut[] } {
  const places = new Map(named.map(({ file, installPath }) => [file, installPath]));
  const expansions = new Map<string, Expansion>();
  const leftOut: LeftOut[] = [];
  for (const file of names.toSorted()) {
    if (judged.has(file) || file.endsWith('/') || ABOUT_BUNDLE.test(file)) continue;
    const place = places.get(file);
    const name = posix.basename(place ?? file);
    const reason =
      (place === undefined ? reasonAgainst(file, packageName) : reasonAgainstPlace(place, packageName)) ??
      reasonBeside(name, expansions);
    if (reason === undefined) expansions.set(name, { file, name });
    else leftOut.push({ file, reason });
  }
  return { expansions: [...expansions.values()], leftOut };
}

function reasonAgainst(file: string, packageName: string): string | undefined {
  if (file.startsWith('standalones/')) return 'an APK for Android before 5, in place of the splits';
  if (file.startsWith('instant/')) return 'an APK for use without an installation';
  if (file.startsWith('archive/')) return 'an APK for an archived app';
  if (/\.apk$/i.test(file)) return 'the bundle has other APKs that are installed in its place';
  if (!/\.obb$/i.test(file)) return 'only APKs and expansion files are installed';
  const name = posix.basename(file);
  const [beginning] = /^(?:main|patch)\.\d+\./.exec(name) ?? [];
  if (beginning !== undefined && name === `${beginning}${packageName}.obb`) return undefined;
  return `expansion files of this app are named main.<version>.${packageName}.obb or patch.<version>.${packageName}.obb`;
}

/** A name that leads elsewhere would let a bundle write any file of the phone's shared storage. */
function reasonAgainstPlace(place: string, packageName: string): string | undefined {
  const folder = `Android/obb/${packageName}/`;
  const isInside = place.startsWith(folder) && /^[\w-][\w.-]{0,200}$/.test(place.slice(folder.length));
  return isInside ? undefined : `expansion files of this app are installed in ${folder} alone`;
}

function reasonBeside(name: string, expansions: ReadonlyMap<string, Expansion>): string | undefined {
  if (expansions.has(name)) return 'the bundle has another expansion file of this name';
  return expansions.size < MAX_EXPANSIONS ? undefined : `at most ${MAX_EXPANSIONS} expansion files are installed`;
}
