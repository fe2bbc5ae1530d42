import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type ApkTargetingSchema,
  type ApkSchema,
  Delivery,
  type ModuleMetadataSchema,
  type Toc,
  TocSchema,
} from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';

/** An APK of a `toc.pb`, in the form that a test writes. */
export type BuiltApk = MessageInitShape<typeof ApkSchema>;

/** A module of a variant. Absent metadata: installed with the app. */
export interface BuiltModule {
  apks: readonly BuiltApk[];
  metadata?: MessageInitShape<typeof ModuleMetadataSchema>;
}

/** Builds a `toc.pb` with a variant for each API level. Modules are by name; `apks` of a module get the level of the variant. */
export function tocOf(variants: Readonly<Record<number, Readonly<Record<string, BuiltModule>>>>): Toc {
  const levels = Object.keys(variants).map(Number);
  return create(TocSchema, {
    variants: Object.entries(variants).map(([min, modules], number) => ({
      number,
      targeting: {
        sdk: {
          values: [{ min: Number(min) }],
          alternatives: levels.filter((level) => level !== Number(min)).map((level) => ({ min: level })),
        },
      },
      modules: Object.entries(modules).map(([name, { apks, metadata }]) => ({
        metadata: { name, delivery: Delivery.INSTALL_TIME, ...metadata },
        apks: [...apks],
      })),
    })),
  });
}

/** The main APK of a module. */
export function master(path: string): BuiltApk {
  return { path, split: { isMaster: true } };
}

/** One APK for each of some values, which know of one another. `paths` has the names of the files by value. */
export function oneForEach<T>(
  dimension: keyof MessageInitShape<typeof ApkTargetingSchema>,
  paths: ReadonlyMap<T, string>,
  value: (one: T) => unknown,
): BuiltApk[] {
  const all = [...paths.keys()];
  return all.map((own) => {
    const alternatives = all.filter((one) => one !== own).map(value);
    return {
      path: paths.get(own) ?? '',
      split: {},
      targeting: { [dimension]: { values: [value(own)], alternatives } },
    };
  });
}
