import { Image } from '@napi-rs/canvas';
import { DEFAULT_APK_LIMITS } from '../../phone/apk/apk-limits.js';
import { pictureSize } from '../../phone/apk/picture-size.js';
import type { App } from '../apps/app.js';
import type { Packages } from '../system.js';
import { clusters } from '../ui/graphemes.js';
import type { Painter } from '../ui/painter.js';

const LETTER_COLORS = ['#3f6fd8', '#2b8a6b', '#c2603a', '#7d55c7', '#b8456b', '#2f7f9e'] as const;

/** Draws the icons of apps: built in, read from an APK, or the first letter of the label. */
export class PackageIcons {
  readonly #apps: ReadonlyMap<string, App>;
  readonly #packages: Packages;
  readonly #changed: () => void;
  readonly #images = new WeakMap<Buffer, { image: Image; state: 'decoding' | 'ready' | 'broken' }>();

  /** `changed` is called when a picture has become ready. */
  constructor(apps: readonly App[], packages: Packages, changed: () => void) {
    this.#apps = new Map(apps.map((app) => [app.package, app]));
    this.#packages = packages;
    this.#changed = changed;
  }

  /** The label under an icon; undefined for no app of this phone. */
  labelOf(packageName: string): string | undefined {
    return (this.#apps.get(packageName) ?? this.#packages.get(packageName))?.label;
  }

  draw(packageName: string, painter: Painter, size: number): void {
    const app = this.#apps.get(packageName);
    if (app) {
      app.drawIcon(painter, size);
      return;
    }
    const known = this.#packages.get(packageName);
    const image = known?.icon ? this.#image(known.icon) : undefined;
    if (image) {
      painter.clip(0, 0, size, size, () => painter.image(image, 0, 0, size, size), size * 0.24);
      return;
    }
    const label = known?.label ?? packageName;
    const color =
      LETTER_COLORS[
        Array.from(packageName).reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % LETTER_COLORS.length
      ];
    painter.fill(0, 0, size, size, color ?? LETTER_COLORS[0], size * 0.28);
    painter.label(clusters(label)[0]?.toUpperCase() ?? '?', size / 2, size / 2, size * 0.5, 500, '#ffffff');
  }

  /** Undefined until it is decoded, and for good when the APK's picture is none. */
  #image(bytes: Buffer): Image | undefined {
    const known = this.#images.get(bytes);
    if (known) return known.state === 'ready' ? known.image : undefined;
    const image = new Image();
    const entry: { image: Image; state: 'decoding' | 'ready' | 'broken' } = { image, state: 'decoding' };
    this.#images.set(bytes, entry);
    const { width, height } = pictureSize(bytes) ?? { width: Infinity, height: Infinity };
    if (Math.max(width, height) > DEFAULT_APK_LIMITS.iconSidePx) {
      // Of an app that was installed before icons were judged by their size.
      entry.state = 'broken';
      return undefined;
    }
    image.onload = () => {
      entry.state = 'ready';
      this.#changed();
    };
    image.onerror = () => {
      entry.state = 'broken';
    };
    image.src = bytes;
    return undefined;
  }
}
