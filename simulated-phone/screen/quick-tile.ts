import { column, overlay } from '../ui/containers.js';
import { icon } from '../ui/image-view.js';
import type { IconName } from '../ui/icons.js';
import { text } from '../ui/text-view.js';
import { theme } from '../ui/theme.js';
import type { View } from '../ui/view.js';

/** A setting that the shade switches. */
export interface QuickTile {
  label: string;
  icon: IconName;
  isOn: boolean;
  onToggle: () => void;
}

/** Returns a tile, which is a switch for accessibility, as on Android. */
export function quickTile({ label, icon: name, isOn, onToggle }: QuickTile): View {
  const ink = isOn ? theme.onPrimary : '#d6dbe5';
  const sign = column({ width: 'fill', height: 'fill', align: 'center', justify: 'center', gap: 3 }, [
    icon(name, { size: 20, color: ink }),
    text(label, { id: 'com.android.systemui:id/tile_label', size: 11.5, color: ink, maxLines: 1 }),
  ]);
  return overlay(
    {
      className: 'android.widget.Switch',
      description: label,
      checked: isOn,
      share: 1,
      height: 60,
      radius: 18,
      background: isOn ? theme.primary : '#363b44',
      onClick: onToggle,
    },
    [sign],
  );
}
