import type { Toc } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { type Choice, NoChoice } from '../splits/choice.js';
import { chooseByNames } from '../splits/choose-by-names.js';
import { baseByToc, chooseByToc } from '../splits/choose-by-toc.js';
import { baseByNames } from '../splits/one-of-each.js';
import type { PhoneTraits } from '../splits/phone-traits.js';
import { ApkError, notAnApk } from './apk-error.js';
import type { BundleManifest } from './bundle-manifest.js';
import { TOC } from './read-toc.js';
import type { UnpackedApk, Unpacking } from './unpacking.js';

/** Most APKs of one app that are installed: bundletool makes tens for a phone. */
const MAX_PARTS = 100;
/**
 * Most APKs that are unpacked where only their manifests tell which the phone needs. A large app has one for each of 80 languages, 7
 * densities and 4 ABIs, and more for its modules. One ReadBudget bounds the work and memory of all together.
 */
const MAX_NAMED_APKS = 500;

/** The APKs of a bundle for a phone. */
export interface BundleApks extends Pick<Choice, 'leftOut'> {
  /** The APKs that are installed, with the base APK among them. */
  installed: readonly UnpackedApk[];
}

export interface Bundle {
  /** The names of its files. */
  names: readonly string[];
  toc: Toc | undefined;
  manifest: BundleManifest | undefined;
  unpacking: Unpacking;
}

/**
 * Unpacks and reads the APKs of a bundle, and chooses those for the phone. With a `toc.pb` they are chosen first, and the others are not
 * read. Without a phone, the base APK alone is chosen.
 *
 * Throws ApkError when the bundle is faulty, or has no APKs for the phone.
 */
export async function apksOf(bundle: Bundle, phone: PhoneTraits | undefined): Promise<BundleApks> {
  return bundle.toc === undefined ? byNames(bundle, phone) : byToc(bundle, bundle.toc, phone);
}

async function byToc({ names, unpacking }: Bundle, toc: Toc, phone: PhoneTraits | undefined): Promise<BundleApks> {
  const choice = chosen(() => (phone ? chooseByToc(toc, phone) : { installed: [baseByToc(toc)], leftOut: [] }));
  assertFewParts(choice);
  const installed = await unpackAll(choice.installed, { names, unpacking, source: TOC });
  const known = new Set(names);
  return { installed, leftOut: choice.leftOut.filter(({ file }) => known.has(file)) };
}

async function byNames({ names, manifest, unpacking }: Bundle, phone: PhoneTraits | undefined): Promise<BundleApks> {
  const inside = manifest?.apks ?? installableOf(names);
  if (inside.length === 0) throw notAnApk('AndroidManifest.xml is missing, and there are no APKs in it');
  const files = [...new Set(inside)];
  if (files.length > MAX_NAMED_APKS) throw invalidBundle(`it has over ${MAX_NAMED_APKS} APKs`);
  const all = await unpackAll(files, { names, unpacking, source: manifest?.name ?? '' });
  const described = all.map(({ file, apk }) => ({ file, ...apk }));
  if (all.every(({ apk }) => apk.split !== undefined)) throw invalidBundle('its base APK is missing');
  const choice = chosen(() =>
    phone ? chooseByNames(described, phone) : { installed: [baseByNames(described)], leftOut: [] },
  );
  assertFewParts(choice);
  const { installed, leftOut } = choice;
  const isInstalled = new Set(installed);
  return { installed: all.filter(({ file }) => isInstalled.has(file)), leftOut };
}

function assertFewParts({ installed }: Choice): void {
  if (installed.length > MAX_PARTS) throw invalidBundle(`it has over ${MAX_PARTS} APKs for one phone`);
}

/** Unpacks APKs, which must be of one app and version. `source` is the file that names them. */
async function unpackAll(
  files: readonly string[],
  { names, unpacking, source }: Pick<Bundle, 'names' | 'unpacking'> & { source: string },
): Promise<UnpackedApk[]> {
  const known = new Set(names);
  const missing = files.find((file) => !known.has(file));
  if (missing !== undefined) throw invalidBundle(`its ${source} names ${missing.slice(0, 100)}, which is not in it`);
  const all: UnpackedApk[] = [];
  for (const file of files) all.push(await unpacking.unpackApk(file));
  const first = all.find(({ apk }) => apk.split === undefined) ?? all[0];
  const odd = all.find(({ apk }) => apk.package !== first?.apk.package || apk.versionCode !== first.apk.versionCode);
  if (odd !== undefined)
    throw invalidBundle(`its APKs are of different apps or versions (${odd.apk.package} ${odd.apk.versionCode})`);
  return all;
}

/**
 * Returns the names of the APKs that are for an installation. bundletool puts the splits for new phones into one folder. Its other APKs are
 * whole: one for each kind of old phone, or one for all phones.
 */
function installableOf(names: readonly string[]): string[] {
  const apks = names.filter((name) => /\.apk$/i.test(name));
  const splits = apks.filter((name) => name.startsWith('splits/'));
  if (splits.length > 0) return splits;
  if (apks.includes('universal.apk')) return ['universal.apk'];
  return apks.filter((name) => !/^(standalones|instant|archive)\//.test(name));
}

function chosen(choose: () => Choice): Choice {
  try {
    return choose();
  } catch (error) {
    throw error instanceof NoChoice ? invalidBundle(error.message, error.code) : error;
  }
}

/** The error of a bundle that cannot be installed, or not on this phone. */
export function invalidBundle(detail: string, code = 'INSTALL_FAILED_INVALID_APK'): ApkError {
  return new ApkError(code, `This bundle cannot be installed: ${detail}`);
}
