import { readFileSync, renameSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../kit/log/log.js';
import { components } from '../components.js';
import { emptyHistory, type History } from './history.js';

const FORMAT = 1;

/**
 * Stores the history in a file of its own, so that it can be read and written while all other services are down. The whole file is
 * replaced. A process that is killed at any moment leaves the old file or the new one, and loses at most the last round.
 */
export class HistoryFile {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, 'history.json');
  }

  /**
   * Reads the history; it is empty when there is no file. A file that cannot be understood is put aside under another name, so that the
   * service starts.
   */
  read(nowMs: number, log: Log): History {
    rmSync(this.#new, { force: true });
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyHistory();
      throw new Error(`The status history ${this.#path} cannot be read. Let this user read it, or move it away.`, {
        cause: error,
      });
    }
    try {
      return parse(text);
    } catch (error) {
      const aside = `${this.#path}.unreadable-${nowMs}`;
      renameSync(this.#path, aside);
      log.error(
        { err: error, aside },
        'the status history cannot be understood; it was put aside, and a new one begins',
      );
      return emptyHistory();
    }
  }

  /** Writes the history. Resolves when the file is on the disk. */
  async write(history: History): Promise<void> {
    const file = await open(this.#new, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ format: FORMAT, ...history })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(this.#new, this.#path);
  }

  get #new(): string {
    return `${this.#path}.new`;
  }
}

/** Throws for a file that `write` did not write. */
function parse(text: string): History {
  const { format, ...history } = JSON.parse(text) as History & { format: number };
  if (format !== FORMAT) throw new Error(`its format is ${JSON.stringify(format)}, not ${FORMAT}`);
  const isKnown = (id: string): boolean => components.some((component) => component.id === id);
  const counts = Object.entries(history.days).flatMap(([day, ids]) => {
    if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new Error(`"${day}" is not a day`);
    return Object.entries(ids);
  });
  for (const [id, { checks, failed }] of counts) {
    const isSound = Number.isSafeInteger(checks) && Number.isSafeInteger(failed) && failed >= 0 && failed <= checks;
    if (!isKnown(id) || !isSound) throw new Error(`the figures of "${id}" are not sound`);
  }
  for (const { component, what, startedMs, lastFailedMs, end } of history.incidents) {
    const times = [startedMs, lastFailedMs, ...(end === undefined ? [] : [end.ms])];
    if (!isKnown(component) || typeof what !== 'string' || !times.every(isTime)) {
      throw new Error('an incident is not sound');
    }
  }
  if (history.checkedMs !== undefined && !isTime(history.checkedMs)) throw new Error('its time is not sound');
  for (const [id, { state }] of Object.entries(history.latest)) {
    if (!isKnown(id) || !['ok', 'failing', 'not_checked'].includes(state)) throw new Error('an outcome is not sound');
  }
  return history;
}

function isTime(ms: unknown): boolean {
  return typeof ms === 'number' && Number.isFinite(ms) && Math.abs(ms) <= 8.64e15;
}
