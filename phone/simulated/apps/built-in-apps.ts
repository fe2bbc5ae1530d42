import type { App } from './app.js';
import { launcherApp } from './launcher/launcher.js';
import { notesApp } from './notes/notes.js';

const shown: readonly App[] = [notesApp];

/** Every app that is part of the phone, the launcher first. */
export const builtInApps: readonly App[] = [launcherApp(shown), ...shown];
