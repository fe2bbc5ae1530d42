import { iconButton } from '../../ui/button.js';
import { column, overlay } from '../../ui/containers.js';
import { contextMenu } from '../../ui/context-menu.js';
import { swipeAway } from '../../ui/drag-view.js';
import { ListView } from '../../ui/list.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { View } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { page } from '../page.js';
import { NoteStore, type Note } from './note-store.js';

const ROW_HEIGHT = 92;

/** Returns the list of all notes. A tap opens one, a swipe to the side deletes it, a long press offers both. */
export function noteList(context: AppContext): Activity {
  const store = new NoteStore(context.files);
  let notes: readonly Note[] = [];
  const list = new ListView({
    id: 'notes',
    count: 0,
    rowHeight: ROW_HEIGHT,
    width: 'fill',
    height: 'fill',
    padding: [4, 0, 88, 0],
    row: (at) => noteRow(context, notes[at], remove),
  });
  const empty = column(
    { id: 'empty', width: 'fill', height: 'fill', align: 'center', justify: 'center', gap: 6, visible: false },
    [
      text('No notes yet', { size: 18, weight: 500 }),
      text('Tap + to write the first one', { size: 14, color: theme.textFaint }),
    ],
  );
  const add = iconButton({
    id: 'add',
    icon: 'plus',
    description: 'New note',
    width: 56,
    height: 56,
    radius: 18,
    background: theme.primary,
    color: theme.onPrimary,
    place: ['end', 'end'],
    margin: [0, 20, 20, 0],
    onClick: () => context.open({ component: 'com.cloudphone.notes/.Edit' }),
  });
  const body = overlay({ width: 'fill', share: 1 }, [list, empty, add]);
  const remove = (note: Note): void =>
    context.run(
      store.delete(note.id).then(() => store.list()),
      (left) => {
        show(left);
        context.toast('Note deleted');
      },
    );
  const show = (found: readonly Note[]): void => {
    notes = found;
    list.refresh(notes.length);
    empty.visible = notes.length === 0;
    list.visible = notes.length > 0;
  };
  return {
    content: page({ title: 'Notes', body }),
    onResume: () => context.run(store.list(), show),
  };
}

function noteRow(context: AppContext, note: Note | undefined, remove: (note: Note) => void): View {
  if (!note) return column({}, []);
  const day = context.zoneTime.date(note.changedMs, context.timeZone);
  const open = (): void => context.open({ component: 'com.cloudphone.notes/.Edit' }, { id: note.id });
  const card = column(
    {
      width: 'fill',
      height: 'fill',
      background: theme.card,
      border: theme.divider,
      radius: 14,
      padding: [10, 16],
      gap: 1,
    },
    [
      text(note.title === '' ? 'Untitled' : note.title, { id: 'title', size: 16, weight: 500, maxLines: 1 }),
      text(note.body.replaceAll('\n', ' '), { id: 'body', size: 14, color: theme.textSoft, maxLines: 1 }),
      text(day, { id: 'changed', size: 12, color: theme.textFaint, maxLines: 1 }),
    ],
  );
  const row: View = swipeAway(
    {
      id: 'note',
      width: 'fill',
      height: 'fill',
      onClick: open,
      onLongClick: () =>
        contextMenu(row, [
          { label: 'Open', onClick: open },
          { label: 'Delete', onClick: () => remove(note) },
        ]),
      onSwiped: () => remove(note),
    },
    card,
  );
  return overlay({ width: 'fill', padding: [5, 16] }, [row]);
}
