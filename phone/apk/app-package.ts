import { stat } from 'node:fs/promises';
import type { HostSpace } from '../../kit/files/host-space.js';
import type { LeftOut } from '../splits/choice.js';
import type { PhoneTraits } from '../splits/phone-traits.js';
import { ApkError } from './apk-error.js';
import { type ApkLimits, DEFAULT_APK_LIMITS } from './apk-limits.js';
import { apksOf, invalidBundle } from './bundle-apks.js';
import { readBundleManifest } from './bundle-manifest.js';
import { othersOf } from './bundle-others.js';
import { readApkIn, type ApkDescription } from './read-apk.js';
import { ReadBudget } from './read-budget.js';
import { readToc } from './read-toc.js';
import { Unpacking, type UnpackedApk } from './unpacking.js';
import { ZipFile } from './zip-file.js';

/** An app as it is installed: the facts of its base APK, and all its APKs. */
export interface AppPackage {
  base: ApkDescription;
  /** The base APK and its splits, at least one. */
  parts: readonly AppPart[];
  /** The expansion files (OBB) of a bundle. */
  expansions: readonly AppPart[];
  /** The other files of a bundle. */
  leftOut: readonly LeftOut[];
}

export interface AppPart {
  /** The name on the phone: `base.apk`, `split_<name>.apk`, or the name of an expansion file. */
  name: string;
  /** Its name in the bundle; `base.apk` for a lone APK. */
  file: string;
  path: string;
  sizeBytes: number;
}

export interface ReadPackageOptions {
  unpackTo: string;
  /** The phone that the app is for. Absent: no one phone, and of a bundle the base APK alone is read. */
  phone?: PhoneTraits | undefined;
  /** The room on the disk of `unpackTo`. Absent: it is not measured. */
  hostSpace?: HostSpace;
  limits?: ApkLimits;
}

/**
 * Reads an untrusted file that is an APK, or a bundle: a zip file with the APKs of one app in it (`.apks`, `.xapk`, `.apkm`). The content
 * decides which it is. A bundle's APKs for the phone and its expansion files are unpacked into the folder `unpackTo`, whose former content
 * is removed.
 *
 * Every fault of the file throws ApkError with a text fit for the caller. Too little room on the disk throws HostFull. After an error,
 * files may be left in the folder. The call may block its thread for seconds, so services read untrusted files with AppReader.
 */
export async function readAppPackage(file: string, options: ReadPackageOptions): Promise<AppPackage> {
  const { limits = DEFAULT_APK_LIMITS } = options;
  const budget = new ReadBudget(limits);
  const zip = await ZipFile.open(file, limits, budget);
  try {
    zip.assertSound();
    if (!zip.has('AndroidManifest.xml')) return await readBundle(zip, { ...options, limits }, budget);
    return {
      base: await lone(zip, limits, budget),
      parts: [await asPart('base.apk', file)],
      expansions: [],
      leftOut: [],
    };
  } finally {
    await zip.close();
  }
}

/**
 * Returns whether an untrusted file is a bundle, of which a phone gets only some APKs. Throws ApkError for a file that is no sound zip file.
 * It reads the names of the entries alone.
 */
export async function isBundle(file: string, limits: ApkLimits = DEFAULT_APK_LIMITS): Promise<boolean> {
  const zip = await ZipFile.open(file, limits, new ReadBudget(limits));
  try {
    zip.assertSound();
    return !zip.has('AndroidManifest.xml');
  } finally {
    await zip.close();
  }
}

async function readBundle(
  zip: ZipFile,
  { unpackTo, phone, hostSpace, limits }: ReadPackageOptions & { limits: ApkLimits },
  budget: ReadBudget,
): Promise<AppPackage> {
  const names = [...zip.names()];
  if (zip.has('BundleConfig.pb')) throw forBundletool();
  const manifest = await readBundleManifest(zip, budget);
  const toc = await readToc(zip, budget);
  const unpacking = await Unpacking.begin({ zip, folder: unpackTo, hostSpace, limits, budget });
  const apks = await apksOf({ names, toc, manifest, unpacking }, phone);
  const base = apks.installed.find(({ apk }) => apk.split === undefined)?.apk;
  if (base === undefined) throw invalidBundle('its base APK is missing');
  const said = manifest?.package ?? (toc?.packageName || base.package);
  if (said !== base.package)
    throw invalidBundle(`it says that it is ${said.slice(0, 100)}, and its base APK is ${base.package}`);
  const parts = apks.installed.map(partOf);
  if (new Set(parts.map(({ name }) => name)).size < parts.length)
    throw invalidBundle('it has two APKs of one split for this phone');
  if (phone === undefined) return { base, parts, expansions: [], leftOut: [] };
  const judged = new Set([...apks.installed, ...apks.leftOut].map((one) => one.file));
  const others = othersOf(names, judged, base.package, manifest?.expansions);
  const lost = manifest?.expansions.find((one) => !zip.has(one.file));
  if (lost !== undefined)
    throw invalidBundle(`its ${manifest?.name} names ${lost.file.slice(0, 100)}, which is not in it`);
  const expansions: AppPart[] = [];
  for (const { file, name } of others.expansions) expansions.push({ ...(await unpacking.unpack(file, 'obb')), name });
  const leftOut = [...apks.leftOut, ...others.leftOut].sort((a, b) => (a.file < b.file ? -1 : 1));
  return { base, parts, expansions, leftOut };
}

async function lone(zip: ZipFile, limits: ApkLimits, budget: ReadBudget): Promise<ApkDescription> {
  const apk = await readApkIn(zip, limits, budget);
  if (apk.split !== undefined) throw new ApkError('INSTALL_FAILED_INVALID_APK', `this is only the split ${apk.split} of ${apk.package}; its base APK is missing`); // prettier-ignore
  return apk;
}

function partOf({ apk, ...unpacked }: UnpackedApk): AppPart {
  return {
    name: apk.split === undefined ? 'base.apk' : `split_${apk.split.replace(/[^\w.-]/g, '_')}.apk`,
    ...unpacked,
  };
}

async function asPart(name: string, file: string): Promise<AppPart> {
  return { name, file: name, path: file, sizeBytes: (await stat(file)).size };
}

/** The error of an App Bundle (.aab), of which stores make APKs. */
function forBundletool(): ApkError {
  return invalidBundle(
    'it is an Android App Bundle (.aab), of which APKs are made first. Run "bundletool build-apks --bundle=app.aab --output=app.apks", and send app.apks',
  );
}
