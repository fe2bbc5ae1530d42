import { Image } from '@napi-rs/canvas';
import { DEFAULT_APK_LIMITS } from '../../phone/apk/apk-limits.js';
import { pictureSize } from '../../phone/apk/picture-size.js';
import type { App } from '../apps/app.js';
import type { Packages } from '../system/system.js';
import { clusters } from '../ui/graphemes.js';
import type { Painter } from '../ui/painter.js';

const LETTER_COLORS = ['#3f6fd8', '#2b8a6b', '#c2603a', '#7d55c7', '#b8456b', '#2f7f9e'] as const;

/** Draws the icons of apps. An icon is built in, read from an APK, or the first letter of the label. */
export class PackageIcons {
  readonly #apps: ReadonlyMap<string, App>;
  readonly #packages: Packages;
  readonly #changed: () => void;
  readonly #failed: (packageName: string, error: unknown) => void;
  /** Apps whose icon once could not be drawn. */
  readonly #undrawn = new Set<string>();
  readonly #images = new WeakMap<Buffer, { image: Image; state: 'decoding' | 'ready' | 'broken' }>();

  /** `changed` is called when a picture has become ready, `failed` when the code of an app could not draw its icon. */
  constructor(
    apps: readonly App[],
    packages: Packages,
    { changed, failed }: { changed: () => void; failed: (packageName: string, error: unknown) => void },
  ) {
    this.#apps = new Map(apps.map((app) => [app.package, app]));
    this.#packages = packages;
    this.#changed = changed;
    this.#failed = failed;
  }

  /** Returns the label under an icon; undefined for a package that is no app of this phone. */
  labelOf(packageName: string): string | undefined {
    return (this.#apps.get(packageName) ?? this.#packages.get(packageName))?.label;
  }

  draw(packageName: string, painter: Painter, size: number): void {
    const app = this.#apps.get(packageName);
    if (app && this.#isDrawn(app, painter, size)) return;
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

  /** Lets an app draw its icon. Returns false when it cannot. An app that fails here is not ended, as the launcher is in front. */
  #isDrawn(app: App, painter: Painter, size: number): boolean {
    if (app.drawIcon === undefined || this.#undrawn.has(app.package)) return false;
    const { x, y } = painter;
    try {
      app.drawIcon(painter, size);
      return true;
    } catch (error) {
      Object.assign(painter, { x, y });
      this.#undrawn.add(app.package);
      this.#failed(app.package, error);
      return false;
    }
  }

  /** Returns a decoded picture. Undefined while it is being decoded, and always when the APK's picture is not valid. */
  #image(bytes: Buffer): Image | undefined {
    const known = this.#images.get(bytes);
    if (known) return known.state === 'ready' ? known.image : undefined;
    const image = new Image();
    const entry: { image: Image; state: 'decoding' | 'ready' | 'broken' } = { image, state: 'decoding' };
    this.#images.set(bytes, entry);
    const { width, height } = pictureSize(bytes) ?? { width: Infinity, height: Infinity };
    if (Math.max(width, height) > DEFAULT_APK_LIMITS.iconSidePx) {
      // The app was installed before the sizes of icons were checked.
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
