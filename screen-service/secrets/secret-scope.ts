import type { Secret } from './secret.js';

/**
 * Packages that draw parts of Android itself: bars, notifications and overview, dialogs, the list of apps to share with, and fillers of
 * forms.
 */
const SYSTEM =
  /^(android|com\.android\.(systemui|intentresolver|credentialmanager|printspooler)|com\.google\.android\.gms)$|systemui|autofill/;

/** Home screens, which also show the overview of open apps and the search. */
const HOME = /launcher|quickstep|recents|overview|trebuchet|\.home$|\.hoverhome/i;

/** Keyboards, which suggest what was typed. */
const KEYBOARD = /inputmethod|keyboard|honeyboard|swiftkey|\.ime(\.|$)/i;

/** Browsers. An app may send a typed secret to a web page, and open that page in a browser. */
const BROWSER =
  /browser|chrome|chromium|firefox|fenix|mozilla\.focus|webview|emmx|vivaldi|duckduckgo|jelly|htmlviewer/i;

/** Returns whether an app is a browser into which no secret was typed. Few pages of such a browser show a secret. */
export function isOtherBrowser(secrets: readonly Secret[], app: string): boolean {
  return BROWSER.test(app) && !secrets.some(({ apps }) => apps.has('') || apps.has(app));
}

/** Returns whether a window is the overview of open apps, which shows a picture of each app. */
export function showsApps({ app, activity }: { app: string; activity: string }): boolean {
  return /recents|overview|quickstep/i.test(`${app}/${activity}`);
}

const ANYWHERE = [SYSTEM, HOME, KEYBOARD, BROWSER];

/**
 * Returns whether an app may show the secret: it was typed into that app, or the app shows content of other apps. Any other app never got
 * the secret, so a text there that looks like it is something else. Returns true if the app, or the one typed into, is not known.
 */
export function mayShow({ apps }: Secret, app: string): boolean {
  return app === '' || apps.has('') || apps.has(app) || ANYWHERE.some((kind) => kind.test(app));
}
