import type { PhoneFiles } from '../../system/system.js';
import { JsonList } from '../json-list.js';

export interface Note {
  id: string;
  title: string;
  body: string;
  /** Epoch ms. */
  changedMs: number;
}

export class NoteStore {
  readonly #notes: JsonList<Note>;

  constructor(files: PhoneFiles) {
    this.#notes = new JsonList(files, '/data/data/com.cloudphone.notes/files/notes.json');
  }

  /** Returns the notes, the newest first. */
  async list(): Promise<Note[]> {
    return ((await this.#notes.read()) ?? []).sort((a, b) => b.changedMs - a.changedMs);
  }

  async save(note: Note): Promise<void> {
    await this.#notes.change((notes = []) => [note, ...notes.filter(({ id }) => id !== note.id)]);
  }

  async delete(id: string): Promise<void> {
    await this.#notes.change((notes = []) => notes.filter((note) => note.id !== id));
  }
}
