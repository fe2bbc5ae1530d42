import { EditableText } from './editable-text.js';
import type { Size } from './geometry.js';
import { ticking, type Motion } from './motion.js';
import type { Painter } from './painter.js';
import type { TextLayout, TextLayouts, TextLine, TextStyle } from './text-layout.js';
import { theme } from './theme.js';
import { View, type LayoutContext, type ViewOptions } from './view.js';

type EnterAction = 'done' | 'next' | 'search' | 'send' | 'go';

export interface EditOptions extends ViewOptions {
  text?: string;
  hint?: string;
  password?: boolean;
  multiLine?: boolean;
  /** Whether the field takes digits and signs only. The keyboard then opens on its number page. */
  number?: boolean;
  size?: number;
  weight?: TextStyle['weight'];
  /** `box` has a border, `plain` nothing, `pill` a tinted round background. */
  fieldStyle?: 'box' | 'plain' | 'pill';
  enterAction?: EnterAction;
  maxLength?: number;
  onChange?: (text: string) => void;
  /** Called at ENTER in a field of one line. */
  onEnter?: () => void;
}

/** The caret shows for this long and is then hidden for as long, ms. */
const CARET_BLINK_MS = 500;

/** The number of fields that were made in this process, so that each gets another token. */
let fieldsMade = 0;

/** A field that takes typed text. */
export class EditField extends View {
  declare readonly options: EditOptions;
  /** Identifies the field in `dumpsys`, in the place of the hash of a view. */
  readonly token = ((0x9a4c1 + fieldsMade++ * 0x51ed27) & 0xfffffff).toString(16);
  readonly #edit: EditableText;
  #blinkStartMs = 0;

  constructor(options: EditOptions = {}) {
    const fieldStyle = options.fieldStyle ?? 'box';
    super({
      className: 'android.widget.EditText',
      clickable: true,
      width: 'fill',
      padding: fieldStyle === 'plain' ? [8, 0] : [13, 16],
      ...options,
    });
    this.#edit = new EditableText(options.text);
  }

  override get editable(): boolean {
    return this.enabled;
  }

  override get longClickable(): boolean {
    return true;
  }

  override get hint(): string {
    return this.options.hint ?? '';
  }

  override get password(): boolean {
    return this.options.password ?? false;
  }

  /** Returns the text that accessibility reports: bullets for a password, the hint while empty. */
  override textAt(_nowMs: number): string {
    return this.#edit.text === '' ? this.hint : this.#shown;
  }

  get text(): string {
    return this.#edit.text;
  }

  /** Sets the text without calling `onChange`. */
  set text(text: string) {
    if (text === this.#edit.text) return;
    this.#edit.replaceAll(text);
    this.#touched();
  }

  get caret(): number {
    return this.#edit.caret;
  }

  get selectedText(): string {
    return this.#edit.selectedText;
  }

  get #shown(): string {
    return this.password ? '•'.repeat(this.#edit.text.length) : this.#edit.text;
  }

  /** Runs one editing step; calls `onChange` when the text changed. */
  edit(step: (text: EditableText) => void): void {
    if (!this.enabled) return;
    const before = this.#edit.text;
    const { caret, selection } = this.#edit;
    step(this.#edit);
    const text = this.#edit.text;
    if (text !== before) {
      const { maxLength } = this.options;
      if (maxLength !== undefined && text.length > maxLength) this.#edit.replaceAll(text.slice(0, maxLength));
      this.#touched();
      this.options.onChange?.(this.#edit.text);
      return;
    }
    const after = this.#edit.selection;
    if (caret !== this.#edit.caret || selection.from !== after.from || selection.to !== after.to) this.#touched();
  }

  type(text: string): void {
    const clean = this.options.multiLine === true ? text : text.replace(/[\r\n]+/g, ' ');
    const allowed = this.options.number === true ? clean.replace(/[^0-9.,+-]/g, '') : clean;
    if (allowed !== '') this.edit((edit) => edit.insert(allowed));
  }

  enter(): void {
    if (this.options.multiLine === true) this.type('\n');
    else this.options.onEnter?.();
  }

  /** Starts the blinking again with a visible caret. A call at each focus and each typing keeps the caret visible while somebody types. */
  restartBlink(): void {
    this.#blinkStartMs = this.host?.nowMs ?? 0;
  }

  #touched(): void {
    this.restartBlink();
    this.changed({ layout: true });
  }

  override motions(): readonly Motion[] {
    return this.focused ? [...super.motions(), ticking(this.#blinkStartMs, CARET_BLINK_MS)] : super.motions();
  }

  /** Puts the caret at the letter nearest to a point, dp from the view's top left. */
  placeCaret(x: number, y: number, text: TextLayouts, fontScale: number): void {
    const laid = this.#layout(text, fontScale);
    const pad = this.padding;
    const at = Math.floor((y - this.#top(laid)) / laid.lineHeight);
    const line = laid.lines[Math.max(0, Math.min(laid.lines.length - 1, at))];
    if (!line || this.#edit.text === '') return;
    const wanted = x - pad.left + this.#slide(laid, text);
    let best = 0;
    let bestGap = Infinity;
    for (let length = 0; length <= line.text.length; length++) {
      const gap = Math.abs(this.#shift(line) + text.caretX(line, length, laid) - wanted);
      if (gap < bestGap) {
        best = length;
        bestGap = gap;
      }
    }
    this.edit((edit) => edit.place(line.start + best));
  }

  protected override measureContent(context: LayoutContext, maxWidth: number): Size {
    const content = this.#edit.text === '' ? this.hint : this.#shown;
    const width = this.options.multiLine === true ? maxWidth : Infinity;
    const laid = context.text.layout(content, this.#style, context.fontScale, width);
    const wanted = typeof this.options.width === 'number' ? maxWidth : Math.max(80, laid.width);
    return { width: Math.min(maxWidth, wanted), height: laid.height };
  }

  get #style(): TextStyle {
    return { size: this.options.size ?? 16, weight: this.options.weight ?? 400 };
  }

  #layout(text: TextLayouts, fontScale: number): TextLayout {
    const pad = this.padding;
    const width = this.options.multiLine === true ? this.width - pad.left - pad.right + 0.2 : Infinity;
    return text.layout(this.#shown, this.#style, fontScale, width);
  }

  #top(laid: TextLayout): number {
    const pad = this.padding;
    if (this.options.multiLine === true) return pad.top;
    return pad.top + (this.height - pad.top - pad.bottom - laid.lineHeight) / 2;
  }

  /** Returns how far a line that is too long for the field is moved to keep the caret in view, dp. */
  #slide(laid: TextLayout, text: TextLayouts): number {
    if (this.options.multiLine === true) return 0;
    const pad = this.padding;
    const room = this.width - pad.left - pad.right;
    const [line] = laid.lines;
    if (!line) return 0;
    const caret = text.caretX(line, this.#edit.caret, laid);
    // A line from right to left begins at the right of the field, and hides its end at the left.
    return line.rtl ? Math.max(0, laid.width - room - Math.max(0, caret - 2)) : Math.max(0, caret - room + 2);
  }

  override paintPress(): void {
    // A field shows no press.
  }

  override paintContent(painter: Painter): void {
    const { fieldStyle = 'box' } = this.options;
    const focused = this.focused;
    if (fieldStyle === 'pill')
      painter.fill(0, 0, this.width, this.height, theme.surfaceHigh, Math.min(24, this.height / 2));
    if (fieldStyle === 'box') {
      painter.fill(0, 0, this.width, this.height, theme.card, 8);
      painter.outline(0, 0, this.width, this.height, focused ? theme.primary : theme.outline, focused ? 2 : 1, 8);
    }
    const pad = this.padding;
    const room = this.width - pad.left - pad.right;
    painter.clip(pad.left - 1, 0, room + 4, this.height, () => this.#paintText(painter, room, focused));
  }

  #paintText(painter: Painter, room: number, focused: boolean): void {
    const { text } = painter.drawing;
    const pad = this.padding;
    const laid = this.#layout(text, painter.fontScale);
    const top = this.#top(laid);
    if (this.#edit.text === '') {
      const width = this.options.multiLine === true ? room : Infinity;
      const hint = text.layout(this.hint, this.#style, painter.fontScale, width);
      painter.text(hint, pad.left, top, theme.textFaint, Math.max(room, hint.width));
    }
    const left = pad.left - this.#slide(laid, text);
    const { from, to } = this.#edit.selection;
    for (const [at, line] of laid.lines.entries()) {
      const begin = Math.max(from, line.start) - line.start;
      const end = Math.min(to, line.start + line.text.length) - line.start;
      if (!focused || begin >= end) continue;
      const ends = [begin, end].map((index) => left + this.#shift(line) + text.caretX(line, index, laid));
      const x = Math.min(...ends);
      const width = Math.max(...ends) - x;
      painter.fill(x, top + at * laid.lineHeight, width, laid.lineHeight, theme.primarySoft);
    }
    painter.text(laid, left, top, this.enabled ? theme.text : theme.disabled, Math.max(room, laid.width));
    if (!focused || from !== to) return;
    if (ticking(this.#blinkStartMs, CARET_BLINK_MS).phase(painter.nowMs) % 2 !== 0) return;
    const caret = this.#caretAt(laid, text);
    painter.fill(left + caret.x, top + caret.line * laid.lineHeight + 1, 2, laid.lineHeight - 2, theme.primary);
  }

  #caretAt(laid: TextLayout, text: TextLayouts): { x: number; line: number } {
    const { caret } = this.#edit;
    let at = laid.lines.findLastIndex((line) => line.start <= caret);
    if (at < 0) at = 0;
    const line = laid.lines[at];
    if (!line) return { x: 0, line: 0 };
    // Spaces at the end of a wrapped line are not in its text, but the caret is after them.
    const before = { ...line, text: this.#shown.slice(line.start, caret) };
    return { x: this.#shift(line) + text.caretX(before, before.text.length, laid), line: at };
  }

  /** Returns how far to the right `Painter.text` draws a line of right-to-left text, dp. Other lines are not moved: 0. */
  #shift({ rtl, width }: TextLine): number {
    const pad = this.padding;
    return rtl ? Math.max(0, this.width - pad.left - pad.right - width) : 0;
  }

  /** Returns the place of the caret, dp from the view's top, so that a scroll around it can bring it into view. */
  caretBand(text: TextLayouts, fontScale: number): { top: number; bottom: number } {
    const laid = this.#layout(text, fontScale);
    const { line } = this.#caretAt(laid, text);
    const top = this.#top(laid) + line * laid.lineHeight;
    return { top, bottom: top + laid.lineHeight };
  }
}

export function edit(options: EditOptions = {}): EditField {
  return new EditField(options);
}
