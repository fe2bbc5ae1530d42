import { Attribute } from './android-attribute.js';
import { activitiesOf, componentOf, type ApkActivity } from './app-activities.js';
import { ApkError, notAnApk } from './apk-error.js';
import { DEFAULT_APK_LIMITS, type ApkLimits } from './apk-limits.js';
import { parseBinaryXml, type XmlElement } from './binary-xml.js';
import { ReadBudget } from './read-budget.js';
import { readIcon } from './read-icon.js';
import { ResourceTable } from './resource-table.js';
import { ValueType, type ResourceValue } from './resource-value.js';
import { signerOf } from './signer.js';
import { verifySignature } from './verify-signature.js';
import { ZipFile } from './zip-file.js';

/** The facts in an APK's manifest, resources and signature. */
export interface ApkDescription {
  package: string;
  /** With the major part in the upper 32 bits, as `longVersionCode`. */
  versionCode: number;
  /** Empty when the manifest has none. */
  versionName: string;
  minSdk: number;
  /** Equals `minSdk` when the manifest has none. */
  targetSdk: number;
  /** The label in the default language; the package name when there is no label. */
  label: string;
  /** The icon as PNG or WebP, in the best density. Absent: the app has only drawn icons, or none that can be read. */
  icon?: Buffer;
  /** `com.x/.MainActivity`. Absent: no launcher entry. */
  launcherActivity?: string;
  /** All enabled activities. */
  activities: ApkActivity[];
  permissions: string[];
  /** Folders of native code. Empty: runs anywhere. */
  abis: string[];
  /** Name of a split; absent for a base APK. */
  split?: string;
  /** When the feature module of a split is installed, if not with the app. */
  delivery?: 'on-demand' | 'fast-follow';
  testOnly: boolean;
  /** Fingerprint of the certificate that it is signed with. Absent: it has no signature that Android takes for its target SDK. */
  signer?: string;
}

/**
 * Reads an APK that may be hostile. Sizes are checked before memory is taken, and every fault of the file throws ApkError with a text fit
 * for the caller. The call may block its thread for seconds, so services read untrusted files with AppReader.
 */
export async function readApk(
  path: string,
  limits: ApkLimits = DEFAULT_APK_LIMITS,
  { verified = false }: ReadApkOptions = {},
): Promise<ApkDescription> {
  const budget = new ReadBudget(limits);
  const zip = await ZipFile.open(path, limits, budget);
  try {
    const apk = await readApkIn(zip, limits, budget);
    if (verified) await verifySignature(zip, budget);
    return apk;
  } finally {
    await zip.close();
  }
}

export interface ReadApkOptions {
  /** Whether to compare the whole file with its signature, as phones do. Default: no. */
  verified?: boolean;
}

/** Does the same for a zip file that is open, but does not compare the file with its signature. */
export async function readApkIn(zip: ZipFile, limits: ApkLimits, budget: ReadBudget): Promise<ApkDescription> {
  try {
    const manifestBytes = await zip.read('AndroidManifest.xml', limits.tableBytes, budget);
    if (!manifestBytes) throw notAnApk('AndroidManifest.xml is missing');
    const manifest = parseBinaryXml(manifestBytes, budget);
    if (manifest.name !== 'manifest') throw malformed('no <manifest>');
    const tableBytes = await zip.read('resources.arsc', limits.tableBytes, budget);
    const table = tableBytes && new ResourceTable(tableBytes, budget);
    return await describe({ zip, manifest, table, limits, budget });
  } catch (error) {
    // A forged number leads a reader of binary tables outside of its buffer: a fault of the file.
    if (error instanceof RangeError) throw notAnApk('manifest or resource table points outside of itself');
    throw error;
  }
}

interface ApkParts {
  zip: ZipFile;
  manifest: XmlElement;
  table: ResourceTable | undefined;
  limits: ApkLimits;
  budget: ReadBudget;
}

async function describe({ zip, manifest, table, limits, budget }: ApkParts): Promise<ApkDescription> {
  const name = manifest.attributes.find((attribute) => attribute.name === 'package')?.value.text ?? '';
  if (name.length > 223 || !/^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$/.test(name))
    throw malformed(`bad package name '${name.slice(0, 100)}'`);
  const split = manifest.attributes.find((attribute) => attribute.name === 'split')?.value.text;
  const application = child(manifest, 'application');
  const delivery = deliveryOf(manifest);
  const usesSdk = child(manifest, 'uses-sdk');
  const minSdk = sdkNumber(usesSdk, Attribute.minSdkVersion) ?? 1;
  const launcherActivity = findLauncher(application, name);
  const label = (textOf(application, Attribute.label, table) ?? name).slice(0, MAX_LABEL_CHARS);
  const targetSdk = sdkNumber(usesSdk, Attribute.targetSdkVersion) ?? minSdk;
  const activities = activitiesOf(application, { package: name, targetSdk }, (value) => resolvedText(value, table));
  const signer = await signerOf(zip, targetSdk, budget);
  const versionName = short(textOf(manifest, Attribute.versionName, table) ?? '');
  const permissions = permissionsOf(manifest, table);
  // The icon is read last. If it needs more than the rest of the budget, the description has no icon.
  const icon = await readIcon(valueOf(application, Attribute.icon), { zip, table, limits, budget });
  const major = numberOf(manifest, Attribute.versionCodeMajor) ?? 0;
  return {
    package: name,
    versionCode: major * 2 ** 32 + (numberOf(manifest, Attribute.versionCode) ?? 0),
    versionName,
    minSdk,
    targetSdk,
    label,
    ...(icon && { icon }),
    ...(launcherActivity !== undefined && { launcherActivity }),
    activities,
    permissions,
    abis: abisOf(zip),
    ...(split !== undefined && { split: short(split) }),
    ...(delivery !== undefined && { delivery }),
    testOnly: isTrue(application, Attribute.testOnly),
    ...(signer !== undefined && { signer }),
  };
}

/** Reads `<dist:module>`, by which the maker of a module says when it is installed. Its names are of another namespace, without ids. */
function deliveryOf(manifest: XmlElement): ApkDescription['delivery'] {
  const module = child(manifest, 'module');
  const ways = (module && child(module, 'delivery'))?.children.map(({ name }) => name) ?? [];
  if (ways.includes('install-time')) return undefined;
  if (ways.includes('on-demand')) return 'on-demand';
  if (ways.includes('fast-follow')) return 'fast-follow';
  const older = module?.attributes.find(({ name }) => name === 'onDemand')?.value;
  return ways.length === 0 && older?.type === ValueType.BOOLEAN && older.data !== 0 ? 'on-demand' : undefined;
}

/** Android cuts longer labels, and refuses longer names. */
const MAX_LABEL_CHARS = 1_000;
const MAX_NAME_CHARS = 1_024;
/** Apps have up to a few hundred. */
const MAX_PERMISSIONS = 2_000;
/** Folders of native code that are shown: there are eight kinds. */
const MAX_ABIS = 20;

function short(text: string): string {
  if (text.length > MAX_NAME_CHARS) throw malformed(`a name is too long: ${text.slice(0, 100)}`);
  return text;
}

function permissionsOf(manifest: XmlElement, table: ResourceTable | undefined): string[] {
  const permissions = new Set<string>();
  for (const element of manifest.children) {
    if (!element.name.startsWith('uses-permission')) continue;
    const text = textOf(element, Attribute.name, table);
    if (text !== undefined) permissions.add(short(text));
    if (permissions.size > MAX_PERMISSIONS) throw malformed(`over ${MAX_PERMISSIONS} permissions`);
  }
  return [...permissions];
}

function abisOf(zip: ZipFile): string[] {
  const abis = new Set<string>();
  for (const entry of zip.names()) {
    const abi = /^lib\/([^/]{1,50})\/[^/]+\.so$/.exec(entry)?.[1];
    if (abi !== undefined && abis.size < MAX_ABIS) abis.add(abi);
  }
  return [...abis];
}

function findLauncher(application: XmlElement | undefined, packageName: string): string | undefined {
  for (const element of application?.children ?? []) {
    if (element.name !== 'activity' && element.name !== 'activity-alias') continue;
    const enabled = valueOf(element, Attribute.enabled);
    if (enabled?.type === ValueType.BOOLEAN && enabled.data === 0) continue;
    const isLauncher = element.children.some(
      (filter) =>
        filter.name === 'intent-filter' &&
        names(filter, 'action').includes('android.intent.action.MAIN') &&
        names(filter, 'category').includes('android.intent.category.LAUNCHER'),
    );
    const activity = valueOf(element, Attribute.name)?.text;
    if (!isLauncher || activity === undefined) continue;
    return componentOf(packageName, short(activity));
  }
  return undefined;
}

function names(filter: XmlElement, kind: string): string[] {
  return filter.children.filter((one) => one.name === kind).flatMap((one) => valueOf(one, Attribute.name)?.text ?? []);
}

function child(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((one) => one.name === name);
}

function valueOf(element: XmlElement | undefined, resourceId: number): ResourceValue | undefined {
  return element?.attributes.find((attribute) => attribute.resourceId === resourceId)?.value;
}

function numberOf(element: XmlElement, resourceId: number): number | undefined {
  return valueOf(element, resourceId)?.data;
}

/** Returns the number of an SDK. The code name of a preview release counts as the newest SDK. */
function sdkNumber(element: XmlElement | undefined, resourceId: number): number | undefined {
  const value = valueOf(element, resourceId);
  if (!value) return undefined;
  if (value.type !== ValueType.STRING) return value.data;
  return /^\d+$/.test(value.text ?? '') ? Number(value.text) : 10_000;
}

function isTrue(element: XmlElement | undefined, resourceId: number): boolean {
  const value = valueOf(element, resourceId);
  return value?.type === ValueType.BOOLEAN && value.data !== 0;
}

/** Returns the text itself. A reference gives its text in the default language, else in English, else in any language. */
function textOf(
  element: XmlElement | undefined,
  resourceId: number,
  table: ResourceTable | undefined,
): string | undefined {
  const value = valueOf(element, resourceId);
  return value && resolvedText(value, table);
}

function resolvedText(value: ResourceValue, table: ResourceTable | undefined): string | undefined {
  if (value.type === ValueType.STRING) return value.text;
  if (!value.isReference) return String(value.data);
  const found = table?.find(value.data).filter((candidate) => candidate.value.text !== undefined) ?? [];
  const best =
    found.find(({ language }) => language === '') ?? found.find(({ language }) => language === 'en') ?? found[0];
  return best?.value.text;
}

function malformed(detail: string): ApkError {
  return new ApkError('INSTALL_PARSE_FAILED_MANIFEST_MALFORMED', `Failed to parse manifest: ${detail}`);
}
