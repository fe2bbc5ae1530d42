import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Stored } from '../settings/settings-store.js';
import { replaceFile, StateFile } from '../system/state-file.js';

/** Returns `count` random bytes. */
type RandomBytes = (count: number) => Buffer;

/** Android's file with a key. From this key, Android computes the id by which each app knows the phone. */
const SSAID_FILE = 'system/users/0/settings_ssaid.xml';

/**
 * Makes up the ids that Android makes up at its first boot and keeps in /data. Ids that are there stay:
 *
 * - The setting `android_id`, which `settings get secure android_id` prints in ADB's shell. Android has it in settings_secure.xml. Here it
 *   is in the phone's state, which is below /data. So a phone made from a copy of /data has the same id until somebody sets another.
 * - The key for the ids of apps, in a file of its own, as on Android. A copy of /data without that file gets another key. The simulated
 *   phone's apps have no use for ids, so nothing else reads it.
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
