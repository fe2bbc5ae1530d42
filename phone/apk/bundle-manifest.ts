import { ApkError } from './apk-error.js';
import type { ReadBudget } from './read-budget.js';
import type { ZipFile } from './zip-file.js';

/** What the JSON file of a bundle says of it: `manifest.json` of an .xapk, `info.json` of an .apkm. */
export interface BundleManifest {
  /** The name of the JSON file. */
  name: string;
  /** The package of the app. Absent: it does not say. */
  package?: string;
  /** Names of the APKs in the bundle. Absent: it does not say, and all are. */
  apks?: readonly string[];
  /** The expansion files. */
  expansions: readonly NamedExpansion[];
}

export interface NamedExpansion {
  /** Its name in the bundle. */
  file: string;
  /** Its place in the phone's shared storage: `Android/obb/<package>/<name>`. */
  installPath: string;
}

/** Such files have some 20 kB, most of it names of the app in many languages. */
const MAX_BYTES = 1024 ** 2;
/** A bundle has tens of APKs, and up to two expansion files. */
const MAX_NAMES = 1_000;

/**
 * Reads the JSON file of a bundle, which may be hostile. A file of the same name that describes no bundle says nothing. Throws ApkError for
 * one that cannot be read, or is larger than those of bundles.
 */
export async function readBundleManifest(zip: ZipFile, budget: ReadBudget): Promise<BundleManifest | undefined> {
  return (await readXapk(zip, budget)) ?? (await readApkm(zip, budget));
}

async function readXapk(zip: ZipFile, budget: ReadBudget): Promise<BundleManifest | undefined> {
  const name = 'manifest.json';
  const fields = await readJson(zip, name, budget);
  if (fields === undefined || typeof fields['package_name'] !== 'string') return undefined;
  const apks = listIn(name, fields, 'split_apks')?.map((one) => textIn(name, one, 'file'));
  const expansions = (listIn(name, fields, 'expansions') ?? []).map((one) => ({
    file: textIn(name, one, 'file'),
    installPath: textIn(name, one, 'install_path'),
  }));
  return { name, package: fields['package_name'], ...(apks !== undefined && apks.length > 0 && { apks }), expansions };
}

/** It names the app; the APKs themselves say what they are for. */
async function readApkm(zip: ZipFile, budget: ReadBudget): Promise<BundleManifest | undefined> {
  const name = 'info.json';
  const found = (await readJson(zip, name, budget))?.['pname'];
  return typeof found === 'string' ? { name, package: found, expansions: [] } : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

async function readJson(zip: ZipFile, name: string, budget: ReadBudget): Promise<Fields | undefined> {
  const bytes = await zip.read(name, MAX_BYTES, budget);
  if (bytes === undefined) return undefined;
  budget.takeText(bytes.length);
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    throw invalid(`its ${name} is not JSON`);
  }
}

function listIn(name: string, fields: Fields, key: string): Fields[] | undefined {
  const list = fields[key] ?? undefined;
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw invalid(`${key} in its ${name} is no list`);
  if (list.length > MAX_NAMES) throw invalid(`its ${name} has over ${MAX_NAMES} ${key}`);
  return list.map((one: unknown) => (typeof one === 'object' && one !== null ? (one as Fields) : {}));
}

function textIn(name: string, fields: Fields, key: string): string {
  const text = fields[key];
  if (typeof text !== 'string') throw invalid(`its ${name} has an entry without ${key}`);
  return text;
}

function invalid(detail: string): ApkError {
  return new ApkError('INSTALL_FAILED_INVALID_APK', detail);
}
