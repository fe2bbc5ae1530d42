import { COMMANDS } from '../commands/command-table.js';
import { KEYWORDS } from '../grammar/token-cursor.js';
import { quotedForShell } from '../quoted-for-shell.js';
import type { BuiltinCall } from './builtin.js';

/** Prints what runs when a name is called, in words or as `command -v` shows it. The status is 1 when one of the names is unknown. */
export async function locate(
  { shell, streams }: BuiltinCall,
  names: readonly string[],
  options: { verbose: boolean; builtins: ReadonlyMap<string, unknown>; programsOnly?: boolean },
): Promise<number> {
  const { state } = shell;
  let status = 0;
  for (const name of names) {
    const alias = state.aliases.get(name);
    const isProgram = COMMANDS.has(name);
    let shown: [short: string, long: string] | undefined;
    if (options.programsOnly) shown = isProgram ? [`/system/bin/${name}`, `/system/bin/${name}`] : undefined;
    else if (alias !== undefined)
      shown = [`alias ${name}=${quotedForShell(alias)}`, `${name} is an alias for ${quotedForShell(alias)}`]; // prettier-ignore
    else if (KEYWORDS.has(name)) shown = [name, `${name} is a reserved word`];
    else if (state.function(name)) shown = [name, `${name} is a function`];
    else if (options.builtins.has(name)) shown = [name, `${name} is a shell builtin`];
    else if (isProgram) shown = [`/system/bin/${name}`, `${name} is a tracked alias for /system/bin/${name}`];
    if (!shown) status = 1;
    if (shown || options.verbose)
      await streams.stdout.write(`${shown?.[options.verbose ? 1 : 0] ?? `${name} not found`}\n`);
  }
  return status;
}
