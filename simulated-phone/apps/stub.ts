import { parseComponent } from '../system/component-name.js';
import type { InstalledPackage } from '../system/system.js';
import { column } from '../ui/containers.js';
import { picture } from '../ui/image-view.js';
import { text } from '../ui/text-view.js';
import { theme } from '../ui/theme.js';
import type { Activity, App, AppContext } from './app.js';

/** Returns the app for a package that was installed from an APK. The phone cannot run its code, so it shows the metadata of the file. */
export function stubApp(installed: InstalledPackage): App {
  const name = parseComponent(installed.launcherActivity ?? '')?.name;
  const declared = (installed.activities ?? []).flatMap(({ component }) => parseComponent(component)?.name ?? []);
  const names = new Set([...(name === undefined ? [] : [name]), ...declared]);
  return {
    package: installed.package,
    label: installed.label,
    ...(name === undefined ? {} : { launcherActivity: name }),
    activities: Object.fromEntries(
      [...names].map((one) => [one, (context: AppContext) => stubActivity(installed, context)] as const),
    ),
  };
}

function stubActivity(installed: InstalledPackage, context: AppContext): Activity {
  const size = 96;
  const content = column({ width: 'fill', height: 'fill', align: 'center', justify: 'center', padding: 32, gap: 10 }, [
    picture({
      id: 'icon',
      description: `${installed.label} icon`,
      width: size,
      height: size,
      margin: [0, 0, 12, 0],
      draw: (painter) => context.drawIconOf(installed.package, painter, size),
    }),
    text(installed.label, { id: 'label', size: 24, weight: 500, align: 'center' }),
    text(installed.package, { id: 'package', size: 14, color: theme.textSoft, align: 'center' }),
    text(`Version ${installed.versionName} (${installed.versionCode})`, {
      id: 'version',
      size: 14,
      color: theme.textSoft,
    }),
    ...(context.data === undefined
      ? []
      : [text(context.data, { id: 'address', size: 14, align: 'center', margin: [12, 0, 0, 0] })]),
    text('Installed on this simulated phone. Its code does not run here.', {
      id: 'note',
      size: 13,
      color: theme.textFaint,
      align: 'center',
      margin: [16, 0, 0, 0],
    }),
  ]);
  return { content };
}
