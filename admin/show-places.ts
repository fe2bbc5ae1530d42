import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QUICKSTART, type Quickstart } from '../start/quickstart.js';
import { welcome } from '../start/welcome.js';
import type { Output } from './output.js';

/**
 * Returns the addresses of the service that was last started with this data folder, whether it runs now or not. The text is the one that
 * `npm start` printed; the JSON is the content of quickstart.json, secrets included. With `showSecrets`, the text also shows the first
 * account's key and password, where quickstart.json still has them.
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
