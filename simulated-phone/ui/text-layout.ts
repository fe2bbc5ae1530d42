import { LRUCache } from 'lru-cache';
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { fontFor } from './fonts.js';
import { clusters } from './graphemes.js';
import { linePieces } from './line-breaks.js';

export interface TextStyle {
  /** Font size before the phone's font scale, dp. */
  size: number;
  weight: 400 | 500 | 700;
}

export interface TextLine {
  text: string;
  /** The index in the whole text at which the line begins. */
  start: number;
  /** dp. */
  width: number;
  /** Whether its paragraph is written from right to left. */
  rtl: boolean;
}

export interface TextLayout {
  readonly lines: readonly TextLine[];
  /** Font size with the phone's font scale, dp. */
  readonly size: number;
  readonly weight: number;
  readonly lineHeight: number;
  readonly width: number;
  readonly height: number;
  /** Whether the text did not fit and ends in an ellipsis. */
  readonly cut: boolean;
}

/** Most layouts that are kept over all phones of the process; each has about 0.4 KB. */
const KEPT_LAYOUTS = 4000;
const KEPT_WIDTHS = 20_000;
/** The size at which texts are measured, px. Widths are divided afterwards, so that hinting at small sizes does not distort them. */
const MEASURE_PX = 100;

/** Wraps and measures text, with a cache: measuring costs five times as much as drawing. */
export class TextLayouts {
  readonly #context: SKRSContext2D = createCanvas(1, 1).getContext('2d');
  readonly #layouts = new LRUCache<string, TextLayout>({ max: KEPT_LAYOUTS });
  readonly #widths = new LRUCache<string, number>({ max: KEPT_WIDTHS });
  #font = '';

  /** Returns the width of one run of text without line breaks, dp at `size` dp. */
  width(text: string, size: number, weight: number): number {
    if (text === '') return 0;
    const key = `${weight}${text}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      width = this.#measure(text, weight);
      this.#widths.set(key, width);
    }
    return width * size;
  }

  layout(text: string, style: TextStyle, fontScale: number, maxWidth: number, maxLines = Infinity): TextLayout {
    const key = `${style.size} ${style.weight} ${fontScale} ${Math.round(maxWidth * 8)} ${maxLines} ${text}`;
    const known = this.#layouts.get(key);
    if (known) return known;
    const made = this.#wrap(text, style, fontScale, maxWidth, maxLines);
    this.#layouts.set(key, made);
    return made;
  }

  /**
   * Returns the position of the caret before the letter `index`, dp from the line's left. It is exact in lines of one direction. In mixed
   * lines the letters before it are taken to run in the paragraph's direction.
   */
  caretX({ text, rtl, width }: TextLine, index: number, { size, weight }: TextLayout): number {
    const before = this.width(text.slice(0, index), size, weight);
    return rtl ? width - before : before;
  }

  #measure(text: string, weight: number): number {
    const shown = printable(text);
    const font = fontFor(shown, weight, MEASURE_PX);
    if (font !== this.#font) {
      this.#context.font = font;
      this.#font = font;
    }
    return this.#context.measureText(shown).width / MEASURE_PX;
  }

  #wrap(text: string, style: TextStyle, fontScale: number, maxWidth: number, maxLines: number): TextLayout {
    const size = style.size * fontScale;
    const widthOf = (run: string): number => this.width(run, size, style.weight);
    const lines: TextLine[] = [];
    let cut = false;
    let offset = 0;
    for (const paragraph of text.split('\n')) {
      const rtl = isRightToLeft(paragraph);
      for (const line of wrapParagraph(paragraph, maxWidth, widthOf)) {
        if (lines.length === maxLines) {
          cut = true;
          break;
        }
        lines.push({ ...line, start: line.start + offset, rtl });
      }
      if (cut) break;
      offset += paragraph.length + 1;
    }
    const last = lines.at(-1);
    if (last && (cut || last.width > maxWidth + 0.01)) {
      cut = true;
      lines[lines.length - 1] = ellipsized(last, maxWidth, widthOf);
    }
    const lineHeight = Math.round(size * 1.36 * 4) / 4;
    return {
      lines,
      size,
      weight: style.weight,
      lineHeight,
      width: lines.reduce((most, line) => Math.max(most, line.width), 0),
      height: lines.length * lineHeight,
      cut,
    };
  }
}

function wrapParagraph(text: string, maxWidth: number, widthOf: (run: string) => number): Omit<TextLine, 'rtl'>[] {
  const whole = widthOf(text);
  if (whole <= maxWidth || maxWidth === Infinity) return [{ text, start: 0, width: whole }];
  const lines: Omit<TextLine, 'rtl'>[] = [];
  let line = '';
  let start = 0;
  const close = (): void => {
    const shown = line.trimEnd();
    lines.push({ text: shown, start, width: widthOf(shown) });
    start += line.length;
    line = '';
  };
  for (const word of linePieces(text)) {
    if (line !== '' && !/^\s/.test(word) && widthOf(line + word) > maxWidth) close();
    if (widthOf(word) <= maxWidth || /^\s/.test(word)) {
      line += word;
      continue;
    }
    // A word longer than a line breaks between letters, as on Android.
    for (const letter of clusters(word)) {
      if (line !== '' && widthOf(line + letter) > maxWidth) close();
      line += letter;
    }
  }
  close();
  return lines;
}

function ellipsized(line: TextLine, maxWidth: number, widthOf: (run: string) => number): TextLine {
  const letters = clusters(line.text);
  while (letters.length > 0 && widthOf(`${letters.join('').trimEnd()}…`) > maxWidth) letters.pop();
  const text = `${letters.join('').trimEnd()}…`;
  return { ...line, text, width: widthOf(text) };
}

// eslint-disable-next-line no-control-regex -- the expression finds control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Removes control characters, as each would be drawn as an empty box. */
export function printable(text: string): string {
  return text.replace(CONTROL, ' ');
}

const FIRST_LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u;

/** Whether a paragraph is written from right to left. The first letter decides, which is Android's default. */
function isRightToLeft(paragraph: string): boolean {
  return RIGHT_TO_LEFT.test(FIRST_LETTER.exec(paragraph)?.[0] ?? '');
}
