import type { App } from '../app.js';
import { appIcon } from '../app-icon.js';
import { animationScreen } from './animation.js';
import { counterScreen } from './counter.js';
import { dialogsScreen } from './dialogs.js';
import { formScreen } from './form.js';
import { labMenu } from './lab-menu.js';
import { lateContentScreen, secondPaintScreen } from './late-content.js';
import { longListScreen, nestedScrollScreen } from './lists.js';
import { productsScreen } from './products.js';
import { caretScreen, secureScreen, spinnerScreen, webViewScreen } from './special-screens.js';
import { bigTextScreen, scriptsScreen, textsScreen } from './texts.js';
import { gesturesScreen } from './gestures.js';
import { notificationsScreen } from './notifications.js';
import { touchesScreen } from './touches.js';
import { zoomScreen } from './zoom.js';

/**
 * Screens for people who write automation: each shows one thing that is hard to handle, and opens by tapping through the menu
 * or by `am start -n com.cloudphone.lab/.Animation --ei ms 300`.
 */
export const labApp: App = {
  package: 'com.cloudphone.lab',
  label: 'Lab',
  drawIcon: appIcon('#8e44ad', 'flask'),
  launcherActivity: '.Main',
  activities: {
    '.Main': labMenu,
    '.Animation': animationScreen,
    '.LateContent': lateContentScreen,
    '.SecondPaint': secondPaintScreen,
    '.Spinner': spinnerScreen,
    '.List': longListScreen,
    '.NestedScroll': nestedScrollScreen,
    '.Secure': secureScreen,
    '.BigText': bigTextScreen,
    '.Texts': textsScreen,
    '.Scripts': scriptsScreen,
    '.Form': formScreen,
    '.Dialogs': dialogsScreen,
    '.Notifications': notificationsScreen,
    '.Gestures': gesturesScreen,
    '.WebView': webViewScreen,
    '.Caret': caretScreen,
    '.Touches': touchesScreen,
    '.Counter': counterScreen,
    '.Zoom': zoomScreen,
    '.Products': productsScreen,
  },
};
