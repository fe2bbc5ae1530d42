import { Attribute } from './android-attribute.js';
import { ApkError } from './apk-error.js';
import type { ApkLimits } from './apk-limits.js';
import { parseBinaryXml, type XmlElement } from './binary-xml.js';
import { ChunkType } from './chunk.js';
import { pictureSize } from './picture-size.js';
import type { ReadBudget } from './read-budget.js';
import type { ResourceTable } from './resource-table.js';
import { ValueType, type ResourceValue } from './resource-value.js';
import type { ZipFile } from './zip-file.js';

/** Most files that are read for one icon: a picture for each density, and drawings with the files that they refer to. */
const MAX_FILES = 20;

interface IconSource {
  zip: ZipFile;
  table: ResourceTable | undefined;
  limits: Pick<ApkLimits, 'iconBytes' | 'iconSidePx'>;
  budget: ReadBudget;
}

/**
 * The app's icon as a picture: the raster of the highest density, or the raster foreground of an adaptive icon. Undefined when
 * there is only a drawing. An icon that cannot be read, or is too large, is no reason to refuse an app.
 */
export async function readIcon(icon: ResourceValue | undefined, from: IconSource): Promise<Buffer | undefined> {
  try {
    return await pictureOf(icon, from);
  } catch (error) {
    if (error instanceof ApkError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads each file once: first the files that the value names, then the files that its drawings refer to. */
async function pictureOf(icon: ResourceValue | undefined, from: IconSource): Promise<Buffer | undefined> {
  const read = new Set<string>();
  const values = icon === undefined ? [] : [icon];
  for (const value of values) {
    const drawings: Buffer[] = [];
    for (const path of filesOf(value, from.table)) {
      if (read.has(path)) continue;
      if (read.size >= MAX_FILES) break;
      read.add(path);
      const bytes = await from.zip.read(path, from.limits.iconBytes, from.budget);
      if (bytes === undefined) continue;
      const size = pictureSize(bytes);
      if (size === undefined) drawings.push(bytes);
      else if (Math.max(size.width, size.height) <= from.limits.iconSidePx) return bytes;
    }
    for (const bytes of drawings) {
      if (bytes.length < 2 || bytes.readUInt16LE(0) !== ChunkType.XML) continue;
      const inner = drawableIn(parseBinaryXml(bytes, from.budget));
      if (inner !== undefined) values.push(inner);
    }
  }
  return undefined;
}

/** Returns the paths of a value's files, the highest density first. */
function filesOf(value: ResourceValue, table: ResourceTable | undefined): string[] {
  if (value.type === ValueType.STRING) return value.text === undefined ? [] : [value.text];
  const candidates = table?.find(value.data) ?? [];
  const ranked = candidates.sort((a, b) => rank(b.density) - rank(a.density));
  return ranked.slice(0, MAX_FILES).flatMap(({ value: { text } }) => text ?? []);
}

/** Returns the rank of a density. `anydpi` and `nodpi` come last, as they are for drawings. */
function rank(density: number): number {
  return density >= 0xfffe ? 0 : density;
}

/** Returns the drawable that the root names, else the one of an adaptive icon's `<foreground>`, else the first of the other elements. */
function drawableIn(root: XmlElement): ResourceValue | undefined {
  const elements = [...root.children].sort((a, b) => Number(b.name === 'foreground') - Number(a.name === 'foreground'));
  for (const element of [root, ...elements])
    for (const { resourceId, value } of element.attributes) if (resourceId === Attribute.drawable) return value;
  for (const element of elements) {
    const inner = drawableIn(element);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
