import type { App } from '../app.js';
import { appIcon } from '../app-icon.js';
import { browserActivity } from './browser-activity.js';

export const browserApp: App = {
  package: 'com.cloudphone.browser',
  label: 'Browser',
  drawIcon: appIcon('#159570', 'globe'),
  launcherActivity: '.Main',
  activities: { '.Main': browserActivity },
  activityFor: (action, data) =>
    action === 'android.intent.action.VIEW' && /^(https?|file):/i.test(data ?? '') ? '.Main' : undefined,
};
