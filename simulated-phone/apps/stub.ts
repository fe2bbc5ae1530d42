import { parseComponent } from '../component-name.js';
import type { InstalledPackage } from '../system.js';
import { column } from '../ui/containers.js';
import { picture } from '../ui/image-view.js';
import { text } from '../ui/text-view.js';
import { theme } from '../ui/theme.js';
import type { Activity, App, AppContext } from './app.js';

/**
 * The activity of an app installed from an APK: the phone cannot run its code, so it shows the metadata that the file has about
 * itself.
 */
export function stubApp(installed: InstalledPackage): App {
  const name = parseComponent(installed.launcherActivity ?? '')?.name;
  return {
    package: installed.package,
    label: installed.label,
    drawIcon: (painter, size) => painter.fill(0, 0, size, size, theme.primary, size * 0.28),
    ...(name === undefined ? {} : { launcherActivity: name }),
    activities: name === undefined ? {} : { [name]: (context) => stubActivity(installed, context) },
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
