import { overlay } from '../../ui/containers.js';
import { badge } from '../../ui/image-view.js';
import { ListView } from '../../ui/list.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import { View } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { listRow } from '../list-rows.js';
import { page } from '../page.js';
import { ThreadStore, type Thread } from './thread-store.js';

/** Returns the list of all conversations; a tap opens one. */
export function threadList(context: AppContext): Activity {
  const store = new ThreadStore(context.files, () => context.clock.now());
  let threads: readonly Thread[] = [];
  const list = new ListView({
    id: 'threads',
    count: 0,
    rowHeight: 72,
    width: 'fill',
    height: 'fill',
    row: (at) => {
      const thread = threads[at];
      return thread ? threadRow(context, thread) : new View();
    },
  });
  return {
    content: page({ title: 'Messages', body: overlay({ width: 'fill', share: 1 }, [list]) }),
    onResume: () =>
      context.run(store.list(), (found) => {
        threads = found;
        list.refresh(found.length);
      }),
  };
}

function threadRow(context: AppContext, thread: Thread): View {
  const last = thread.messages.at(-1);
  const time = last ? context.zoneTime.hours(last.timeMs, context.timeZone) : '';
  return listRow({
    id: 'thread',
    title: thread.name,
    titleId: 'name',
    detail: last ? `${last.own ? 'You: ' : ''}${last.text}` : '',
    detailId: 'snippet',
    lines: 1,
    leading: badge({ letter: thread.name[0] ?? '?' }, { size: 44 }),
    trailing: text(time, { id: 'time', size: 12.5, color: theme.textFaint }),
    onClick: () => context.open({ component: `${context.package}/.Thread` }, { id: thread.id }),
  });
}
