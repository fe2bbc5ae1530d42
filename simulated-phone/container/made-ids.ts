import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Stored } from '../settings/settings-store.js';
import { replaceFile, StateFile } from '../state-file.js';

/** Returns that many random bytes. */
type RandomBytes = (count: number) => Buffer;

/** Android's file of the ids by which apps know the phone: each app's is computed from the key in it. */
const SSAID_FILE = 'system/users/0/settings_ssaid.xml';

/**
 * Makes up the ids that Android makes up at its first boot and keeps in /data, where they are missing:
 *
 * - the setting `android_id`, which `settings get secure android_id` prints in ADB's shell. On Android it is in settings_secure.xml with
 *   all other settings of its kind, and here in the phone's state: a copy of /data has it too, until it is set to something else;
 * - the key of the ids for apps, in a file of its own, as on Android. A copy of /data without that file has another key.
 *   The simulated phone's apps have no use for ids, so nothing else reads it.
 */
export function makeUpIds(dataFolder: string, settingsPath: string, randomBytes: RandomBytes): void {
  const settings = new StateFile<Stored>(settingsPath);
  const stored = settings.read() ?? {};
  if (typeof stored.secure?.['android_id'] !== 'string') {
    settings.write({ ...stored, secure: { ...stored.secure, android_id: randomBytes(8).toString('hex') } });
  }
  const ssaid = join(dataFolder, SSAID_FILE);
  if (existsSync(ssaid)) return;
  const key = randomBytes(32).toString('hex').toUpperCase();
  replaceFile(
    ssaid,
    `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<settings version="1">\n` +
      `  <setting id="0" name="userkey" value="${key}" package="android" />\n</settings>\n`,
  );
}
