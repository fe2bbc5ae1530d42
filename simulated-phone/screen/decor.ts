import type { Activity } from '../apps/app.js';
import { overlay } from '../ui/containers.js';
import { theme } from '../ui/theme.js';
import { View, type LayoutContext } from '../ui/view.js';

/** The frame around an activity's content, which keeps it clear of the bars and the keyboard. */
export class Decor extends View {
  readonly edgeToEdge: boolean;
  #top = 0;
  #bottom = 0;

  constructor(activity: Activity) {
    const content = overlay({ id: 'android:id/content', width: 'fill', height: 'fill' }, [activity.content]);
    super(
      {
        className: 'android.widget.FrameLayout',
        width: 'fill',
        height: 'fill',
        background: activity.barColor ?? theme.surface,
      },
      [content],
    );
    this.edgeToEdge = activity.edgeToEdge ?? false;
  }

  /** Sets how much is covered at the top and the bottom, dp. Returns whether that changed. */
  cover(top: number, bottom: number): boolean {
    if (top === this.#top && bottom === this.#bottom) return false;
    this.#top = top;
    this.#bottom = bottom;
    return true;
  }

  protected override layoutContent(context: LayoutContext): void {
    const height = Math.max(0, this.height - this.#top - this.#bottom);
    for (const child of this.children) {
      child.measure(context, this.width, height);
      child.layout(context, { left: 0, top: this.#top, width: this.width, height });
    }
  }
}
