import type { Painter } from './painter.js';
import { View, type ViewOptions } from './view.js';

export interface WebNodeOptions extends ViewOptions {
  draw: (painter: Painter, width: number, height: number) => void;
}

/** A web view as uiautomator sees it before its contents are requested: one node, however much is drawn in it. */
export class WebNode extends View {
  readonly #draw: WebNodeOptions['draw'];

  constructor(options: WebNodeOptions) {
    super({ width: 'fill', height: 'fill', ...options });
    this.#draw = options.draw;
  }

  override get className(): string {
    return 'android.webkit.WebView';
  }

  override get focusable(): boolean {
    return true;
  }

  override get clips(): boolean {
    return true;
  }

  override paintContent(painter: Painter): void {
    painter.clip(0, 0, this.width, this.height, () => this.#draw(painter, this.width, this.height));
  }
}
