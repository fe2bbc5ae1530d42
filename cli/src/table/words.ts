import type { Argument } from '../command/command.js';

/** The name of a phone. */
export const NAME: Argument = { name: 'NAME', kind: 'device' };

/** The names of one phone or more. */
export const NAMES: Argument = { name: 'NAME', kind: 'device', isMany: true };

export function word(name: string, kind: Argument['kind'] = 'text'): Argument {
  return { name, kind };
}

export function optional(name: string, kind: Argument['kind'] = 'text'): Argument {
  return { name, kind, isOptional: true };
}

export function many(name: string, kind: Argument['kind'] = 'text'): Argument {
  return { name, kind, isMany: true };
}
