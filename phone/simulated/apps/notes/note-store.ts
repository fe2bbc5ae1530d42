import type { PhoneFiles } from '../../system.js';

export interface Note {
  id: string;
  title: string;
  body: string;
  /** Epoch ms. */
  changedMs: number;
}

const PATH = '/data/data/com.cloudphone.notes/files/notes.json';

/** The notes as one file, written whole: notes whose `save` has resolved survive a kill. */
export class NoteStore {
  readonly #files: PhoneFiles;

  constructor(files: PhoneFiles) {
    this.#files = files;
  }

  /** Newest first. */
  async list(): Promise<Note[]> {
    let raw: Buffer;
    try {
      raw = await this.#files.read(PATH);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
    const parsed: unknown = JSON.parse(raw.toString('utf8'));
    if (!Array.isArray(parsed)) throw new Error(`${PATH} holds no list of notes`);
    return parsed.filter(isNote).sort((a, b) => b.changedMs - a.changedMs);
  }

  async save(note: Note): Promise<void> {
    const others = (await this.list()).filter(({ id }) => id !== note.id);
    await this.#write([note, ...others]);
  }

  async delete(id: string): Promise<void> {
    await this.#write((await this.list()).filter((note) => note.id !== id));
  }

  async #write(notes: readonly Note[]): Promise<void> {
    await this.#files.write(PATH, JSON.stringify(notes));
  }
}

function isNote(value: unknown): value is Note {
  if (typeof value !== 'object' || value === null) return false;
  const note = value as Partial<Record<keyof Note, unknown>>;
  return (
    typeof note.id === 'string' &&
    typeof note.title === 'string' &&
    typeof note.body === 'string' &&
    typeof note.changedMs === 'number'
  );
}

/** The file system names the reason in the error's `code` or at the start of its message. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || error.message.startsWith('ENOENT');
}
