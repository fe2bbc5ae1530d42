import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QUICKSTART, type Quickstart } from '../start/quickstart.js';
import { welcome } from '../start/welcome.js';
import type { Output } from './run-command.js';

/**
 * The addresses of the service with this data folder, as `npm start` printed them, whether it runs or not; as JSON, what
 * quickstart.json has. `showSecrets`: the text also has the first key and password that quickstart.json still has.
 */
export function showPlaces(dataDirectory: string, showSecrets: boolean): Output {
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
  const places = JSON.parse(text) as Quickstart;
  return { json: JSON.stringify(places), text: welcome(places, dataDirectory, showSecrets) };
}
