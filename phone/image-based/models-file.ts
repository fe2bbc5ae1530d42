import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type ErrorObject } from 'ajv';
import type { ContainerModel, EmulatorModel, KubernetesModel, ImageBasedModel } from './model.js';

/** The schema's path from the compiled file. The schema is not copied to `dist`, and editors read it too. */
const SCHEMA = fileURLToPath(new URL('../../../phone/image-based/models.schema.json', import.meta.url));

const MAX_FAULTS = 50;

interface Entry extends Pick<ImageBasedModel, 'model' | 'screen' | 'cpus'> {
  driver: ImageBasedModel['driver'];
  name?: string;
  android: string;
  memory_mb: number;
  disk_mb: number;
  boot_limit_s: number;
}

interface ContainerEntry
  extends Entry, Omit<ContainerModel, keyof Entry | 'memoryMb' | 'diskMb' | 'bootLimitS' | 'adbPort'> {
  driver: 'container';
  adb_port: number;
}

interface KubernetesEntry
  extends
    Entry,
    Omit<KubernetesModel, keyof Entry | 'memoryMb' | 'diskMb' | 'bootLimitS' | 'adbPort' | 'nodeSelector'> {
  driver: 'kubernetes';
  adb_port: number;
  node_selector: KubernetesModel['nodeSelector'];
}

interface EmulatorEntry extends Entry, Pick<EmulatorModel, 'gpu' | 'args'> {
  driver: 'emulator';
  system_image: string;
}

/** Returns a function that parses the text of a MODELS_FILE. The result has all faults, each with the field that has it. */
export function modelsParser(): (text: string) => { value: ImageBasedModel[]; faults: string[] } {
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as object;
  const validate = new Ajv({ allErrors: true, useDefaults: true, strict: false }).compile(schema);
  return (text) => {
    let file: unknown;
    try {
      file = JSON.parse(text);
    } catch (error) {
      return { value: [], faults: [`it is not JSON: ${error instanceof Error ? error.message : String(error)}`] };
    }
    if (!validate(file)) {
      const faults = [...new Set((validate.errors ?? []).flatMap(faultOf))];
      return { value: [], faults: faults.slice(0, MAX_FAULTS) };
    }
    const { models } = file as { models: ModelEntry[] };
    const value = models.map(modelOf);
    return { value, faults: twice(value) };
  };
}

type ModelEntry = ContainerEntry | EmulatorEntry | KubernetesEntry;

function modelOf(entry: ModelEntry): ImageBasedModel {
  const { model, name = model, android, screen, cpus } = entry;
  const made = {
    ...{ model, name, android: [android], screen, cpus },
    ...{ memoryMb: entry.memory_mb, diskMb: entry.disk_mb, bootLimitS: entry.boot_limit_s },
  };
  if (entry.driver === 'emulator')
    return { ...made, driver: 'emulator', systemImage: entry.system_image, gpu: entry.gpu, args: entry.args };
  const { image, adb_port: adbPort, gpu, args, privileged, capabilities } = entry;
  const contained = {
    ...{ ...made, image, adbPort, args, privileged, capabilities },
    ...(gpu !== undefined && { gpu }),
  };
  if (entry.driver === 'container') {
    const { binder, pids } = entry;
    return { ...contained, driver: 'container', binder, pids };
  }
  const { node_selector: nodeSelector, tolerations, resources } = entry;
  return { ...contained, driver: 'kubernetes', nodeSelector, tolerations, resources };
}

/** Returns a fault for each entry that has the model of an earlier one. A device names only its model, so a model must be one entry. */
function twice(models: readonly ImageBasedModel[]): string[] {
  return models.flatMap(({ model }, at) => {
    const first = models.findIndex((other) => other.model === model);
    return first < at ? [`models[${at}].model is "${model}", like models[${first}]`] : [];
  });
}

/**
 * Returns the library's text for a fault, with the field as in the file. A failed condition (`if`) is left out, as its cause is another
 * fault.
 */
function faultOf({ keyword, instancePath, params, message }: ErrorObject): string[] {
  if (keyword === 'if') return [];
  const field = instancePath
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
  const at = (name: unknown): string => [field, String(name)].filter((part) => part !== '').join('.');
  if (keyword === 'additionalProperties') return [`${at(params['additionalProperty'])} is not a field`];
  if (keyword === 'required') return [`${at(params['missingProperty'])} is missing`];
  if (keyword === 'enum') return [`${field} is not one of ${(params['allowedValues'] as string[]).join(', ')}`];
  return [`${field === '' ? 'it' : field} ${message ?? 'is not valid'}`];
}
