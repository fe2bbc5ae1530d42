import type { AppRuntime } from './app-runtime.js';
import type { ScreenCore } from './screen-core.js';

interface OutsideChangesParts {
  core: ScreenCore;
  apps: AppRuntime;
  /** Is called when size, density or rotation have changed. */
  onReshape: () => void;
  /** Is called when something else that shows has changed. */
  onChange: () => void;
}

/** Settings that the status bar or every app shows. */
const SHOWN_SETTINGS = new Set([
  'system font_scale',
  'system accelerometer_rotation',
  'global wifi_on',
  'global airplane_mode_on',
]);

/** Brings the screen up to date when settings, packages or the shape of the display change. */
export class OutsideChanges {
  readonly #parts: OutsideChangesParts;
  #shape: string;

  constructor(parts: OutsideChangesParts) {
    this.#parts = parts;
    this.#shape = this.#shapeNow();
    const { settings, packages, conditions } = parts.core.system;
    settings.onChange((namespace, key) => this.#settingChanged(namespace, key));
    packages.onChange(() => this.#packagesChanged());
    conditions.onChange(() => parts.onChange());
  }

  /** Lays everything out again when the display has another shape than before. */
  reshape(): void {
    const shape = this.#shapeNow();
    if (shape === this.#shape) return;
    this.#shape = shape;
    for (const window of this.#parts.apps.windows) window.forgetSizes();
    this.#parts.onReshape();
  }

  #settingChanged(namespace: string, key: string): void {
    const { apps, onChange } = this.#parts;
    if (namespace === 'system' && key === 'font_scale') for (const window of apps.windows) window.forgetSizes();
    this.reshape();
    if (SHOWN_SETTINGS.has(`${namespace} ${key}`)) onChange();
  }

  #packagesChanged(): void {
    const { apps, onChange } = this.#parts;
    apps.packagesChanged();
    onChange();
  }

  #shapeNow(): string {
    const { width, height, density, rotation } = this.#parts.core.display;
    return `${width}x${height}@${density}/${rotation}`;
  }
}
