import { HELPER_PACKAGES } from '../../../phone/helper-packages.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { PACKAGE_COMMAND_MS } from '../limits.js';

/** An app on a phone. */
export interface InstalledApp {
  package: string;
  /** Undefined where the report lacks it: on real phones, the label is only in the app's own files. */
  label: string | undefined;
  version: string;
  system: boolean;
}

/** Selects the needed lines of a report, which is megabytes long on a real phone. */
const COMMAND =
  "dumpsys package packages | grep -E '^(Packages|Hidden system packages):|^  Package \\[|^    (versionName|pkgFlags|label)='";

/** Reads the apps on a phone, sorted by package, without the service's own apps. */
export async function installedApps(link: PhoneLink, signal: AbortSignal): Promise<InstalledApp[]> {
  const options = { timeoutMs: PACKAGE_COMMAND_MS, maxBytes: 4 * 1024 * 1024, doing: 'list its apps', signal };
  const { stdout } = await link.shell(COMMAND, options);
  return appsIn(stdout.toString('utf8')).filter((app) => !HELPER_PACKAGES.has(app.package));
}

/** Parses the lines that COMMAND selects. After an update of a system app, its first version is listed once more, among the hidden apps. */
export function appsIn(report: string): InstalledApp[] {
  const found = new Map<string, InstalledApp>();
  let app: InstalledApp | undefined;
  let isHidden = false;
  for (const line of report.split('\n')) {
    if (/^\S/.test(line)) isHidden = !line.startsWith('Packages:');
    const name = /^ {2}Package \[([^\]]+)\]/.exec(line)?.[1];
    if (name !== undefined) {
      app = isHidden ? undefined : { package: name, label: undefined, version: '', system: false };
      if (app !== undefined) found.set(name, app);
    }
    const [, field, value = ''] = /^ {4}(versionName|pkgFlags|label)=(.*)/.exec(line.trimEnd()) ?? [];
    if (app === undefined || field === undefined) continue;
    if (field === 'versionName') app.version = value === 'null' ? '' : value;
    else if (field === 'label') app.label = value;
    else app.system = /\bSYSTEM\b/.test(value);
  }
  return [...found.values()].sort((a, b) => (a.package < b.package ? -1 : 1));
}
