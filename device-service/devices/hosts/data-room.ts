import { join } from 'node:path';
import { type FreeSpace, freeSpaceOf, isFull } from '../../../kit/files/host-space.js';
import { OperatorProblem, type Readiness } from '../../../kit/ops/readiness.js';

/** A folder of the service's own data. `name` is how settings call it, such as DATA_DIR/database. */
export interface DataFolder {
  name: string;
  measure: () => Promise<FreeSpace>;
}

/** Returns the folders of DATA_DIR that may be on a disk of their own. */
export function dataFolders(dataDirectory: string, hasDatabase: boolean): DataFolder[] {
  const folder = (name: string, path: string): DataFolder => ({ name, measure: () => freeSpaceOf(path) });
  const database = join(dataDirectory, 'database');
  return [folder('DATA_DIR', dataDirectory), ...(hasDatabase ? [folder('DATA_DIR/database', database)] : [])];
}

/**
 * The room in the data folder. While there is none, the service cannot record the stop of a phone. So it is not ready, an operator sees the
 * reason among its problems, and nobody is charged (metering/outages.ts).
 */
export class DataRoom {
  readonly #folders: readonly DataFolder[];

  constructor({ folders, readiness }: { folders: readonly DataFolder[]; readiness: Readiness | undefined }) {
    this.#folders = folders;
    if (folders.length === 0) return;
    readiness?.needs('data_folder', async () => {
      const full = await this.#full();
      if (full.length > 0) throw new OperatorProblem(fullText(full));
    });
  }

  async isFull(): Promise<boolean> {
    return (await this.#full()).length > 0;
  }

  /** Returns the names of the folders without room. */
  async #full(): Promise<string[]> {
    const measured = await Promise.all(
      this.#folders.map(async ({ name, measure }) => ((await measure().then(isFull)) ? [name] : [])),
    );
    return measured.flat();
  }
}

function fullText(full: readonly string[]): string {
  return (
    `the disk of ${full.join(' and ')} is full: phones can be neither started nor stopped, and are not charged. ` +
    'Make room; all goes on by itself'
  );
}
