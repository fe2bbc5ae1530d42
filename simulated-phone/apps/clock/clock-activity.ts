import { column, overlay, row } from '../../ui/containers.js';
import type { IconName } from '../../ui/icons.js';
import { ImageView } from '../../ui/image-view.js';
import type { Painter } from '../../ui/painter.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { View } from '../../ui/view.js';
import { LiveDate } from '../launcher/live-date.js';
import type { Activity, AppContext } from '../app.js';
import { page } from '../page.js';
import { ClockRecord } from './clock-record.js';
import { stopwatch } from './stopwatch.js';
import { countdown } from './countdown.js';

/** Returns an activity with three tabs: the time, a stopwatch, a timer. Each goes on running while another one is shown. */
export function clockActivity(context: AppContext): Activity {
  const record = new ClockRecord(context.files);
  const tabs: { name: string; icon: IconName; view: View }[] = [
    { name: 'Clock', icon: 'clock', view: clockFace(context) },
    { name: 'Stopwatch', icon: 'stopwatch', view: stopwatch(context, record) },
    { name: 'Timer', icon: 'timer', view: countdown(context, record) },
  ];
  const holder = overlay({ width: 'fill', share: 1 }, []);
  const buttons = tabs.map(({ name, icon }, at) => new TabButton(name, icon, () => show(at)));
  const show = (at: number): void => {
    const tab = tabs[at];
    if (!tab) return;
    holder.setChildren([tab.view]);
    buttons.forEach((button, place) => {
      button.selected = place === at;
    });
  };
  const wanted = tabs.findIndex(({ name }) => name.toLowerCase() === context.extras['tab']);
  show(Math.max(0, wanted));
  const bar = row({ id: 'tabs', width: 'fill', background: theme.surfaceLow, padding: [8, 0] }, buttons);
  return { content: page({ title: 'Clock', body: column({ width: 'fill', share: 1 }, [holder, bar]) }) };
}

function clockFace(context: AppContext): View {
  return column({ width: 'fill', height: 'fill', align: 'center', justify: 'center', gap: 8 }, [
    new LiveDate(context, { width: 'fill', align: 'center', ink: theme.text, softInk: theme.textSoft, size: 72 }),
    text(context.timeZone, { id: 'time_zone', size: 15, color: theme.textFaint }),
  ]);
}

/** A tab: an icon over a word. The tab that is shown has a pill behind its icon. */
class TabButton extends ImageView {
  readonly #name: string;

  constructor(name: string, icon: IconName, onClick: () => void) {
    super({
      id: `tab_${name.toLowerCase()}`,
      className: 'android.widget.FrameLayout',
      description: name,
      share: 1,
      width: 100,
      height: 52,
      onClick,
      draw: (painter, width) => this.#paint(painter, icon, width),
    });
    this.#name = name;
  }

  override textAt(_nowMs: number): string {
    return this.#name;
  }

  #paint(painter: Painter, icon: IconName, width: number): void {
    const ink = this.selected ? theme.onPrimarySoft : theme.textSoft;
    if (this.selected) painter.fill(width / 2 - 30, 0, 60, 30, theme.primarySoft, 15);
    painter.icon(icon, width / 2 - 11, 4, 22, ink);
    painter.label(this.#name, width / 2, 42, 12.5, 500, ink);
  }
}
