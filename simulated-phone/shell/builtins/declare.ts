import { ShellSyntaxError } from '../grammar/syntax-tree.js';
import { quotedForShell } from '../quoted-for-shell.js';
import type { Shell } from '../shell.js';
import { ShellError } from '../shell-exits.js';
import type { VariableAttributes } from '../shell-variables.js';
import { assignDeclared, declaredWord, refuse, refuseAndExit, type Builtin, type BuiltinCall } from './builtin.js';

/** `export`, `readonly`, `typeset` and the other builtins that make, change and remove variables. */
export const DECLARE: Readonly<Record<string, Builtin>> = {
  export: (call) => mark(call, 'export'),
  readonly: (call) => mark(call, 'readonly'),
  typeset,
  local: typeset,
  unset: async (call) => {
    const { args, shell } = call;
    const words = args.filter((word) => word !== '-f' && word !== '-v');
    if (args[0] === '-f') for (const name of words) shell.state.undefine(name);
    else for (const word of words) await unset(call, word);
    return 0;
  },
};

async function unset(call: BuiltinCall, word: string): Promise<void> {
  const { state } = call.shell;
  const declared = declaredWord(word);
  if (!declared || declared.value !== undefined) return refuseAndExit(call, `${word}: not an identifier`);
  try {
    if (declared.index === undefined) state.remove(declared.name);
    else state.variables.deleteElement(declared.name, state.evaluate(declared.index) >>> 0);
  } catch (error) {
    // The error is only printed and the shell goes on. The same error in a plain assignment would end the script.
    if (!(error instanceof ShellError) || error.text === undefined) throw error;
    await refuse(call, error.text);
  }
}

async function mark(call: BuiltinCall, kind: 'export' | 'readonly'): Promise<number> {
  const { shell, args, streams } = call;
  const { state } = shell;
  const prints = args[0] === '-p';
  if (!prints && args[0]?.startsWith('-') && args[0] !== '--') return refuseAndExit(call, `${args[0]}: unknown option`);
  const words = args.filter((word, at) => at > 0 || (word !== '-p' && word !== '--'));
  if (words.length === 0) {
    const names = kind === 'export' ? [...state.exported] : state.variables.namesWith('readOnly');
    for (const name of names.sort())
      await streams.stdout.write(prints ? `${kind} ${name}=${quotedForShell(state.variable(name))}\n` : `${name}\n`);
    return 0;
  }
  for (const word of words) {
    const declared = declaredWord(word);
    if (!declared) return refuse(call, `${word}: not an identifier`);
    assignDeclared(shell, declared);
    if (kind === 'export') state.exported.add(declared.name);
    else state.variables.addAttributes(declared.name, { readOnly: true });
  }
  return 0;
}

/** The options of one `typeset`. */
interface TypesetOptions {
  add: VariableAttributes;
  remove: (keyof VariableAttributes)[];
  exported?: boolean;
  functions: boolean;
  functionNames: boolean;
  prints: boolean;
  global: boolean;
}

async function typeset(call: BuiltinCall): Promise<number> {
  const { shell, args } = call;
  const words = [...args];
  const options: TypesetOptions = { add: {}, remove: [], functions: false, functionNames: false, prints: false, global: false }; // prettier-ignore
  while (words[0] !== undefined && /^[-+]./.test(words[0])) {
    const word = words.shift() ?? '';
    if (word === '--') break;
    const unknown = takeOptions(word, options);
    if (unknown !== undefined) return refuse(call, `-${unknown}: unknown option`);
  }
  if (options.functions) return listFunctions(call, words, options.functionNames);
  if (options.prints || words.length === 0) return listVariables(call, words, options);
  for (const word of words) {
    const declared = declaredWord(word);
    if (!declared) return refuse(call, `${word}: not an identifier`);
    const { state } = shell;
    const { name } = declared;
    if (!options.global) state.makeLocal(name);
    if (options.add.reference !== undefined) {
      state.variables.addAttributes(name, { reference: declared.value ?? name });
      continue;
    }
    const { readOnly, ...shape } = options.add;
    if (Object.keys(shape).length > 0) state.variables.addAttributes(name, shape);
    if (options.remove.length > 0) state.variables.removeAttributes(name, options.remove);
    assignDeclared(shell, declared);
    if (readOnly) state.variables.addAttributes(name, { readOnly });
    if (options.exported === true) state.exported.add(name);
    if (options.exported === false) state.exported.delete(name);
  }
  return 0;
}

/**
 * Takes `-ix`, `-i16` or `-L5`. Returns the first unknown letter, if any. Throws ShellSyntaxError for letters of mksh that are not
 * implemented here.
 */
function takeOptions(word: string, options: TypesetOptions): string | undefined {
  const isAdded = word.startsWith('-');
  const change = (kind: keyof VariableAttributes, attributes: VariableAttributes): void => {
    if (isAdded) Object.assign(options.add, attributes);
    else options.remove.push(kind);
  };
  for (const [, letter = '', digits = ''] of word.slice(1).matchAll(/([a-zA-Z])(\d*)/g)) {
    const width = Number(digits || 0);
    if (letter === 'i') change('integerBase', { integerBase: width >= 2 && width <= 36 ? width : 10 });
    else if (letter === 'r') change('readOnly', { readOnly: true });
    else if (letter === 'u') change('letters', { letters: 'upper' });
    else if (letter === 'l') change('letters', { letters: 'lower' });
    else if (letter === 'n') change('reference', { reference: '' });
    else if (letter === 'x') options.exported = isAdded;
    else if ('LRZ'.includes(letter)) {
      const side = letter === 'L' ? 'left' : letter === 'R' ? 'right' : 'zeros';
      if (isAdded && (width < 1 || width > MAX_WIDTH))
        throw new ShellSyntaxError(`typeset: ${word}: unsupported width`);
      change('justified', { justified: { side, width } });
    } else if (letter === 'f') {
      options.functions = true;
      options.functionNames = !isAdded;
    } else if (letter === 'p') options.prints = true;
    else if (letter === 'g') options.global = true;
    else if (letter === 't' || letter === 'U') throw new ShellSyntaxError(`typeset: -${letter}: unsupported option`);
    else if (letter !== 'a') return letter;
  }
  return undefined;
}

const MAX_WIDTH = 4_096;

async function listFunctions(
  { shell, streams }: BuiltinCall,
  names: readonly string[],
  namesOnly: boolean,
): Promise<number> {
  let status = 0;
  for (const name of names.length > 0 ? names : shell.state.functionNames()) {
    const found = shell.state.function(name);
    if (found) await streams.stdout.write(namesOnly ? `${name}\n` : `${found.source}\n`);
    else status = 1;
  }
  return status;
}

async function listVariables(call: BuiltinCall, words: readonly string[], options: TypesetOptions): Promise<number> {
  const { shell, streams } = call;
  const { state } = shell;
  const wanted = Object.keys(options.add) as (keyof VariableAttributes)[];
  const isListed = (name: string): boolean =>
    wanted.every((kind) => state.variables.attributes(name)[kind] !== undefined) &&
    (options.exported === undefined || state.exported.has(name));
  const names = words.length > 0 ? words : [...state.variables.keys()].filter(isListed).sort();
  for (const name of names) if (state.variables.count(name) > 0) await streams.stdout.write(shownVariable(shell, name));
  return 0;
}

function shownVariable({ state }: Shell, name: string): string {
  const { integerBase, readOnly, letters } = state.variables.attributes(name);
  const flags = [
    integerBase !== undefined && ' -i',
    readOnly && ' -r',
    letters && (letters === 'upper' ? ' -u' : ' -l'),
    state.exported.has(name) && ' -x',
  ];
  const head = `typeset${flags.filter((flag) => typeof flag === 'string').join('')} ${name}`;
  const indexes = state.variables.indexes(name);
  if (indexes.length === 1 && indexes[0] === 0) return `${head}=${quotedForShell(state.variable(name))}\n`;
  const elements = indexes.map((index) => `${head}[${index}]=${quotedForShell(state.element(name, index) ?? '')}\n`);
  return `set -A ${name}\n${elements.join('')}`;
}
