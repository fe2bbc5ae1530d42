import { randomBytes } from 'node:crypto';
import { Attribute } from '../../phone/apk/android-attribute.js';
import {
  binaryXml,
  type BuiltAttribute,
  type BuiltResource,
  endTag,
  pngHeader,
  resourceTable,
  shortStrings,
  startTag,
  stringPool,
} from './apk-builder.js';
import type { ZipEntry } from './zip-of.js';

/* Apps that are made to take much time or memory to read. */

export const REFERENCE = 0x01;
export const STRING = 0x03;
/** The id of the first resource. */
export const LABEL = 0x7f010000;

const TEXTS = ['package', 'com.example.hostile', 'manifest', 'application', 'uses-permission', 'label', 'icon', 'name'];

/** A manifest whose label and icon are the first and the second resource, with `inside` in it. */
export function manifest({
  inside = [],
  texts = [],
}: { inside?: readonly Buffer[]; texts?: readonly string[] } = {}): ZipEntry {
  const ids = [0, 0, 0, 0, 0, Attribute.label, Attribute.icon, Attribute.name];
  const bytes = binaryXml(shortStrings([...TEXTS, ...texts]), ids, [
    startTag(2, [{ name: 0, type: STRING, data: 1 }]),
    startTag(3, [
      { name: 5, type: REFERENCE, data: LABEL },
      { name: 6, type: REFERENCE, data: LABEL + 1 },
    ]),
    endTag(),
    ...inside,
    endTag(),
  ]);
  return { name: 'AndroidManifest.xml', bytes };
}

export function permission(name: { type: number; data: number }): Buffer {
  return startTag(4, [{ name: 7, ...name }]);
}

/** An app whose label and icon have these values. */
export function app(
  { label = [], icon = [] }: { label?: readonly BuiltResource[]; icon?: readonly BuiltResource[] },
  texts: readonly string[],
): ZipEntry[] {
  return [manifest(), { name: 'resources.arsc', bytes: resourceTable(shortStrings(texts), [label, icon]) }];
}

/** Apps that make their reader work hard, each under a name that describes it. Each stays within the limits of a file, and below 64 MB. */
export const HOSTILE_APKS: Readonly<Record<string, () => readonly ZipEntry[]>> = {
  'a table that is looked up for each permission': () => {
    const values = Array.from({ length: 20_000 }, () => ({ type: STRING, data: 0 }));
    const asked = Array.from({ length: 10_000 }, () => [permission({ type: REFERENCE, data: LABEL }), endTag()]);
    const table = resourceTable(shortStrings(['x']), [values]);
    return [manifest({ inside: asked.flat() }), { name: 'resources.arsc', bytes: table }];
  },
  'attributes of long strings': () => {
    const count = 65_535;
    const offsets = Array.from({ length: count }, (_, at) => at);
    const long = stringPool(offsets, Buffer.alloc(count + 40_000, 0xff));
    const attributes: BuiltAttribute[] = offsets.map((at) => ({ name: at, type: STRING, data: at }));
    const tags = Array.from({ length: 20 }, () => [startTag(0, attributes), endTag()]);
    return [{ name: 'AndroidManifest.xml', bytes: binaryXml(long, [], tags.flat()), stored: true }];
  },
  'as many permissions as an app may have': () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `permission.${'x'.repeat(100)}.${at}`);
    const asked = names.map((_, at) => [permission({ type: STRING, data: TEXTS.length + at }), endTag()]);
    return [manifest({ inside: asked.flat(), texts: names })];
  },
  'drawings of drawings': () => {
    const names = Array.from({ length: 20 }, (_, at) => `res/${at}.xml`);
    const icon = names.map((_, at) => ({ type: STRING, data: at, density: 100 + at }));
    const leadsOn = binaryXml(
      shortStrings(['drawable']),
      [Attribute.drawable],
      [startTag(0, [{ name: 0, type: REFERENCE, data: LABEL + 1 }]), endTag()],
    );
    const bytes = Buffer.concat([leadsOn, randomBytes(3 * 1024 ** 2)]);
    return [...app({ icon }, names), ...names.map((name) => ({ name, bytes, stored: true }))];
  },
  '65,000 entries': () => {
    const empty = Buffer.alloc(0);
    return [manifest(), ...Array.from({ length: 64_999 }, (_, at) => ({ name: `assets/${at}`, bytes: empty }))];
  },
  'the largest icon': () => {
    const icon = [{ type: STRING, data: 1, density: 320 }];
    const bytes = Buffer.concat([pngHeader(1_024, 1_024), randomBytes(4 * 1024 ** 2 - 1_024)]);
    return [...app({ icon }, ['', 'res/icon.png']), { name: 'res/icon.png', bytes, stored: true }];
  },
};
