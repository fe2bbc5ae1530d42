import type { App } from '../app.js';
import { appIcon } from '../app-icon.js';
import { aboutPhone } from './about-phone.js';
import { appInfo, appsList } from './apps-list.js';
import { dateAndTime } from './date-and-time.js';
import { displaySettings } from './display-settings.js';
import { locationSettings } from './location-settings.js';
import { networkSettings } from './network-settings.js';
import { settingsMenu } from './settings-menu.js';

/** Intent actions by which Android opens each page. */
const ACTIONS: Readonly<Record<string, string>> = {
  'android.settings.SETTINGS': '.Main',
  'android.settings.WIFI_SETTINGS': '.Network',
  'android.settings.WIRELESS_SETTINGS': '.Network',
  'android.settings.AIRPLANE_MODE_SETTINGS': '.Network',
  'android.settings.DISPLAY_SETTINGS': '.Display',
  'android.settings.LOCATION_SOURCE_SETTINGS': '.Location',
  'android.settings.DATE_SETTINGS': '.DateTime',
  'android.settings.APPLICATION_SETTINGS': '.Apps',
  'android.settings.MANAGE_APPLICATIONS_SETTINGS': '.Apps',
  'android.settings.APPLICATION_DETAILS_SETTINGS': '.AppInfo',
  'android.settings.DEVICE_INFO_SETTINGS': '.About',
};

export const settingsApp: App = {
  package: 'com.cloudphone.settings',
  label: 'Settings',
  drawIcon: appIcon('#5a6474', 'gear'),
  launcherActivity: '.Main',
  activities: {
    '.Main': settingsMenu,
    '.Network': networkSettings,
    '.Display': displaySettings,
    '.Location': locationSettings,
    '.DateTime': dateAndTime,
    '.Apps': appsList,
    '.AppInfo': appInfo,
    '.About': aboutPhone,
  },
  activityFor: (action) => ACTIONS[action],
};
