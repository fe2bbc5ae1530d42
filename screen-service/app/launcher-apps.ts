import type { Call } from '../../kit/call/call.js';
import type { ReachedPhone } from '../link/reached-phone.js';

export interface LauncherApp {
  package: string;
  /** `com.x/.MainActivity` */
  component: string;
  /** Its label in the launcher. Undefined: not known (a label in resources is printed as a number only). */
  label: string | undefined;
}

const COMMAND = 'cmd package query-activities -a android.intent.action.MAIN -c android.intent.category.LAUNCHER';

/** Apps that the launcher shows. */
export async function readLauncherApps(call: Call, phoneSession: ReachedPhone): Promise<LauncherApp[]> {
  const { stdout } = await phoneSession.command(call, COMMAND, 'list its apps');
  return parseActivities(stdout.toString('utf8'));
}

/** Reads `cmd package query-activities`: a block for each activity, fields in lines `name=value` or several in a line. */
export function parseActivities(text: string): LauncherApp[] {
  const apps: LauncherApp[] = [];
  for (const block of text.split(/^\s*Activity #\d+:/m).slice(1)) {
    const name = /^\s*name=(\S+)/m.exec(block)?.[1];
    const owner = /packageName=(\S+)/.exec(block)?.[1];
    if (name === undefined || owner === undefined) continue;
    const label = /nonLocalizedLabel=(.*?)(?: icon=0x|\s*$)/m.exec(block)?.[1]?.trim();
    apps.push({
      package: owner,
      component: `${owner}/${name.startsWith(`${owner}.`) ? name.slice(owner.length) : name}`,
      label: label === undefined || label === '' || label === 'null' ? undefined : label,
    });
  }
  return apps;
}
