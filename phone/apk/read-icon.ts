import { Attribute } from './android-attribute.js';
import { ApkError } from './apk-error.js';
import { ChunkType } from './chunk.js';
import { ValueType, parseBinaryXml, type ResourceValue, type XmlElement } from './binary-xml.js';
import type { ResourceTable } from './resource-table.js';
import type { ZipFile } from './zip-file.js';

const MAX_XML_STEPS = 4;

/** Files of one icon that are looked at: one a density, and drawings. */
const MAX_FILES = 20;

/**
 * The app's icon as a picture: the raster of the highest density, or the raster foreground of an adaptive icon. Undefined when
 * there is only a drawing. An icon that cannot be read is no reason to refuse an app.
 */
export async function readIcon(from: {
  zip: ZipFile;
  table: ResourceTable | undefined;
  value: ResourceValue | undefined;
  maxBytes: number;
}): Promise<Buffer | undefined> {
  try {
    return await pictureOf(from.value, from, 0);
  } catch (error) {
    if (error instanceof ApkError || error instanceof RangeError) return undefined;
    throw error;
  }
}

async function pictureOf(
  value: ResourceValue | undefined,
  from: { zip: ZipFile; table: ResourceTable | undefined; maxBytes: number },
  steps: number,
): Promise<Buffer | undefined> {
  if (!value || steps > MAX_XML_STEPS) return undefined;
  const drawings: Buffer[] = [];
  for (const path of filesOf(value, from.table).slice(0, MAX_FILES)) {
    const bytes = await from.zip.read(path, from.maxBytes);
    if (bytes === undefined) continue;
    if (isRaster(bytes)) return bytes;
    drawings.push(bytes);
  }
  for (const bytes of drawings) {
    if (bytes.length < 2 || bytes.readUInt16LE(0) !== ChunkType.XML) continue;
    const picture = await pictureOf(drawableIn(parseBinaryXml(bytes)), from, steps + 1);
    if (picture) return picture;
  }
  return undefined;
}

/** PNG or WebP, by its first bytes: shrunk apps name their files without extensions. */
function isRaster(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === '\x89PNG' || /^RIFF[^]{4}WEBP/.test(bytes.toString('latin1', 0, 12));
}

/** Best density first. */
function filesOf(value: ResourceValue, table: ResourceTable | undefined): string[] {
  if (value.type === ValueType.STRING) return value.text === undefined ? [] : [value.text];
  const candidates = table?.find(value.data) ?? [];
  const ranked = [...candidates].sort((a, b) => rank(b.density) - rank(a.density));
  return ranked.flatMap(({ value: { text } }) => text ?? []);
}

/** `anydpi` and `nodpi` are for drawings. */
function rank(density: number): number {
  return density >= 0xfffe ? 0 : density;
}

/** The drawable of `<foreground>` of an adaptive icon, or the first that any element names. */
function drawableIn(root: XmlElement): ResourceValue | undefined {
  const elements = [...root.children].sort((a, b) => Number(b.name === 'foreground') - Number(a.name === 'foreground'));
  for (const element of [root, ...elements])
    for (const { resourceId, value } of element.attributes) if (resourceId === Attribute.drawable) return value;
  return elements.map(drawableIn).find((value) => value !== undefined);
}
