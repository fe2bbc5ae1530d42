import type { AnyTask } from '../task.js';
import { browser } from './browser.js';
import { clock } from './clock.js';
import { files } from './files.js';
import { messages } from './messages.js';
import { notes } from './notes.js';
import { settings } from './settings.js';

/** All tasks, family after family. */
export const ALL_TASKS: readonly AnyTask[] = [settings, messages, notes, browser, clock, files].flatMap(({ tasks }) => tasks);
