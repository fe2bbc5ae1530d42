import { CloudPhone, type Step, type View } from '@cloudphone/client';

/** The next step, or nothing when the goal is reached. This is where a model decides; here are four rules. */
function decide({ app, text }: View, note: string): Step | undefined {
  if (text.includes(note)) return undefined;
  if (app !== 'com.cloudphone.notes') return { open_app: { app: 'Notes' } };
  if (text.includes('textfield "Title"')) return { type: { text: note, target: { text: 'Title', role: 'textfield' } } };
  return text.includes('"New note"') ? { tap: { text: 'New note' } } : { key: { name: 'back' } };
}

/** Writes a note on a phone: looks, decides, acts, and looks again. Returns in how many turns. */
export function writeNote(url: string, key: string, device: string, note: string): Promise<number> {
  return new CloudPhone({ url, key }).agent(device).loop((view) => decide(view, note));
}
