import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { animationScreen } from './lab/animation.js';
import { counterScreen } from './lab/counter.js';
import { dialogsScreen } from './lab/dialogs.js';
import { formScreen } from './lab/form.js';
import { labMenu } from './lab/lab-menu.js';
import { lateContentScreen, secondPaintScreen } from './lab/late-content.js';
import { longListScreen, nestedScrollScreen } from './lab/lists.js';
import { productsScreen } from './lab/products.js';
import { caretScreen, secureScreen, spinnerScreen, webViewScreen } from './lab/special-screens.js';
import { bigTextScreen, scriptsScreen, textsScreen } from './lab/texts.js';
import { gesturesScreen } from './lab/gestures.js';
import { notificationsScreen } from './lab/notifications.js';
import { touchesScreen } from './lab/touches.js';
import { zoomScreen } from './lab/zoom.js';

type Screen = (ui: Toolkit, context: AppContext) => Activity;

const SCREENS: Readonly<Record<string, Screen>> = {
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
};

/**
 * Screens for people who write automation: each shows one thing that is hard to handle, and opens by tapping through the menu
 * or by `am start -n com.cloudphone.lab/.Animation --ei ms 300`.
 */
export default function labApp(ui: Toolkit): App {
  const bound = Object.entries(SCREENS).map(
    ([name, screen]) => [name, (context: AppContext) => screen(ui, context)] as const,
  );
  return {
    package: 'com.cloudphone.lab',
    label: 'Lab',
    drawIcon: ui.appIcon('#8e44ad', 'flask'),
    launcherActivity: '.Main',
    activities: Object.fromEntries(bound),
  };
}
