import { appIcon } from '../app-icon.js';
import type { Activity, App, AppContext } from '../app.js';
import { listRow } from '../list-rows.js';
import { column } from '../../ui/containers.js';
import { picture } from '../../ui/image-view.js';
import { text } from '../../ui/text-view.js';
import { parseComponent } from '../../system/component-name.js';

export const CHOOSER_COMPONENT = 'android/com.android.internal.app.ResolverActivity';
/** Extra with the components to choose from, one on a line. */
export const CHOICES = 'choices';

/** Android's own dialog for an intent that several apps take. */
export const chooserApp: App = {
  package: 'android',
  label: 'Android System',
  drawIcon: appIcon('#5f6368', 'gear'),
  activities: { [parseComponent(CHOOSER_COMPONENT)?.name ?? '']: chooser },
};

function chooser(context: AppContext): Activity {
  const { [CHOICES]: choices = '', ...extras } = context.extras;
  const size = 40;
  const rows = choices.split('\n').map((component, at) => {
    const { package: packageName } = parseComponent(component) ?? { package: component };
    const label = context.packages.get(packageName)?.label ?? packageName;
    return listRow({
      title: label,
      id: `choice_${at}`,
      titleId: 'android:id/text1',
      leading: picture({
        description: `${label} icon`,
        width: size,
        height: size,
        draw: (painter) => context.drawIconOf(packageName, painter, size),
      }),
      onClick: () => {
        context.finish();
        context.open({ component, ...(context.data !== undefined && { data: context.data }) }, extras);
      },
    });
  });
  return {
    content: column({ width: 'fill', height: 'fill', padding: 16, gap: 8 }, [
      text('Open with', { id: 'android:id/title', size: 20, weight: 500 }),
      ...rows,
    ]),
  };
}
