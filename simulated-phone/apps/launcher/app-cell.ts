import type { Size } from '../../ui/geometry.js';
import type { Painter } from '../../ui/painter.js';
import { TextView } from '../../ui/text-view.js';
import type { LayoutContext } from '../../ui/view.js';

export interface AppCellOptions {
  label: string;
  /** Whether the label is written below the icon. */
  labelled: boolean;
  iconSize: number;
  drawIcon: (painter: Painter, size: number) => void;
  onClick: () => void;
  onLongClick?: () => void;
}

/** Height of a label with its distance from the icon, dp, and the smallest icon. */
const LABEL_DP = 30;
const MIN_ICON_DP = 24;

/** An icon with its name: one text view with a picture above, as in Android's own launcher. */
export class AppCell extends TextView {
  readonly #cell: AppCellOptions;

  constructor(cell: AppCellOptions) {
    super(cell.label, {
      size: 12.5,
      color: '#ffffff',
      align: 'center',
      maxLines: 1,
      description: cell.label,
      onClick: cell.onClick,
      radius: 16,
      place: ['center', 'start'],
      ...(cell.onLongClick ? { onLongClick: cell.onLongClick } : {}),
    });
    this.#cell = cell;
  }

  protected override measureContent(_context: LayoutContext, maxWidth: number, maxHeight: number): Size {
    const { iconSize, labelled } = this.#cell;
    const height = iconSize + (labelled ? LABEL_DP : 8);
    return { width: Math.min(maxWidth, iconSize + 36), height: Math.min(maxHeight, height) };
  }

  override paintContent(painter: Painter): void {
    const { drawIcon, labelled } = this.#cell;
    // On a low page, as on a phone that lies on its side, the icon is made smaller for the label.
    const room = this.height - (labelled ? LABEL_DP : 8);
    const iconSize = Math.max(MIN_ICON_DP, Math.min(this.#cell.iconSize, room));
    const left = (this.width - iconSize) / 2;
    painter.x += left;
    painter.y += 4;
    drawIcon(painter, iconSize);
    painter.x -= left;
    painter.y -= 4;
    if (!labelled) return;
    const laid = painter.drawing.text.layout(this.text, { size: 12.5, weight: 500 }, 1, this.width, 1);
    painter.text(laid, 0, iconSize + 9, '#ffffff', this.width, 'center');
  }
}
