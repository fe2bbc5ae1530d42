import { type AssetPack, Delivery, type ModuleMetadata } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { named } from './choice.js';
import type { PhoneTraits } from './phone-traits.js';
import { meetsSdk, minSdkOf } from './targeting.js';

const OPEN_GL = 'android.hardware.opengles.version';

/** Returns why a module is not installed with the app; undefined when it is. */
export function reasonAgainstModule(metadata: ModuleMetadata | undefined, phone: PhoneTraits): string | undefined {
  if (metadata === undefined) return undefined;
  const { name, delivery, onDemand, targeting } = metadata;
  const module = `the module ${named([name])}`;
  if (delivery === Delivery.UNSPECIFIED ? onDemand : delivery !== Delivery.INSTALL_TIME)
    return `${module} is installed on demand, not with the app`;
  if (targeting === undefined) return undefined;
  if (targeting.sdk && !meetsSdk(minSdkOf(targeting.sdk), phone))
    return `${module} is for Android from API level ${minSdkOf(targeting.sdk)} on`;
  const lacking = targeting.features.flatMap(({ feature }) => feature ?? []).find((one) => !has(phone, one));
  if (lacking !== undefined) return `${module} is for phones with ${named([lacking.name])}`;
  if (targeting.group && targeting.group.values.length > 0) return `${module} is for groups of phones that its maker names`; // prettier-ignore
  return undefined;
}

/** Returns why a pack of assets is not installed with the app; undefined when it is. */
export function reasonAgainstPack({ metadata }: AssetPack): string | undefined {
  if (metadata?.delivery === Delivery.INSTALL_TIME) return undefined;
  return `the pack of assets ${named([metadata?.name ?? ''])} is installed on demand or later, not with the app`;
}

/** A phone that reports no features is taken to have them all, as bundletool does. */
function has({ features, glEsVersion }: PhoneTraits, { name, version }: { name: string; version: number }): boolean {
  if (features.length === 0) return true;
  return name === OPEN_GL ? glEsVersion >= version : features.includes(name);
}
