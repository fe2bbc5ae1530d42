import type { App } from '../app.js';
import { appIcon } from '../app-icon.js';
import { conversation } from './conversation.js';
import { threadList } from './thread-list.js';

export const messagesApp: App = {
  package: 'com.cloudphone.messages',
  label: 'Messages',
  drawIcon: appIcon('#2f7de1', 'chat'),
  launcherActivity: '.Main',
  activities: { '.Main': threadList, '.Thread': conversation },
  activityFor: (action, data) =>
    action === 'android.intent.action.SENDTO' && /^(sms|smsto):/.test(data ?? '') ? '.Thread' : undefined,
};
