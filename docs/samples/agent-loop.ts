import { CloudPhone, type Step, type View } from '@cloudphone/client';

/** Returns the next step, or undefined when the goal is reached. A model would decide here; this sample has four rules. */
function decide({ app, text }: View, note: string): Step | undefined {
  if (text.includes(note)) return undefined;
  if (app !== 'com.cloudphone.notes') return { open_app: { app: 'Notes' } };
  if (text.includes('textfield "Title"')) return { type: { text: note, target: { text: 'Title', role: 'textfield' } } };
  return text.includes('"New note"') ? { tap: { text: 'New note' } } : { key: { name: 'back' } };
}

/** Writes a note on a phone: looks, decides, acts, and looks again. Returns the number of turns. */
export function writeNote(url: string, key: string, device: string, note: string): Promise<number> {
  return new CloudPhone({ url, key }).agent(device).loop((view) => decide(view, note));
}
