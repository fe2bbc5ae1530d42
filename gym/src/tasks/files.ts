import { BASE_FILES } from '../base/base-files.js';
import { Family } from '../family.js';
import type { GymPhone } from '../phone/gym-phone.js';
import { firstLack, lack } from '../phone/same.js';
import type { Action } from '../task.js';
import { back, find, findUp, hold, open, replace, tap, type } from './steps.js';

const FOLDERS = ['Documents', 'Download', 'Pictures'] as const;

/** Returns the folders below /sdcard, with what they hold, after some changes. A path that ends in `/` is a folder. */
const changed = (change: (files: Set<string>) => void): Record<string, string[]> => {
  const files = new Set(Object.keys(BASE_FILES));
  change(files);
  return Object.fromEntries(FOLDERS.map((folder) => [folder, [...files].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1)).sort()])); // prettier-ignore
};

async function foldersLack(phone: GymPhone, wanted: Record<string, string[]>): Promise<string | undefined> {
  const lists = await Promise.all(Object.keys(wanted).map(async (folder) => [folder, await phone.list(`/sdcard/${folder}`)] as const)); // prettier-ignore
  return lack('what is in the folders', Object.fromEntries(lists), wanted);
}

const into = (folder: string): Action[] => [open('Files'), find(folder), tap(folder)];

/** Files of the phone, read by listing them. */
export const files = new Family('files')
  .add('delete', {
    params: ({ pick }) => ({ path: pick(['Documents/letter.txt', 'Documents/recipe.txt', 'Pictures/garden.jpg']) }),
    goal: ({ path }) => `Delete the file ${path}.`,
    verdict: (phone, { path }) => foldersLack(phone, changed((all) => all.delete(path))), // prettier-ignore
    policy: ({ path }) => [
      ...into(folderOf(path)),
      hold(nameOf(path)),
      tap('Delete'),
      tap('Delete', { role: 'button' }),
    ],
  })
  .add('rename', {
    params: ({ int }) => ({ to: `contract-${int(2020, 2030)}.txt` }),
    goal: ({ to }) => `Rename Documents/contract.txt to ${to}.`,
    verdict: (phone, { to }) =>
      foldersLack(phone, changed((all) => void (all.delete('Documents/contract.txt'), all.add(`Documents/${to}`)))), // prettier-ignore
    policy: ({ to }) => [...into('Documents'), hold('contract.txt'), tap('Rename'), replace('Name', to), tap('OK')],
  })
  .add('new-folder', {
    params: ({ pick, int }) => ({ name: `${pick(['Trip', 'Bills', 'School'])} ${int(1, 50)}` }),
    goal: ({ name }) => `Make a folder "${name}" in Documents.`,
    verdict: async (phone, { name }) =>
      firstLack(
        await foldersLack(phone, changed((all) => all.add(`Documents/${name}/`))), // prettier-ignore
        lack('the new folder', await phone.list(`/sdcard/Documents/${name}`), []),
      ),
    policy: ({ name }) => [...into('Documents'), tap('New folder'), type('Name', name), tap('Create')],
  })
  .add('move', {
    params: ({ pick }) => ({ name: pick(['leaflet.txt', 'song.mp3']) }),
    goal: ({ name }) => `Move Download/${name} to Documents.`,
    verdict: (phone, { name }) =>
      foldersLack(phone, changed((all) => void (all.delete(`Download/${name}`), all.add(`Documents/${name}`)))), // prettier-ignore
    policy: ({ name }) => [
      ...into('Download'),
      hold(name),
      tap('Move'),
      back,
      findUp('Documents'),
      tap('Documents'),
      tap('Paste here'),
    ],
  })
  .add('copy', {
    params: ({ pick }) => ({ name: pick(['harbour.jpg', 'garden.jpg']) }),
    goal: ({ name }) => `Copy Pictures/${name} to Download. It stays in Pictures, too.`,
    verdict: (phone, { name }) => foldersLack(phone, changed((all) => all.add(`Download/${name}`))), // prettier-ignore
    policy: ({ name }) => [
      ...into('Pictures'),
      hold(name),
      tap('Copy'),
      back,
      findUp('Download'),
      tap('Download'),
      tap('Paste here'),
    ],
  })
  .add('clean-up', {
    params: () => ({}),
    goal: () => 'Delete from Download everything but the leaflet.',
    verdict: (phone) =>
      foldersLack(phone, changed((all) => void (all.delete('Download/song.mp3'), all.delete('Download/setup.apk')))), // prettier-ignore
    policy: () => [
      ...into('Download'),
      ...['song.mp3', 'setup.apk'].flatMap((name) => [hold(name), tap('Delete'), tap('Delete', { role: 'button' })]),
    ],
  })
  .add('sort-away', {
    params: ({ int }) => ({ year: int(2024, 2025) }),
    goal: ({ year }) => `Make a folder "Archive" in Documents and move tax-${year}.txt there.`,
    verdict: async (phone, { year }) =>
      firstLack(
        lack('the folder Archive', await phone.list('/sdcard/Documents/Archive'), [`tax-${year}.txt`]),
        await foldersLack(phone, changed((all) => void (all.delete(`Documents/tax-${year}.txt`), all.add('Documents/Archive/')))), // prettier-ignore
      ),
    policy: ({ year }) => [
      ...[...into('Documents'), tap('New folder'), type('Name', 'Archive'), tap('Create')],
      ...[hold(`tax-${year}.txt`), tap('Move'), tap('Archive'), tap('Paste here')],
    ],
  })
  .add('by-content', {
    params: ({ pick }) => ({ wrong: pick(['a.txt', 'b.txt', 'c.txt']) }),
    goal: () => 'One of the files in Download/Scans says "VOID". Delete that file.',
    prepare: async (phone, { wrong }) => {
      for (const name of ['a.txt', 'b.txt', 'c.txt'])
        await phone.writeFile(`/sdcard/Download/Scans/${name}`, name === wrong ? 'Ticket 12\nVOID' : 'Ticket 12\nPaid');
    },
    verdict: async (phone, { wrong }) =>
      firstLack(
        lack('the folder Scans', await phone.list('/sdcard/Download/Scans'), ['a.txt', 'b.txt', 'c.txt'].filter((name) => name !== wrong)), // prettier-ignore
        await foldersLack(phone, changed((all) => all.add('Download/Scans/'))), // prettier-ignore
      ),
    *policy() {
      yield* into('Download');
      yield tap('Scans');
      for (const name of ['a.txt', 'b.txt', 'c.txt']) {
        const { text } = yield tap(name);
        yield back;
        if (!text.includes('VOID')) continue;
        yield hold(name);
        yield tap('Delete');
        yield tap('Delete', { role: 'button' });
        return;
      }
    },
  });

function folderOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

function nameOf(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}
