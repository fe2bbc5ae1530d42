import type { Size } from './geometry.js';
import type { Painter } from './painter.js';
import { theme } from './theme.js';
import { View, type LayoutContext, type ViewOptions } from './view.js';

export interface CompoundOptions extends ViewOptions {
  /** Is called with the new state after the user has changed it. */
  onChange?: (checked: boolean) => void;
}

const CLASS = {
  check: 'android.widget.CheckBox',
  switch: 'android.widget.Switch',
  radio: 'android.widget.RadioButton',
};
const MARK_WIDTH = { check: 32, switch: 52, radio: 32 };

/** A check box, switch or radio button: a mark that is on or off, and a label. */
export class CompoundButton extends View {
  readonly kind: 'check' | 'switch' | 'radio';
  readonly label: string;
  #checked: boolean;

  constructor(kind: 'check' | 'switch' | 'radio', label: string, options: CompoundOptions = {}) {
    super({ className: CLASS[kind], clickable: true, checked: false, padding: [10, 4], radius: 8, ...options });
    this.kind = kind;
    this.label = label;
    this.#checked = options.checked ?? false;
  }

  override textAt(_nowMs: number): string {
    return this.label;
  }

  override get checked(): boolean {
    return this.#checked;
  }

  /** Sets the state without calling `onChange`. */
  override set checked(checked: boolean) {
    if (checked === this.#checked) return;
    this.#checked = checked;
    this.changed();
  }

  override click(): void {
    if (this.kind === 'radio' && this.#checked) return;
    this.checked = !this.#checked;
    (this.options as CompoundOptions).onChange?.(this.#checked);
    super.click();
  }

  protected override measureContent(context: LayoutContext, maxWidth: number): Size {
    const mark = MARK_WIDTH[this.kind];
    if (this.label === '') return { width: mark, height: 28 };
    const laid = context.text.layout(this.label, STYLE, context.fontScale, Math.max(0, maxWidth - mark - 12));
    return { width: mark + 12 + Math.ceil(laid.width * 8) / 8, height: Math.max(28, laid.height) };
  }

  override paintContent(painter: Painter): void {
    const pad = this.padding;
    const middle = this.height / 2;
    const mark = MARK_WIDTH[this.kind];
    const room = this.width - pad.left - pad.right - mark - 12;
    const trailing = this.kind === 'switch' && this.label !== '';
    const markLeft = trailing ? this.width - pad.right - mark : pad.left;
    if (this.label !== '') {
      const laid = painter.drawing.text.layout(this.label, STYLE, painter.fontScale, room + 0.2);
      const left = trailing ? pad.left : pad.left + mark + 12;
      painter.text(laid, left, middle - laid.height / 2, this.enabled ? theme.text : theme.disabled);
    }
    const tone = this.enabled ? theme.primary : theme.disabled;
    if (this.kind === 'switch') this.#paintSwitch(painter, markLeft, middle, tone);
    else if (this.kind === 'radio') this.#paintRadio(painter, markLeft + 14, middle, tone);
    else this.#paintCheck(painter, markLeft + 4, middle - 10, tone);
  }

  #paintSwitch(painter: Painter, left: number, middle: number, tone: string): void {
    if (this.#checked) {
      painter.fill(left, middle - 15, 50, 30, tone, 15);
      painter.circle(left + 34, middle, 11, '#ffffff');
      return;
    }
    painter.fill(left, middle - 15, 50, 30, theme.surfaceHigh, 15);
    painter.outline(left, middle - 15, 50, 30, theme.textFaint, 2, 15);
    painter.circle(left + 16, middle, 8, theme.textFaint);
  }

  #paintRadio(painter: Painter, centerX: number, middle: number, tone: string): void {
    const ring = this.#checked ? tone : theme.textFaint;
    painter.arc(centerX, middle, 9, 0, 1, ring, 2);
    if (this.#checked) painter.circle(centerX, middle, 5, tone);
  }

  #paintCheck(painter: Painter, left: number, top: number, tone: string): void {
    if (!this.#checked) {
      painter.outline(left, top, 20, 20, theme.textFaint, 2, 3);
      return;
    }
    painter.fill(left, top, 20, 20, tone, 3);
    painter.icon('check', left + 1, top + 1, 18, '#ffffff', 2.6);
  }
}

const STYLE = { size: 16, weight: 400 } as const;

export function checkBox(label: string, options: CompoundOptions = {}): CompoundButton {
  return new CompoundButton('check', label, options);
}

export function toggle(label: string, options: CompoundOptions = {}): CompoundButton {
  return new CompoundButton('switch', label, options);
}

export function radio(label: string, options: CompoundOptions = {}): CompoundButton {
  return new CompoundButton('radio', label, options);
}

/** Makes radio buttons exclude each other; `onChange` gets the label of the chosen one. */
export function radioChoice(buttons: readonly CompoundButton[], onChange: (label: string) => void): void {
  for (const chosen of buttons) {
    (chosen.options as CompoundOptions).onChange = () => {
      for (const other of buttons) other.checked = other === chosen;
      onChange(chosen.label);
    };
  }
}
