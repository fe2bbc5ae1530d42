import { fileURLToPath } from 'node:url';
import type { App } from '../../simulated-phone/apps/app.js';
import * as toolkit from '../../simulated-phone/apps/toolkit.js';
import labApp from '../phone-apps/lab.js';

/** The folder of the apps that phones of tests have beside their own, as SIMULATED_APPS_DIR and `--apps` take it. */
export const EXTRA_APPS_FOLDER = fileURLToPath(new URL('../phone-apps/', import.meta.url));

/** The apps of that folder, for phones of this process. */
export const EXTRA_APPS: readonly App[] = [labApp(toolkit)];
