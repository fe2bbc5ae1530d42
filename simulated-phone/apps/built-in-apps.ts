import type { App } from './app.js';
import { browserApp } from './browser/browser.js';
import { clockApp } from './clock/clock.js';
import { labApp } from './lab/lab.js';
import { launcherApp } from './launcher/launcher.js';
import { messagesApp } from './messages/messages.js';
import { notesApp } from './notes/notes.js';
import { settingsApp } from './settings/settings.js';

const shown: readonly App[] = [notesApp, messagesApp, browserApp, clockApp, settingsApp, labApp];

/** Every app that is part of the phone, the launcher first. */
export const builtInApps: readonly App[] = [launcherApp(shown), ...shown];
