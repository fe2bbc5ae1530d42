import type { Size } from './geometry.js';
import type { IconName } from './icons.js';
import { picture } from './image-view.js';
import type { Painter } from './painter.js';
import { theme } from './theme.js';
import { View, type LayoutContext, type ViewOptions } from './view.js';

export interface ButtonOptions extends ViewOptions {
  kind?: 'filled' | 'tonal' | 'text' | 'danger' | 'outlined';
  icon?: IconName;
  /** dp. */
  size?: number;
}

const COLORS = {
  filled: { background: theme.primary, color: theme.onPrimary, border: undefined },
  tonal: { background: theme.primarySoft, color: theme.onPrimarySoft, border: undefined },
  text: { background: undefined, color: theme.primary, border: undefined },
  danger: { background: theme.danger, color: '#ffffff', border: undefined },
  outlined: { background: undefined, color: theme.primary, border: theme.outline },
} as const;

/** A button with a word on it. */
export class Button extends View {
  #label: string;

  constructor(label: string, options: ButtonOptions) {
    super({
      className: 'android.widget.Button',
      clickable: true,
      padding: options.kind === 'text' ? [10, 14] : [11, 24],
      radius: 22,
      ...options,
    });
    this.#label = label;
  }

  get #button(): ButtonOptions {
    return this.options;
  }

  override textAt(_nowMs: number): string {
    return this.#label;
  }

  get label(): string {
    return this.#label;
  }

  set label(label: string) {
    if (label === this.#label) return;
    this.#label = label;
    this.changed({ layout: true });
  }

  protected override measureContent(context: LayoutContext, maxWidth: number): Size {
    const icon = this.#button.icon ? 26 : 0;
    const laid = context.text.layout(this.#label, this.#style, context.fontScale, Math.max(0, maxWidth - icon), 1);
    return { width: Math.ceil(laid.width * 8) / 8 + icon, height: Math.max(20, laid.height) };
  }

  get #style(): { size: number; weight: 500 } {
    return { size: this.#button.size ?? 15, weight: 500 };
  }

  override paintPress(): void {
    // The background is drawn below, with the button's own colour.
  }

  override paintContent(painter: Painter): void {
    const { kind = 'filled', icon, radius = 22 } = this.#button;
    const colors = COLORS[kind];
    const round = Math.min(radius, this.height / 2);
    if (colors.background !== undefined) {
      painter.fill(0, 0, this.width, this.height, this.enabled ? colors.background : theme.surfaceHigh, round);
    }
    if (colors.border !== undefined) painter.outline(0, 0, this.width, this.height, colors.border, 1, round);
    if (this.pressed) painter.fill(0, 0, this.width, this.height, theme.pressed, round);
    const color = this.enabled ? colors.color : theme.disabled;
    const iconWidth = icon ? 26 : 0;
    const pad = this.padding;
    const room = this.width - pad.left - pad.right - iconWidth;
    const laid = painter.drawing.text.layout(this.#label, this.#style, painter.fontScale, room + 0.2, 1);
    const left = (this.width - laid.width - iconWidth) / 2;
    if (icon) painter.icon(icon, left, (this.height - 20) / 2, 20, color);
    painter.text(laid, left + iconWidth, (this.height - laid.height) / 2, color);
  }
}

export function button(label: string, options: ButtonOptions): Button {
  return new Button(label, options);
}

export interface IconButtonOptions extends ViewOptions {
  icon: IconName;
  description: string;
  color?: string;
  /** Size of the drawing, dp; the touch target has 48 dp. */
  size?: number;
}

/** Returns a button with a drawing on it; `description` is its name for accessibility. */
export function iconButton({ icon, color = theme.textSoft, size = 24, ...options }: IconButtonOptions): View {
  return picture({
    className: 'android.widget.ImageButton',
    clickable: true,
    width: 48,
    height: 48,
    radius: 24,
    ...options,
    draw: (painter, width, height) => painter.icon(icon, (width - size) / 2, (height - size) / 2, size, color),
  });
}
