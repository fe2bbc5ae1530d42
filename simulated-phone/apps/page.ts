import { iconButton } from '../ui/button.js';
import { column, row } from '../ui/containers.js';
import { text, type TextView } from '../ui/text-view.js';
import { theme } from '../ui/theme.js';
import type { View } from '../ui/view.js';

export interface PageOptions {
  title: string | TextView;
  /** Is called by the arrow at the left. Absent: there is no arrow. */
  onUp?: () => void;
  actions?: readonly View[];
  body: View;
  background?: string;
}

/** Returns a page: a bar with a title and actions, and the body below it. */
export function page({ title, onUp, actions = [], body, background }: PageOptions): View {
  const heading =
    typeof title === 'string'
      ? text(title, { id: 'toolbar_title', size: 21, weight: 500, maxLines: 1, share: 1 })
      : title;
  const up = onUp
    ? [iconButton({ id: 'up', icon: 'arrowBack', description: 'Navigate up', onClick: onUp, color: theme.text })]
    : [];
  const bar = row({ id: 'toolbar', width: 'fill', height: 56, padding: [0, 4, 0, onUp ? 4 : 20], gap: 4 }, [
    ...up,
    heading,
    ...actions,
  ]);
  return column({ width: 'fill', height: 'fill', ...(background === undefined ? {} : { background }) }, [bar, body]);
}
