import { setContacts, setEntries, setMails, setShop } from './app-lists.js';
import type { GymPhone } from '../phone/gym-phone.js';
import { setNotes } from '../phone/notes.js';
import { setThreads } from '../phone/messages.js';
import { BASE_CONTACTS } from './base-contacts.js';
import { BASE_FILES } from './base-files.js';
import { BASE_NOTES } from './base-notes.js';
import { BASE_PAGES } from './base-pages.js';
import { PAGES_FOLDER } from './pages-folder.js';
import { BASE_THREADS } from './base-threads.js';

/** Settings without which each step would wait for animations. */
const ANIMATIONS = ['window_animation_scale', 'transition_animation_scale', 'animator_duration_scale'] as const;

/** Brings a new phone into the state that all tasks begin with. */
export async function prepareBase(phone: GymPhone): Promise<void> {
  for (const key of ANIMATIONS) await phone.setSetting('global', key, '0');
  await setNotes(phone, BASE_NOTES);
  await setThreads(phone, BASE_THREADS);
  await setContacts(phone, BASE_CONTACTS);
  await setMails(phone);
  await setEntries(phone);
  await setShop(phone);
  for (const [path, text] of Object.entries(BASE_FILES)) await phone.writeFile(`/sdcard/${path}`, text);
  for (const [name, html] of Object.entries(BASE_PAGES)) await phone.writeFile(`${PAGES_FOLDER}/${name}`, html);
}
