import type { ScreenSize } from '../../phone/driver.js';
import { longPressMs } from '../settings/long-press.js';
import type { Settings } from '../system/system.js';
import type { Rect } from '../ui/geometry.js';

/** How long one activity takes to come over another at scale 1, ms. */
const PASSAGE_MS = 250;

export type Rotation = 0 | 1 | 2 | 3;

/** The display's size, density and rotation: the model's, with the overrides of `wm` and the settings. */
export class Display {
  readonly #model: ScreenSize;
  readonly #settings: Settings;
  sizeOverride: { width: number; height: number } | undefined;
  densityOverride: number | undefined;

  constructor(model: ScreenSize, settings: Settings) {
    this.#model = model;
    this.#settings = settings;
  }

  /** The rotation. As the phone has no sensor, it is upright, and turns only by `user_rotation` with auto-rotate off. */
  get rotation(): Rotation {
    if (this.#settings.get('system', 'accelerometer_rotation') !== '0') return 0;
    const turns = Number(this.#settings.get('system', 'user_rotation') ?? '0');
    return turns === 1 || turns === 2 || turns === 3 ? turns : 0;
  }

  get #upright(): { width: number; height: number } {
    return this.sizeOverride ?? this.#model;
  }

  /** Width in pixels in the present rotation. */
  get width(): number {
    return this.rotation % 2 === 0 ? this.#upright.width : this.#upright.height;
  }

  get height(): number {
    return this.rotation % 2 === 0 ? this.#upright.height : this.#upright.width;
  }

  get density(): number {
    return this.densityOverride ?? this.#model.density;
  }

  /** Pixels per dp. */
  get scale(): number {
    return this.density / 160;
  }

  get widthDp(): number {
    return this.width / this.scale;
  }

  get heightDp(): number {
    return this.height / this.scale;
  }

  /** The whole display, dp. */
  get box(): Rect {
    return { left: 0, top: 0, width: this.widthDp, height: this.heightDp };
  }

  get fontScale(): number {
    const scale = Number(this.#settings.get('system', 'font_scale') ?? '1');
    return scale >= 0.5 && scale <= 3 ? scale : 1;
  }

  /** How long a finger rests until it is a long press, ms. */
  get longPressMs(): number {
    return longPressMs(this.#settings);
  }

  /** How long one activity takes to come over another, ms. */
  get passageMs(): number {
    return PASSAGE_MS * this.animationScale('transition_animation_scale');
  }

  /** Returns one of `settings global *_animation_scale`; 1 when it is not set. */
  animationScale(key: 'window_animation_scale' | 'transition_animation_scale' | 'animator_duration_scale'): number {
    const scale = Number(this.#settings.get('global', key) ?? '1');
    return scale >= 0 && scale <= 20 ? scale : 1;
  }
}
