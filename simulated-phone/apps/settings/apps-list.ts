import { button } from '../../ui/button.js';
import { column, overlay, row } from '../../ui/containers.js';
import { picture } from '../../ui/image-view.js';
import { ListView } from '../../ui/list.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { View } from '../../ui/view.js';
import type { InstalledPackage } from '../../system/system.js';
import type { Activity, AppContext } from '../app.js';
import { listRow } from '../list-rows.js';
import { page } from '../page.js';
import { settingsPage } from './settings-page.js';

/** Shows every installed package, by label. */
export function appsList(context: AppContext): Activity {
  let known: readonly InstalledPackage[] = [];
  const list = new ListView({
    id: 'apps',
    count: 0,
    rowHeight: 68,
    width: 'fill',
    height: 'fill',
    row: (at) => {
      const one = known[at];
      if (!one) return column({}, []);
      return listRow({
        title: one.label,
        detail: one.package,
        lines: 1,
        leading: appPicture(context, one, 40),
        onClick: () => context.open({ component: `${context.package}/.AppInfo` }, { package: one.package }),
      });
    },
  });
  return {
    content: page({ title: 'Apps', onUp: () => context.finish(), body: overlay({ width: 'fill', share: 1 }, [list]) }),
    onResume: () => {
      known = [...context.packages.list()].sort((a, b) => a.label.localeCompare(b.label));
      list.refresh(known.length);
    },
  };
}

/** One package: its facts, and a button to open it. */
export function appInfo(context: AppContext): Activity {
  const name = context.extras['package'] ?? context.data?.replace(/^package:/, '') ?? '';
  const known = context.packages.get(name);
  if (!known) {
    return { content: settingsPage(context, 'App info', [listRow({ title: 'Not installed', detail: name })]) };
  }
  const head = row({ width: 'fill', padding: [12, 20], gap: 16 }, [
    appPicture(context, known, 56),
    column({ share: 1 }, [
      text(known.label, { id: 'label', size: 20, weight: 500 }),
      text(known.package, { id: 'package', size: 13.5, color: theme.textFaint }),
    ]),
  ]);
  const open = button('Open', {
    id: 'open',
    kind: 'tonal',
    icon: 'play',
    margin: [4, 20],
    enabled: known.launcherActivity !== undefined,
    onClick: () => context.open({ package: known.package }),
  });
  return {
    content: settingsPage(context, 'App info', [
      head,
      open,
      listRow({ title: 'Version', detail: `${known.versionName} (${known.versionCode})`, detailId: 'version' }),
      listRow({ title: 'Kind', detail: known.system ? 'Part of the phone' : 'Installed' }),
      listRow({
        title: 'Installed',
        detail: context.zoneTime.date(known.firstInstallTimeMs, context.timeZone),
        detailId: 'installed',
      }),
    ]),
  };
}

function appPicture(context: AppContext, known: InstalledPackage, size: number): View {
  return picture({
    width: size,
    height: size,
    draw: (painter) => context.drawIconOf(known.package, painter, size),
  });
}
