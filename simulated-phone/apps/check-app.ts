import type { App } from './app.js';

/** Android's rule for package names. */
const PACKAGE = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;
const MAX_PACKAGE_CHARS = 223;

/** The short name of an activity, which begins with a dot in place of the package. */
const ACTIVITY = /^\.[A-Za-z]\w*(\.[A-Za-z]\w*)*$/;

const MAX_LABEL_CHARS = 100;
const MAX_ACTIVITIES = 200;

/** Returns `made` if it has the shape of an app. Throws a sentence that names what is wrong and what is allowed. */
export function checkApp(made: unknown): App {
  if (typeof made !== 'object' || made === null) throw new Error('its function does not return an app.');
  const app = made as Partial<Record<keyof App, unknown>>;
  const { package: name, label, activities, launcherActivity } = app;
  if (typeof name !== 'string' || name.length > MAX_PACKAGE_CHARS || !PACKAGE.test(name))
    throw new Error('its package is not a name such as com.example.shop.');
  if (typeof label !== 'string' || label.trim() === '' || label.length > MAX_LABEL_CHARS || /\p{Cc}/u.test(label))
    throw new Error(`its label is not one line of 1 to ${MAX_LABEL_CHARS} characters.`);
  if (typeof activities !== 'object' || activities === null) throw new Error('it has no activities.');
  const names = Object.keys(activities);
  if (names.length === 0 || names.length > MAX_ACTIVITIES)
    throw new Error(`it has ${names.length} activities. There are 1 to ${MAX_ACTIVITIES}.`);
  for (const [activity, open] of Object.entries(activities)) {
    if (!ACTIVITY.test(activity))
      throw new Error(`its activity ${JSON.stringify(activity)} has no name such as ".Main".`);
    if (typeof open !== 'function') throw new Error(`its activity ${activity} is not a function.`);
  }
  if (launcherActivity !== undefined && !names.includes(launcherActivity as string))
    throw new Error(`its launcherActivity is none of its activities: ${names.slice(0, 20).join(', ')}.`);
  for (const key of ['drawIcon', 'activityFor'] as const)
    if (app[key] !== undefined && typeof app[key] !== 'function') throw new Error(`its ${key} is not a function.`);
  return made as App;
}
