import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Options } from '../command/options.js';
import { UsageError } from '../output/usage-error.js';
import { Failure } from '../output/failure.js';
import type { PostBody } from '../service/types.js';

type ExitChoice = PostBody<'/v1/devices'>['network'];

/** Returns the body of a request for a phone, without its name. Asks the service for what the options leave open. */
export async function wantedDevice(
  phone: CloudPhone,
  options: Options,
  signal: AbortSignal,
): Promise<Pick<PostBody<'/v1/devices'>, 'template' | 'model' | 'android' | 'network' | 'plan'>> {
  return {
    ...(await kindOf(phone, options, signal)),
    network: exitOf(options.text('exit')) ?? (await plainestExit(phone, signal)),
    plan: planOf(options.text('plan') ?? 'minute'),
  };
}

/** Returns what the phone is made from: the template, or the model and its Android. */
async function kindOf(
  phone: CloudPhone,
  options: Options,
  signal: AbortSignal,
): Promise<Pick<PostBody<'/v1/devices'>, 'template' | 'model' | 'android'>> {
  const [template, model, android] = ['template', 'model', 'android'].map((name) => options.text(name));
  if (template !== undefined) {
    if (model !== undefined || android !== undefined)
      throw new UsageError('--template has its model and its Android. Give no --model and no --android with it.');
    return { template };
  }
  return { model: model ?? (await firstModel(phone, signal)), ...(android !== undefined && { android }) };
}

/** Returns labels of options such as `team:qa`. */
export function labelsOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, key, value] = /^([^:]+):(.+)$/s.exec(text) ?? [];
      if (key === undefined || value === undefined)
        throw new UsageError(`"${text}" is not a label. A label is KEY:VALUE, such as team:qa.`);
      return [key, value];
    }),
  );
}

/** Returns an exit of a text such as `mobile:de` or `mobile:de:Europe/Berlin`. */
export function exitOf(text: string | undefined): ExitChoice | undefined {
  if (text === undefined) return undefined;
  const [, type, country, timezone] = /^([a-z]+):([a-z]{2})(?::(.+))?$/.exec(text) ?? [];
  if (type === undefined || country === undefined)
    throw new UsageError(`"${text}" is not an exit. It is TYPE:COUNTRY, such as direct:us; see "cloudphone exits".`);
  return { type: type as ExitChoice['type'], country, ...(timezone !== undefined && { timezone }) };
}

export function planOf(text: string): 'minute' | 'month' {
  if (text === 'minute' || text === 'month') return text;
  throw new UsageError(`--plan is "${text}". It must be minute or month.`);
}

async function firstModel(phone: CloudPhone, signal: AbortSignal): Promise<string> {
  const { models } = await phone.get('/v1/models', { params: { query: { limit: 1 } }, signal });
  const [first] = models;
  if (first === undefined) throw new Failure('No host offers a model at present. Ask the operator.');
  return first.model;
}

/** Returns the host's own connection where it is on offer: it costs nothing, and every kind of phone has it. */
async function plainestExit(phone: CloudPhone, signal: AbortSignal): Promise<ExitChoice> {
  const { options } = await phone.get('/v1/network/options', { params: { query: { limit: 200 } }, signal });
  const exit = options.find(({ type }) => type === 'direct') ?? options[0];
  if (exit === undefined) throw new Failure('No network exit is on sale. Ask the operator.');
  return { type: exit.type as ExitChoice['type'], country: exit.country };
}
