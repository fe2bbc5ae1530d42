import type { GymPhone } from '../phone/gym-phone.js';
import { setNotes } from '../phone/notes.js';
import { setThreads } from '../phone/messages.js';
import { BASE_NOTES } from './base-notes.js';
import { BASE_THREADS } from './base-threads.js';

/** Settings without which each step would wait for animations. */
const ANIMATIONS = ['window_animation_scale', 'transition_animation_scale', 'animator_duration_scale'] as const;

/** Brings a new phone into the state that all tasks begin with. */
export async function prepareBase(phone: GymPhone): Promise<void> {
  for (const key of ANIMATIONS) await phone.setSetting('global', key, '0');
  await setNotes(phone, BASE_NOTES);
  await setThreads(phone, BASE_THREADS);
}
