import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { HostSpace } from '../../kit/files/host-space.js';
import { ApkError, notAnApk } from './apk-error.js';
import { type ApkLimits, DEFAULT_APK_LIMITS } from './apk-limits.js';
import { ReadBudget } from './read-budget.js';
import { type LeftOut, othersOf } from './bundle-others.js';
import { readApkIn, type ApkDescription } from './read-apk.js';
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
  /** The room on the disk of `unpackTo`. Absent: it is not measured. */
  hostSpace?: HostSpace;
  limits?: ApkLimits;
}

/** APKs of one app: bundletool makes tens. */
const MAX_PARTS = 100;

/**
 * Reads an untrusted file that is an APK, or a bundle: a zip file with the APKs of one app in it (`.apks`, `.xapk`, `.apkm`). The content
 * decides which it is. A bundle's APKs and expansion files are unpacked into the folder `unpackTo`, whose former content is removed.
 *
 * Every fault of the file throws ApkError with a text fit for the caller. Too little room on the disk throws HostFull. After an error,
 * files may be left in the folder. The call may block its thread for seconds, so services read untrusted files with AppReader.
 */
export async function readAppPackage(
  file: string,
  { unpackTo, hostSpace, limits = DEFAULT_APK_LIMITS }: ReadPackageOptions,
): Promise<AppPackage> {
  const budget = new ReadBudget(limits);
  const zip = await ZipFile.open(file, limits, budget);
  try {
    zip.assertSound();
    if (zip.has('AndroidManifest.xml'))
      return {
        base: await lone(zip, limits, budget),
        parts: [await asPart('base.apk', file)],
        expansions: [],
        leftOut: [],
      };
    const names = [...zip.names()];
    const inside = apksOf(names);
    if (inside.length === 0) throw notAnApk('AndroidManifest.xml is missing, and there are no APKs in it');
    if (inside.length > MAX_PARTS) throw invalid(`it has over ${MAX_PARTS} APKs`);
    await rm(unpackTo, { recursive: true, force: true });
    await mkdir(unpackTo, { recursive: true, mode: 0o700 });
    const apks: Unpacked[] = [];
    let left = limits.fileBytes;
    const unpack = async (file: string, as: string): Promise<Omit<AppPart, 'name'>> => {
      const to = path.join(unpackTo, as);
      const sizeBytes = await zip.unpack(file, to, { maxBytes: left, hostSpace });
      left -= sizeBytes;
      return { file, path: to, sizeBytes };
    };
    for (const [at, file] of inside.entries()) {
      const part = await unpack(file, `${at}.apk`);
      apks.push({ ...part, apk: await sound(part.path, limits, budget) });
    }
    const app = together(apks);
    const { expansions: files, leftOut } = othersOf(names, inside, app.base.package);
    const expansions: AppPart[] = [];
    for (const [at, file] of files.entries())
      expansions.push({ ...(await unpack(file, `${at}.obb`)), name: path.posix.basename(file) });
    return { ...app, expansions, leftOut };
  } finally {
    await zip.close();
  }
}

async function lone(zip: ZipFile, limits: ApkLimits, budget: ReadBudget): Promise<ApkDescription> {
  const apk = await readApkIn(zip, limits, budget);
  if (apk.split !== undefined) throw new ApkError('INSTALL_FAILED_INVALID_APK', `this is only the split ${apk.split} of ${apk.package}; its base APK is missing`); // prettier-ignore
  return apk;
}

async function sound(file: string, limits: ApkLimits, budget: ReadBudget): Promise<ApkDescription> {
  const zip = await ZipFile.open(file, limits, budget);
  try {
    zip.assertSound();
    return await readApkIn(zip, limits, budget);
  } finally {
    await zip.close();
  }
}

/**
 * Returns the names of a bundle's entries that are installed together. bundletool puts the splits for new phones into one folder. Its other
 * APKs are whole: one for each kind of old phone, or one for all phones.
 */
function apksOf(names: readonly string[]): string[] {
  const apks = names.filter((name) => /\.apk$/i.test(name));
  const splits = apks.filter((name) => name.startsWith('splits/'));
  if (splits.length > 0) return splits;
  if (apks.includes('universal.apk')) return ['universal.apk'];
  return apks.filter((name) => !/^(standalones|instant|archive)\//.test(name));
}

/** An unpacked APK of a bundle. */
interface Unpacked extends Omit<AppPart, 'name'> {
  apk: ApkDescription;
}

function together(apks: readonly Unpacked[]): Pick<AppPackage, 'base' | 'parts'> {
  const [base, another] = apks.filter(({ apk }) => apk.split === undefined);
  if (base === undefined) throw invalid('its base APK is missing');
  if (another !== undefined)
    throw invalid('it has more than one base APK; send one made for all phones, or for one kind');
  const odd = apks.find(({ apk }) => apk.package !== base.apk.package || apk.versionCode !== base.apk.versionCode);
  if (odd !== undefined)
    throw invalid(`its APKs are of different apps or versions (${odd.apk.package} ${odd.apk.versionCode})`);
  const parts = apks.map(({ apk, ...unpacked }) => ({
    name: apk.split === undefined ? 'base.apk' : `split_${apk.split.replace(/[^\w.-]/g, '_')}.apk`,
    ...unpacked,
  }));
  if (new Set(parts.map(({ name }) => name)).size < parts.length) throw invalid('it has two APKs of one split');
  return { base: base.apk, parts };
}

async function asPart(name: string, file: string): Promise<AppPart> {
  return { name, file: name, path: file, sizeBytes: (await stat(file)).size };
}

function invalid(detail: string): ApkError {
  return new ApkError('INSTALL_FAILED_INVALID_APK', `This bundle cannot be installed: ${detail}`);
}
