import { ApkError } from '../../phone/apk/apk-error.js';
import type { ApkDescription } from '../../phone/apk/read-apk.js';
import { sdkOf } from '../system/android-version.js';
import { FACTORY_PROPERTIES } from '../properties/factory-properties.js';
import type { InstalledPackage, PhoneIdentity } from '../system/system.js';

export interface InstallFlags {
  /** `-d` */
  allowDowngrade: boolean;
  /** `-t` */
  allowTest: boolean;
  /** Whether an installed package may be replaced; false for `-R`. */
  replace: boolean;
}

/** Android 14 and later refuse apps whose target is below this API level. */
const OLDEST_TARGET_SDK = 23;
const FIRST_SDK_WITH_OLDEST_TARGET = 34;

/** Checks a package. Throws ApkError with the installer's own texts when it may not be installed on this phone now. */
export function checkInstallable(
  apk: ApkDescription,
  installed: (Pick<InstalledPackage, 'system' | 'versionCode'> & { signer: string | undefined }) | undefined,
  identity: PhoneIdentity,
  flags: InstallFlags,
): void {
  const sdk = sdkOf(identity.android);
  if (apk.minSdk > sdk)
    throw new ApkError(
      'INSTALL_FAILED_OLDER_SDK',
      `Requires newer sdk version #${apk.minSdk} (current version is #${sdk})`,
    );
  if (sdk >= FIRST_SDK_WITH_OLDEST_TARGET && apk.targetSdk < OLDEST_TARGET_SDK)
    throw new ApkError('INSTALL_FAILED_DEPRECATED_SDK_VERSION', `App package must target at least SDK version ${OLDEST_TARGET_SDK}, but found ${apk.targetSdk}`); // prettier-ignore
  if (apk.signer === undefined)
    throw new ApkError('INSTALL_PARSE_FAILED_NO_CERTIFICATES', `Failed to collect certificates from base.apk: no signature found`); // prettier-ignore
  if (apk.testOnly && !flags.allowTest)
    throw new ApkError('INSTALL_FAILED_TEST_ONLY', 'Failed to install test-only apk. Did you forget to add -t?');
  const abis = String(FACTORY_PROPERTIES['ro.product.cpu.abilist']).split(',');
  if (apk.abis.length > 0 && !apk.abis.some((abi) => abis.includes(abi)))
    throw new ApkError('INSTALL_FAILED_NO_MATCHING_ABIS', 'Failed to extract native libraries, res=-113');
  if (!installed) return;
  // A package whose signer is not recorded is treated as signed by the same key.
  if (installed.system || (installed.signer ?? apk.signer) !== apk.signer)
    throw new ApkError('INSTALL_FAILED_UPDATE_INCOMPATIBLE', `Existing package ${apk.package} signatures do not match newer version; ignoring!`); // prettier-ignore
  if (!flags.replace)
    throw new ApkError(
      'INSTALL_FAILED_ALREADY_EXISTS',
      `Attempt to re-install ${apk.package} without first uninstalling.`,
    );
  if (apk.versionCode < installed.versionCode && !flags.allowDowngrade)
    throw new ApkError('INSTALL_FAILED_VERSION_DOWNGRADE', `Downgrade detected: Update version code ${apk.versionCode} is older than current ${installed.versionCode}`); // prettier-ignore
}
