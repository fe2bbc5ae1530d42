import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QUICKSTART, type Quickstart } from '../start/quickstart.js';
import { welcome } from '../start/welcome.js';

/** The addresses and the first key of the service with this data folder, as `npm start` printed them, whether it runs or not. */
export function showPlaces(dataDirectory: string): string {
  const path = join(dataDirectory, QUICKSTART);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(
      `${path} cannot be read. Set DATA_DIR to the data folder of a service that was started with npm start.`,
      {
        cause: error,
      },
    );
  }
  return welcome(JSON.parse(text) as Quickstart, dataDirectory);
}
