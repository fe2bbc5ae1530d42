import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { HostSpace } from '../../kit/host-space.js';
import { ApkError, notAnApk } from './apk-error.js';
import { type ApkLimits, DEFAULT_APK_LIMITS } from './apk-limits.js';
import { ReadBudget } from './read-budget.js';
import { readApkIn, type ApkDescription } from './read-apk.js';
import { ZipFile } from './zip-file.js';

/** An app as it is installed: the facts of its base APK, and all its APKs. */
export interface AppPackage {
  base: ApkDescription;
  /** The base APK and its splits, at least one. */
  parts: readonly AppPart[];
}

export interface AppPart {
  /** `base.apk`, or `split_<name>.apk`. */
  name: string;
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
 * Reads an untrusted file that is an APK, or a bundle of APKs of one app (`.apks`, `.xapk`, `.apkm`: a zip file with them in it);
 * the content decides which it is. A bundle's APKs are unpacked into the folder `unpackTo`, whose former content is removed.
 *
 * Every fault of the file throws ApkError with a text fit for the caller, and too little room on the disk HostFull; files may then be left
 * in the folder. It may take seconds of the thread: for untrusted files there is AppReader.
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
      return { base: await lone(zip, limits, budget), parts: [await asPart('base.apk', file)] };
    const inside = apksOf([...zip.names()]);
    if (inside.length === 0) throw notAnApk('AndroidManifest.xml is missing, and there are no APKs in it');
    if (inside.length > MAX_PARTS) throw invalid(`it has over ${MAX_PARTS} APKs`);
    await rm(unpackTo, { recursive: true, force: true });
    await mkdir(unpackTo, { recursive: true, mode: 0o700 });
    const apks: { path: string; sizeBytes: number; apk: ApkDescription }[] = [];
    let left = limits.fileBytes;
    for (const [at, name] of inside.entries()) {
      const to = path.join(unpackTo, `${at}.apk`);
      const sizeBytes = await zip.unpack(name, to, { maxBytes: left, hostSpace });
      left -= sizeBytes;
      apks.push({ path: to, sizeBytes, apk: await sound(to, limits, budget) });
    }
    return together(apks);
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
 * Those of a bundle's entries that are installed together. bundletool has splits for new phones in one folder, and in others whole APKs
 * for old ones, or one for all.
 */
function apksOf(names: readonly string[]): string[] {
  const apks = names.filter((name) => /\.apk$/i.test(name));
  const splits = apks.filter((name) => name.startsWith('splits/'));
  if (splits.length > 0) return splits;
  if (apks.includes('universal.apk')) return ['universal.apk'];
  return apks.filter((name) => !/^(standalones|instant|archive)\//.test(name));
}

function together(apks: readonly { path: string; sizeBytes: number; apk: ApkDescription }[]): AppPackage {
  const [base, another] = apks.filter(({ apk }) => apk.split === undefined);
  if (base === undefined) throw invalid('its base APK is missing');
  if (another !== undefined)
    throw invalid('it has more than one base APK; send one made for all phones, or for one kind');
  const odd = apks.find(({ apk }) => apk.package !== base.apk.package || apk.versionCode !== base.apk.versionCode);
  if (odd !== undefined)
    throw invalid(`its APKs are of different apps or versions (${odd.apk.package} ${odd.apk.versionCode})`);
  const parts = apks.map(({ path: file, sizeBytes, apk }) => ({
    name: apk.split === undefined ? 'base.apk' : `split_${apk.split.replace(/[^\w.-]/g, '_')}.apk`,
    path: file,
    sizeBytes,
  }));
  if (new Set(parts.map(({ name }) => name)).size < parts.length) throw invalid('it has two APKs of one split');
  return { base: base.apk, parts };
}

async function asPart(name: string, file: string): Promise<AppPart> {
  return { name, path: file, sizeBytes: (await stat(file)).size };
}

function invalid(detail: string): ApkError {
  return new ApkError('INSTALL_FAILED_INVALID_APK', `This bundle cannot be installed: ${detail}`);
}
