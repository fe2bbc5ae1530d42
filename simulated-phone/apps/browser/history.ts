import type { PhoneFiles } from '../../system/system.js';
import { JsonList } from '../json-list.js';

/** A page that was shown. */
export interface Visit {
  url: string;
  title: string;
  /** Epoch ms. */
  timeMs: number;
}

/** Most visits that are kept; the oldest go first. */
const MAX_VISITS = 200;

/** The pages that the browser has shown, the newest last. They are kept as browsers keep their history. */
export class History {
  readonly #visits: JsonList<Visit>;

  constructor(files: PhoneFiles) {
    this.#visits = new JsonList(files, '/data/data/com.cloudphone.browser/files/history.json');
  }

  async add(visit: Visit): Promise<void> {
    await this.#visits.change((before = []) => [...before, visit].slice(-MAX_VISITS));
  }
}
