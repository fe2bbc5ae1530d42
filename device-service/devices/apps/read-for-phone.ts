import type { AppPackage } from '../../../phone/apk/app-package.js';
import type { AppReader, ReadPackageOptions } from '../../../phone/apk/app-reader.js';
import type { PhoneEndpoint } from '../../../phone/driver.js';
import type { PhoneTraits } from '../../../phone/splits/phone-traits.js';
import { readTraits } from '../../../phone/splits/read-traits.js';
import type { DevicesContext } from '../devices-context.js';
import { PACKAGE_COMMAND_MS } from '../limits.js';
import { withRoom } from '../uploads/with-room.js';

export interface ReadForPhone extends Pick<ReadPackageOptions, 'unpackTo' | 'uploadOf'> {
  endpoint: PhoneEndpoint;
  signal: AbortSignal;
}

/**
 * Reads an app for a phone. The phone's traits choose the APKs of a bundle. They take a phone a second or two to report, so a lone APK is
 * read without them. Throws ApkError for a faulty file and for a bundle without APKs for the phone.
 */
export async function readForPhone(
  { appReader, openLink }: { appReader: AppReader } & Pick<DevicesContext, 'openLink'>,
  file: string,
  { endpoint, signal, ...options }: ReadForPhone,
): Promise<AppPackage> {
  const traits = async (): Promise<PhoneTraits> => {
    const link = await openLink(endpoint);
    return readTraits(link, { timeoutMs: PACKAGE_COMMAND_MS, signal }).finally(() => link.close());
  };
  const phone = (await appReader.isBundle(file, options)) ? await traits() : undefined;
  return withRoom(() => appReader.readPackage(file, { ...options, leavesRoom: true, ...(phone && { phone }) }));
}
