import type { App } from '../apps/app.js';
import { browserApp } from '../apps/browser/browser.js';
import { chooserApp } from '../apps/chooser/chooser.js';
import { clockApp } from '../apps/clock/clock.js';
import { launcherApp } from '../apps/launcher/launcher.js';
import { messagesApp } from '../apps/messages/messages.js';
import { notesApp } from '../apps/notes/notes.js';
import { settingsApp } from '../apps/settings/settings.js';

const shown: readonly App[] = [notesApp, messagesApp, browserApp, clockApp, settingsApp];

/** Every app that is part of each phone, the launcher first. */
export const builtInApps: readonly App[] = phoneApps([]);

/**
 * Returns the apps of a phone that has `extra` apps too. An app's place decides its user id, so the extra apps come last, and built-in apps
 * keep their ids.
 */
export function phoneApps(extra: readonly App[]): readonly App[] {
  return [launcherApp([...shown, ...extra]), ...shown, chooserApp, ...extra];
}
