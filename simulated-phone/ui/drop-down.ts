import type { Size } from './geometry.js';
import { column } from './containers.js';
import type { Painter } from './painter.js';
import { scroll } from './scroll.js';
import { TextView } from './text-view.js';
import { theme } from './theme.js';
import { View, type LayoutContext, type ViewOptions } from './view.js';

export interface DropDownOptions extends ViewOptions {
  choices: readonly string[];
  chosen?: number;
  onChange?: (at: number) => void;
}

const STYLE = { size: 16, weight: 400 } as const;

/** Android's Spinner, which shows the present choice and opens a list of all choices. */
export class DropDown extends View {
  #chosen: number;

  constructor(options: DropDownOptions) {
    super({
      className: 'android.widget.Spinner',
      clickable: true,
      padding: [12, 14],
      radius: 8,
      border: theme.outline,
      width: 'fill',
      ...options,
    });
    this.#chosen = options.chosen ?? 0;
  }

  get #menu(): DropDownOptions {
    return this.options as DropDownOptions;
  }

  override textAt(_nowMs: number): string {
    return this.choice;
  }

  get chosen(): number {
    return this.#chosen;
  }

  set chosen(at: number) {
    if (at === this.#chosen) return;
    this.#chosen = at;
    this.changed({ layout: true });
  }

  get choice(): string {
    return this.#menu.choices[this.#chosen] ?? '';
  }

  override click(): void {
    const host = this.host;
    if (!host) return;
    const rows = this.#menu.choices.map(
      (choice, at) =>
        new TextView(choice, {
          id: 'android:id/text1',
          className: 'android.widget.CheckedTextView',
          width: 'fill',
          padding: [13, 18],
          selected: at === this.#chosen,
          weight: at === this.#chosen ? 500 : 400,
          color: at === this.#chosen ? theme.primary : theme.text,
          onClick: () => {
            close();
            if (at === this.#chosen) return;
            this.chosen = at;
            this.#menu.onChange?.(at);
          },
        }),
    );
    const list = scroll({ width: 'fill' }, column({ width: 'fill', padding: [8, 0] }, rows));
    const close = host.popup(list, this);
  }

  protected override measureContent(context: LayoutContext, maxWidth: number): Size {
    const laid = context.text.layout(this.choice, STYLE, context.fontScale, Math.max(0, maxWidth - 28), 1);
    return { width: laid.width + 28, height: Math.max(22, laid.height) };
  }

  override paintContent(painter: Painter): void {
    const pad = this.padding;
    const room = this.width - pad.left - pad.right - 28;
    const laid = painter.drawing.text.layout(this.choice, STYLE, painter.fontScale, room, 1);
    painter.text(laid, pad.left, (this.height - laid.height) / 2, theme.text);
    painter.icon('down', this.width - pad.right - 22, (this.height - 22) / 2, 22, theme.textSoft);
  }
}
