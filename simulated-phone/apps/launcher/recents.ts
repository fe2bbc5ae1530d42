import { button, iconButton } from '../../ui/button.js';
import { column, overlay, row } from '../../ui/containers.js';
import { picture } from '../../ui/image-view.js';
import { scroll } from '../../ui/scroll.js';
import { text } from '../../ui/text-view.js';
import type { View } from '../../ui/view.js';
import type { Activity, AppContext, OpenTask } from '../app.js';

const BACKGROUND = '#26364b';

/** The apps that are open, newest first, as cards. */
export function recentsActivity(context: AppContext): Activity {
  const holder = overlay({ width: 'fill', height: 'fill' }, []);
  const refresh = (): void => {
    const tasks = context.tasks.list();
    holder.setChildren([tasks.length === 0 ? nothing() : cards(context, tasks, refresh)]);
  };
  refresh();
  return { content: holder, barColor: BACKGROUND, barInk: 'light', onResume: refresh };
}

function nothing(): View {
  return column({ width: 'fill', height: 'fill', align: 'center', justify: 'center' }, [
    text('No recent items', { id: 'empty', color: '#d5dfec', size: 17 }),
  ]);
}

function cards(context: AppContext, tasks: readonly OpenTask[], refresh: () => void): View {
  const all = tasks.map((task) => card(context, task, refresh));
  const strip = scroll(
    { id: 'overview_panel', axis: 'horizontal', width: 'fill', share: 1 },
    row({ height: 'fill', gap: 16, padding: [8, 28] }, all),
  );
  return column({ width: 'fill', height: 'fill', align: 'center', padding: [14, 0, 14, 0], gap: 10 }, [
    strip,
    button('Clear all', {
      id: 'clear_all',
      kind: 'tonal',
      onClick: () => {
        context.tasks.closeAll();
        refresh();
      },
    }),
  ]);
}

function card(context: AppContext, task: OpenTask, refresh: () => void): View {
  const height = task.aspect > 1 ? 372 : 150;
  const width = height / task.aspect;
  return column({ gap: 6 }, [
    row({ width, gap: 8 }, [
      picture({
        width: 28,
        height: 28,
        draw: (painter) => context.drawIconOf(task.package, painter, 28),
      }),
      text(task.label, {
        id: 'task_name',
        onClick: () => context.tasks.open(task.id),
        share: 1,
        color: '#ffffff',
        weight: 500,
        size: 15,
        maxLines: 1,
      }),
      iconButton({
        id: 'dismiss_task',
        icon: 'close',
        size: 20,
        color: '#d5dfec',
        description: `Close ${task.label}`,
        onClick: () => {
          context.tasks.close(task.id);
          refresh();
        },
      }),
    ]),
    picture({
      id: 'snapshot',
      width,
      height,
      radius: 16,
      description: task.label,
      draw: (painter) => task.drawPreview(painter, width, height),
      onClick: () => context.tasks.open(task.id),
    }),
  ]);
}
