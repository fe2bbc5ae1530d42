import type { AnyTask } from '../task.js';
import { apps } from './apps.js';
import { browser } from './browser.js';
import { calendar } from './calendar.js';
import { clock } from './clock.js';
import { consent } from './consent.js';
import { files } from './files.js';
import { forms } from './forms.js';
import { interruptions } from './interruptions.js';
import { languages } from './languages.js';
import { lists } from './lists.js';
import { messages } from './messages.js';
import { notes } from './notes.js';
import { settings } from './settings.js';

const FAMILIES = [settings, messages, notes, browser, clock, files, forms, calendar, lists, languages, interruptions, consent, apps]; // prettier-ignore

/** All tasks, family after family. */
export const ALL_TASKS: readonly AnyTask[] = FAMILIES.flatMap(({ tasks }) => tasks);
