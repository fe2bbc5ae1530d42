import type { App } from '../app.js';
import { clockActivity } from './clock-activity.js';

export const clockApp: App = {
  package: 'com.cloudphone.clock',
  label: 'Clock',
  drawIcon: (painter, size) => {
    painter.fill(0, 0, size, size, '#27304a', size * 0.28);
    const middle = size / 2;
    painter.circle(middle, middle, size * 0.33, '#f4f6fb');
    painter.fill(middle - size * 0.025, size * 0.26, size * 0.05, size * 0.27, '#27304a', size * 0.025);
    painter.fill(middle - size * 0.025, middle - size * 0.025, size * 0.2, size * 0.05, '#d9822b', size * 0.025);
  },
  launcherActivity: '.Main',
  activities: { '.Main': clockActivity },
  activityFor: (action) => (action === 'android.intent.action.SHOW_ALARMS' ? '.Main' : undefined),
};
