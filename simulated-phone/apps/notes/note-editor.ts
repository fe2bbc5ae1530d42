import { button, iconButton } from '../../ui/button.js';
import { column } from '../../ui/containers.js';
import { edit } from '../../ui/edit-field.js';
import { scroll } from '../../ui/scroll.js';
import { theme } from '../../ui/theme.js';
import type { Activity, AppContext } from '../app.js';
import { page } from '../page.js';
import { NoteStore, type Note } from './note-store.js';

/** Returns the editor of one note, which has a title and a text. Leaving it with changes opens a dialog to save or drop them. */
export function noteEditor(context: AppContext): Activity {
  const store = new NoteStore(context.files);
  const known = context.extras['id'];
  const id = known ?? newId(context);
  let saved = { title: '', body: '' };
  const title = edit({
    id: 'title',
    hint: 'Title',
    fieldStyle: 'plain',
    size: 24,
    weight: 500,
    enterAction: 'next',
    onEnter: () => context.focus(body),
  });
  const body = edit({ id: 'body', hint: 'Note', fieldStyle: 'plain', multiLine: true });
  const changed = (): boolean => title.text !== saved.title || body.text !== saved.body;

  const save = (then: () => void): void => {
    const note: Note = { id, title: title.text.trim(), body: body.text, changedMs: context.clock.now() };
    saveButton.enabled = false;
    context.run(
      store.save(note),
      () => {
        saved = { title: title.text, body: body.text };
        saveButton.enabled = true;
        context.toast('Note saved');
        then();
      },
      () => {
        saveButton.enabled = true;
        context.dialog({
          title: 'Not saved',
          message: 'The phone could not write the note.',
          buttons: [{ label: 'OK' }],
        });
      },
    );
  };
  const saveButton = button('Save', {
    id: 'save',
    kind: 'text',
    description: 'Save note',
    onClick: () => save(() => context.finish()),
  });
  const confirmDelete = (): void => {
    context.dialog({
      title: 'Delete note?',
      message: 'It cannot be brought back.',
      buttons: [
        { label: 'Cancel' },
        {
          label: 'Delete',
          kind: 'danger',
          onClick: () => {
            context.run(store.delete(id), () => {
              context.toast('Note deleted');
              context.finish();
            });
          },
        },
      ],
    });
  };
  const leave = (): void => {
    if (!changed()) {
      context.finish();
      return;
    }
    context.dialog({
      title: 'Save changes?',
      buttons: [
        { label: 'Discard', onClick: () => context.finish() },
        { label: 'Save', onClick: () => save(() => context.finish()) },
      ],
    });
  };
  const remove = iconButton({
    id: 'delete',
    icon: 'trash',
    description: 'Delete note',
    visible: known !== undefined,
    onClick: confirmDelete,
  });
  if (known !== undefined) {
    context.run(store.list(), (notes) => {
      const note = notes.find((candidate) => candidate.id === id);
      if (!note) return;
      saved = { title: note.title, body: note.body };
      title.text = note.title;
      body.text = note.body;
    });
  }
  const fields = column({ width: 'fill', padding: [4, 22, 24, 22], gap: 4 }, [title, body]);
  return {
    content: page({
      title: '',
      onUp: leave,
      actions: [remove, saveButton],
      background: theme.surface,
      body: scroll({ width: 'fill', share: 1 }, fields),
    }),
    onBack: () => {
      leave();
      return true;
    },
    onOpen: () => {
      if (known === undefined) context.focus(title);
    },
  };
}

function newId(context: AppContext): string {
  const random = Math.floor(context.random() * 36 ** 6);
  return `${context.clock.now().toString(36)}${random.toString(36).padStart(6, '0')}`;
}
