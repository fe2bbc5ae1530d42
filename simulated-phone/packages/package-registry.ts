import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../kit/async/clock.js';
import { ApkError } from '../../phone/apk/apk-error.js';
import type { AppReader } from '../../phone/apk/app-reader.js';
import type { ApkDescription } from '../../phone/apk/read-apk.js';
import { PhoneFileError } from '../files/file-error.js';
import type { IncomingFile } from '../files/file-writer.js';
import type { FileTree } from '../files/file-tree.js';
import { replaceFile, StateFile } from '../system/state-file.js';
import type { InstalledPackage, Packages, PhoneIdentity } from '../system/system.js';
import { checkInstallable, type InstallFlags } from './install-rules.js';
import { InstallSessions, type PackageFiles } from './install-sessions.js';

/** The stored record of an installed app; its icon is a file of its own. */
interface StoredPackage extends Omit<InstalledPackage, 'icon'> {
  uid: number;
  /** Folder of its APKs. */
  codePath: string;
  minSdk: number;
  targetSdk: number;
  permissions: string[];
  /** Names of its splits. Absent: it has none, or was installed before this was recorded. */
  splits?: string[];
  /** Fingerprint of its certificate. Absent: it was installed before this was recorded. */
  signer?: string;
  hasIcon: boolean;
}

interface Stored {
  installed: StoredPackage[];
  disabled: string[];
}

/**
 * The installed packages: the built-in apps, which never change, and those installed from APKs, which outlast a restart. A package from an
 * APK takes the place of a built-in one with its name, as an update does, until it is uninstalled.
 */
export class PackageRegistry implements Packages {
  readonly sessions: InstallSessions;
  readonly #parts: PackageRegistryParts;
  readonly #file: StateFile<Stored>;
  readonly #stored: Stored;
  readonly #listeners: (() => void)[] = [];
  #shown: InstalledPackage[] | undefined;

  constructor(parts: PackageRegistryParts) {
    this.#parts = parts;
    this.sessions = new InstallSessions(parts.random, (packages) => this.installAll(packages));
    this.#file = new StateFile(path.join(parts.directory, 'packages.json'));
    this.#stored = this.#file.read() ?? { installed: [], disabled: [] };
  }

  list(): readonly InstalledPackage[] {
    this.#shown ??= [
      ...this.#parts.builtIns.filter((one) => this.#find(one.package) === undefined),
      ...this.#stored.installed.map((stored) => this.#asInstalled(stored)),
    ].sort((a, b) => (a.package < b.package ? -1 : 1));
    return this.#shown;
  }

  get(name: string): InstalledPackage | undefined {
    return this.list().find((one) => one.package === name);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  uidOf(name: string): number {
    const builtIn = this.#parts.builtIns.findIndex((one) => one.package === name);
    return this.#find(name)?.uid ?? FIRST_SYSTEM_APP_UID + Math.max(0, builtIn);
  }

  /** Returns the path of the base APK. For a built-in app, there is no file at that path. */
  apkPath(installed: InstalledPackage): string {
    const stored = this.#find(installed.package);
    if (stored) return `${stored.codePath}/base.apk`;
    const folder = installed.label.replace(/\W+/g, '') || 'App';
    return `/system/app/${folder}/${folder}.apk`;
  }

  /** Returns the paths of all its APKs, the base first. */
  apkPaths(installed: InstalledPackage): string[] {
    const base = this.apkPath(installed);
    const splits = this.splitsOf(installed.package).map(
      (split) => `${path.posix.dirname(base)}/${splitFile(split)}.apk`,
    );
    return [base, ...splits];
  }

  splitsOf(name: string): readonly string[] {
    return this.#find(name)?.splits ?? [];
  }

  permissionsOf(name: string): readonly string[] {
    return this.#find(name)?.permissions ?? [];
  }

  factsOf(name: string): { minSdk: number; targetSdk: number } {
    return this.#find(name) ?? { minSdk: 24, targetSdk: 34 };
  }

  isDisabled(name: string): boolean {
    return this.#stored.disabled.includes(name);
  }

  setDisabled(name: string, disabled: boolean): void {
    this.#stored.disabled = this.#stored.disabled.filter((one) => one !== name);
    if (disabled) this.#stored.disabled.push(name);
    this.#changed();
  }

  /** Makes a file for an APK that is being received. `install` takes the file over, also when it refuses the APK. */
  stage(): Promise<IncomingFile> {
    return this.#parts.files.stage(0o644);
  }

  /** Installs a base APK and its splits. Throws ApkError; nothing is changed then. */
  install(files: readonly IncomingFile[], flags: InstallFlags): Promise<void> {
    return this.installAll([{ files, flags }]);
  }

  /** Installs several packages. All are checked before the first is placed. Throws ApkError; nothing is changed then. */
  async installAll(packages: readonly PackageFiles[]): Promise<void> {
    try {
      const checked: { described: Described[]; base: ApkDescription }[] = [];
      for (const one of packages) checked.push(await this.#checked(one, packages.length));
      if (new Set(checked.map(({ base }) => base.package)).size < checked.length)
        throw new ApkError('INSTALL_FAILED_INVALID_APK', 'Two sessions have the same package');
      for (const { described, base } of checked) await this.#place(described, base);
    } finally {
      // Removes the files that were not placed.
      for (const { files } of packages) for (const file of files) await file.abort();
    }
  }

  /** Reads the APKs of one package. Throws ApkError when the package may not be installed together with `count - 1` others. */
  async #checked(
    { files, flags }: PackageFiles,
    count: number,
  ): Promise<{ described: Described[]; base: ApkDescription }> {
    const described: Described[] = [];
    for (const file of files) described.push({ file, apk: await this.#parts.appReader.readVerified(file.hostPath) });
    const base = described.find(({ apk }) => apk.split === undefined);
    if (!base) throw new ApkError('INSTALL_FAILED_INVALID_APK', 'Full install must include a base package');
    for (const { apk } of described)
      if (
        apk.package !== base.apk.package ||
        apk.versionCode !== base.apk.versionCode ||
        apk.signer !== base.apk.signer
      )
        throw new ApkError(
          'INSTALL_FAILED_INVALID_APK',
          `${apk.split ?? 'base'} is inconsistent with ${base.apk.package}`,
        );
    const known = this.get(base.apk.package);
    const before = known && { system: known.system && known.updatable !== true, versionCode: known.versionCode, signer: this.#find(known.package)?.signer }; // prettier-ignore
    if (!before && this.#stored.installed.length + count > MAX_INSTALLED)
      throw new ApkError('INSTALL_FAILED_INSUFFICIENT_STORAGE', 'Too many packages are installed');
    checkInstallable(base.apk, before, this.#parts.identity, flags);
    return { described, base: base.apk };
  }

  /** Uninstalls a package. One that is not installed from an APK is left as it is. */
  async uninstall(name: string): Promise<void> {
    const stored = this.#find(name);
    if (!stored) return;
    this.#stored.installed = this.#stored.installed.filter((one) => one !== stored);
    this.#changed();
    fs.rmSync(this.#iconFile(name), { force: true });
    await this.#removeCode(stored.codePath);
    for (const folder of [`/data/data/${name}`, ...SHARED_FOLDERS.map((folder) => `${folder}/${name}`)])
      await this.#parts.files.removeTree(folder).catch(ignoreFileError);
  }

  /** Removes code that a killed process left without an entry. */
  async sweep(): Promise<void> {
    const kept = new Set(this.#stored.installed.map(({ codePath }) => codePath.split('/')[3]));
    for (const { name } of await this.#parts.files.list('/data/app'))
      if (!kept.has(name)) await this.#parts.files.removeTree(`/data/app/${name}`);
  }

  async #place(described: readonly Described[], base: ApkDescription): Promise<void> {
    const { files, clock } = this.#parts;
    let codePath: string;
    do codePath = `/data/app/~~${this.#randomName()}==/${base.package}-${this.#randomName()}==`;
    while (await files.exists(codePath));
    await files.mkdir(codePath, { parents: true, permissions: 0o755 });
    for (const { file, apk } of described)
      await file.commit({ durable: true, path: `${codePath}/${apk.split === undefined ? 'base' : splitFile(apk.split)}.apk` }); // prettier-ignore
    if (base.icon) replaceFile(this.#iconFile(base.package), base.icon);
    const previous = this.#find(base.package);
    const stored: StoredPackage = {
      package: base.package,
      label: base.label,
      versionName: base.versionName,
      versionCode: base.versionCode,
      system: false,
      ...(base.launcherActivity !== undefined && { launcherActivity: base.launcherActivity }),
      firstInstallTimeMs: previous?.firstInstallTimeMs ?? clock.now(),
      lastUpdateTimeMs: clock.now(),
      uid: previous?.uid ?? this.#freeUid(),
      codePath,
      minSdk: base.minSdk,
      targetSdk: base.targetSdk,
      activities: base.activities,
      permissions: base.permissions,
      splits: described.flatMap(({ apk }) => apk.split ?? []),
      ...(base.signer !== undefined && { signer: base.signer }),
      hasIcon: base.icon !== undefined,
    };
    this.#stored.installed = [...this.#stored.installed.filter((one) => one !== previous), stored];
    this.#changed();
    if (previous) await this.#removeCode(previous.codePath);
  }

  #asInstalled(stored: StoredPackage): InstalledPackage {
    const shown: InstalledPackage = {
      package: stored.package,
      label: stored.label,
      versionName: stored.versionName,
      versionCode: stored.versionCode,
      system: stored.system,
      ...(stored.launcherActivity !== undefined && { launcherActivity: stored.launcherActivity }),
      ...(stored.activities && { activities: stored.activities }),
      firstInstallTimeMs: stored.firstInstallTimeMs,
      lastUpdateTimeMs: stored.lastUpdateTimeMs,
    };
    if (!stored.hasIcon) return shown;
    const iconFile = this.#iconFile(stored.package);
    let icon: Buffer | undefined;
    // The icon is read when the launcher draws it, so that an idle phone holds no pictures.
    return Object.defineProperty(shown, 'icon', {
      enumerable: true,
      get: () => (icon ??= fs.readFileSync(iconFile)),
    });
  }

  #changed(): void {
    this.#shown = undefined;
    this.#file.write(this.#stored);
    for (const listener of this.#listeners) listener();
  }

  #find(name: string): StoredPackage | undefined {
    return this.#stored.installed.find((one) => one.package === name);
  }

  #freeUid(): number {
    return Math.max(FIRST_APP_UID - 1, ...this.#stored.installed.map(({ uid }) => uid)) + 1;
  }

  #iconFile(name: string): string {
    return path.join(this.#parts.directory, 'icons', name);
  }

  async #removeCode(codePath: string): Promise<void> {
    await this.#parts.files.removeTree(codePath.split('/').slice(0, 4).join('/')).catch(ignoreFileError);
  }

  #randomName(): string {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return Array.from({ length: 22 }, () => letters[Math.floor(this.#parts.random() * letters.length)] ?? 'A').join('');
  }
}

/** The file of an APK that is being installed, with its description. */
interface Described {
  file: IncomingFile;
  apk: ApkDescription;
}

export interface PackageRegistryParts {
  builtIns: readonly InstalledPackage[];
  appReader: Pick<AppReader, 'readVerified'>;
  identity: PhoneIdentity;
  clock: Clock;
  random: () => number;
  /** The phone's own folder on the host. */
  directory: string;
  files: Pick<FileTree<never>, 'exists' | 'list' | 'mkdir' | 'removeTree' | 'stage'>;
}

/** The folders in the shared storage that hold files of apps, by package; Android removes these with the app. */
const SHARED_FOLDERS = ['data', 'media', 'obb'].map((name) => `/storage/emulated/0/Android/${name}`);
const FIRST_SYSTEM_APP_UID = 10_085;
const FIRST_APP_UID = 10_123;
/** Most packages installed from APKs. Each is kept in memory, with its icon once that was drawn. */
const MAX_INSTALLED = 500;

/** Returns the name of a split's file, without the ending. */
function splitFile(split: string): string {
  return `split_${split.replace(/[^\w.-]/g, '_')}`;
}

function ignoreFileError(error: unknown): void {
  if (!(error instanceof PhoneFileError)) throw error;
}
