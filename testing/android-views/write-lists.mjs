// Writes the expected list beside each dump, as the built tree reading makes it now. Read the difference before you commit it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const built = new URL('../../dist/screen-service/tree/', import.meta.url);
const { parseDump } = await import(new URL('parse-dump.js', built).href);
const { elementsOf } = await import(new URL('elements.js', built).href);
const { elementsText } = await import(new URL('elements-text.js', built).href);

const folder = new URL('../../screen-service/tree/dumps/', import.meta.url);
for (const file of readdirSync(folder).filter((name) => name.endsWith('.xml'))) {
  const [, width, height] = /\.(\d+)x(\d+)\.xml$/.exec(file);
  const tree = parseDump(readFileSync(new URL(file, folder), 'utf8'));
  const { elements } = elementsOf(tree, { width: Number(width), height: Number(height) });
  writeFileSync(new URL(file.replace(/xml$/, 'txt'), folder), `${elementsText(elements)}\n`);
}
