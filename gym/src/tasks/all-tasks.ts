import type { AnyTask } from '../task.js';
import { settings } from './settings.js';

/** All tasks, family after family. */
export const ALL_TASKS: readonly AnyTask[] = [settings].flatMap(({ tasks }) => tasks);
