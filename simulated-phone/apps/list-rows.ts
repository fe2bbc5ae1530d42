import { column, row } from '../ui/containers.js';
import { text } from '../ui/text-view.js';
import { theme } from '../ui/theme.js';
import type { View, ViewOptions } from '../ui/view.js';

export interface RowOptions extends ViewOptions {
  title: string;
  detail?: string;
  leading?: View;
  trailing?: View;
  titleId?: string;
  detailId?: string;
  /** Most lines of the detail. */
  lines?: number;
}

/** Returns a row of a list: a view at the left, a title over a detail, a view at the right. */
export function listRow({
  title,
  detail,
  leading,
  trailing,
  titleId,
  detailId,
  lines = 2,
  ...options
}: RowOptions): View {
  const words: View[] = [text(title, { id: titleId ?? 'android:id/title', size: 16, maxLines: 1 })];
  if (detail !== undefined) {
    words.push(
      text(detail, { id: detailId ?? 'android:id/summary', size: 13.5, color: theme.textFaint, maxLines: lines }),
    );
  }
  return row({ width: 'fill', padding: [13, 20], gap: 16, ...options }, [
    ...(leading ? [leading] : []),
    column({ share: 1, gap: 2 }, words),
    ...(trailing ? [trailing] : []),
  ]);
}

/** Returns a heading between groups of rows. */
export function section(title: string): View {
  return text(title, { size: 13.5, weight: 500, color: theme.primary, padding: [16, 20, 6, 20] });
}
