import type { GivenThread } from '../phone/messages.js';

/** The conversations of the template, the newest first. */
export const BASE_THREADS: readonly GivenThread[] = [
  { name: 'Mara Lind', messages: ['Hi! Is the new phone working?'] },
  { name: 'Corner Shop', messages: ['Your order 4711 is ready.'] },
  { name: 'Jonas Weber', messages: ['Shall we run on Sunday?'] },
  { name: 'Library', messages: ['Two books are due on Friday.'] },
  { name: 'Priya Nair', messages: ['The photos are in the shared folder.'] },
  { name: 'Dentist Dr. Okoye', messages: ['Your next visit is on 12 March.'] },
  { name: 'Aunt Rosa', messages: ['Call me when you have time.'] },
];
