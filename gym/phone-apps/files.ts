import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { type Entry, SharedStorage } from './parts/shared-storage.js';
import { longList, screen, wide } from './parts/screen.js';

const PACKAGE = 'com.cloudphone.gym.files';
const ROOT = '/sdcard';

/** The path that "Move" and "Copy" have noted, until "Paste here". It is lost with the process, as a clipboard is. */
interface Held {
  path: string;
  isCopy: boolean;
}

/** A program for the files of the phone: folders, renaming, copying, moving, deleting. */
export default function filesApp(ui: Toolkit): App {
  const held = new WeakMap<object, Held>();

  const main = (context: AppContext): Activity => {
    const storage = new SharedStorage(context);
    const folder = context.extras['folder'] ?? ROOT;
    const failed = (): void => context.toast('That did not work');
    const done = (work: () => Promise<void>): void => context.run(work(), load, failed);
    const ask = (title: string, value: string, label: string, use: (name: string) => void): void => {
      const field = ui.edit({ id: 'file_name', hint: 'Name', text: value });
      context.dialog({
        title,
        content: field,
        buttons: [{ label: 'Cancel' }, { label, onClick: () => use(field.text.trim()) }],
      });
      context.focus(field);
    };
    const remove = ({ name, path }: Entry): void =>
      void context.dialog({
        title: `Delete ${name}?`,
        buttons: [
          { label: 'Cancel' },
          { label: 'Delete', kind: 'danger', onClick: () => done(() => storage.remove(path)) },
        ],
      });
    const hold = (entry: Entry, isCopy: boolean): void => {
      held.set(context.files, { path: entry.path, isCopy });
      context.toast('Open a folder and choose "Paste here"');
      showPaste();
    };
    const openEntry = ({ path, isFolder }: Entry): void =>
      context.open(
        { component: `${PACKAGE}/${isFolder ? '.Folder' : '.View'}` },
        isFolder ? { folder: path } : { path },
      );
    const list = longList<Entry>(ui, (entry) => ({
      title: entry.name,
      detail: entry.isFolder ? 'Folder' : 'File',
      onClick: () => openEntry(entry),
      onLongClick: (row) =>
        ui.contextMenu(row, [
          {
            label: 'Rename',
            onClick: () =>
              ask('Rename', entry.name, 'OK', (name) => done(() => storage.move(entry.path, `${folder}/${name}`))),
          },
          { label: 'Copy', onClick: () => hold(entry, true) },
          { label: 'Move', onClick: () => hold(entry, false) },
          { label: 'Delete', onClick: () => remove(entry) },
        ]),
    }));
    const paste = ui.button('Paste here', {
      id: 'paste',
      kind: 'tonal',
      onClick: () => {
        const from = held.get(context.files);
        if (from === undefined) return;
        const to = `${folder}/${from.path.slice(from.path.lastIndexOf('/') + 1)}`;
        held.delete(context.files);
        showPaste();
        done(() => (from.isCopy ? storage.copy(from.path, to) : storage.move(from.path, to)));
      },
    });
    const showPaste = (): void => {
      paste.visible = held.has(context.files);
    };
    const load = (): void => {
      showPaste();
      context.run(storage.list(folder), list.show, failed);
    };
    const makeFolder = ui.iconButton({
      id: 'new_folder',
      icon: 'plus',
      description: 'New folder',
      onClick: () => ask('New folder', '', 'Create', (name) => done(() => storage.makeFolder(`${folder}/${name}`))),
    });
    const title = folder === ROOT ? 'Files' : folder.slice(folder.lastIndexOf('/') + 1);
    const body = ui.column({ width: 'fill', share: 1 }, [ui.overlay({ width: 'fill', share: 1 }, [list.view]), paste]);
    const up = folder === ROOT ? {} : { onUp: () => context.finish() };
    return { content: ui.page({ title, actions: [makeFolder], body, ...up }), onResume: load };
  };

  const view = (context: AppContext): Activity => {
    const storage = new SharedStorage(context);
    const path = context.extras['path'] ?? '';
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const copyText = (words: string) => (): void => context.toast(`${words.length} characters`);
    context.run(storage.read(path), (words) =>
      body.setChildren([
        ...words.split('\n').map((line) => ui.text(line, {})),
        wide(ui, 'Count characters', copyText(words)),
      ]),
    );
    return { content: screen(ui, context, name, [body]) };
  };

  return {
    package: PACKAGE,
    label: 'Files',
    drawIcon: ui.appIcon('#2d6f8f', 'apps'),
    launcherActivity: '.Main',
    activities: { '.Main': main, '.Folder': main, '.View': view },
  };
}
