import { column } from '../../ui/containers.js';
import type { IconName } from '../../ui/icons.js';
import { badge } from '../../ui/image-view.js';
import { scroll } from '../../ui/scroll.js';
import type { View } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { listRow } from '../list-rows.js';
import { page } from '../page.js';

/** The pages of settings. */
export function settingsMenu(context: AppContext): Activity {
  const entry = (id: string, activity: string, icon: IconName, color: string, title: string, detail: string): View =>
    listRow({
      id,
      title,
      detail,
      lines: 1,
      leading: badge({ icon }, { color, ink: '#ffffff' }),
      onClick: () => context.open({ component: `${context.package}/${activity}` }),
    });
  const { exit } = context.network;
  const { battery } = context.conditions;
  return {
    content: page({
      title: 'Settings',
      body: scroll(
        { id: 'list', width: 'fill', share: 1 },
        column({ width: 'fill', padding: [4, 0, 16, 0] }, [
          entry('network', '.Network', 'wifi', '#2f7de1', 'Network & internet', `Wi-Fi, ${exit.type} exit`),
          entry('display', '.Display', 'display', '#d9822b', 'Display', 'Rotation, text size, animations'),
          entry('date_time', '.DateTime', 'clock', '#2b8a6b', 'Date & time', context.timeZone),
          entry('location', '.Location', 'globe', '#c2553f', 'Location & battery', `${battery.level} %`),
          entry('apps', '.Apps', 'apps', '#7d55c7', 'Apps', 'Installed apps'),
          entry('about', '.About', 'info', '#5a6474', 'About phone', context.identity.name),
        ]),
      ),
    }),
  };
}
