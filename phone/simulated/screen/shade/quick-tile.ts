import { column } from '../../ui/containers.js';
import { icon } from '../../ui/image-view.js';
import type { IconName } from '../../ui/icons.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import { View } from '../../ui/view.js';

/** A setting that the shade switches. */
export interface QuickTile {
  label: string;
  icon: IconName;
  isOn: boolean;
  onToggle: () => void;
}

/** One tile; accessibility takes it for a switch, as on Android. */
export function quickTile(tile: QuickTile): View {
  return new Tile(tile);
}

class Tile extends View {
  readonly #isOn: boolean;

  constructor({ label, icon: name, isOn, onToggle }: QuickTile) {
    const ink = isOn ? theme.onPrimary : '#d6dbe5';
    super(
      {
        description: label,
        share: 1,
        height: 60,
        radius: 18,
        background: isOn ? theme.primary : '#363b44',
        onClick: onToggle,
      },
      [
        column({ width: 'fill', height: 'fill', align: 'center', justify: 'center', gap: 3 }, [
          icon(name, { size: 20, color: ink }),
          text(label, { id: 'com.android.systemui:id/tile_label', size: 11.5, color: ink, maxLines: 1 }),
        ]),
      ],
    );
    this.#isOn = isOn;
  }

  override get className(): string {
    return 'android.widget.Switch';
  }

  override get checkable(): boolean {
    return true;
  }

  override get isChecked(): boolean {
    return this.#isOn;
  }

  protected override layoutContent(context: Parameters<View['layout']>[0]): void {
    this.children[0]?.layout(context, { left: 0, top: 0, width: this.width, height: this.height });
  }
}
