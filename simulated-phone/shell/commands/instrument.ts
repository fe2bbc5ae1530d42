import { unlessAborted } from '../../../kit/async/within.js';
import { CommandFailure, type CommandCall, print } from '../command.js';

/** Options of `am instrument` with a value. */
const WITH_VALUE = new Set(['-e', '-p', '--user', '--abi']);

/** `am instrument [-w] [-r] [-e NAME VALUE] COMPONENT`. Without `-w` it returns while the instrumentation runs. */
export async function instrument(call: CommandCall, args: readonly string[]): Promise<number> {
  const { machine, stdout } = call;
  const component = componentOf(args);
  const found = machine.instrumentations.find(component);
  if (!found) throw new CommandFailure(`android.util.AndroidException: INSTRUMENTATION_FAILED: ${component}\nINSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{${component}}\nINSTRUMENTATION_FAILED: ${component}`, { bare: true, status: 1 }); // prettier-ignore
  const running = machine.instrumentations.run(found, call.signal);
  if (!args.includes('-w')) {
    void running.catch((error: unknown) => machine.log.warn({ err: error }, 'an instrumentation failed'));
    return 0;
  }
  const end = await unlessAborted(call.signal, running);
  return print(
    stdout,
    end === 'crashed'
      ? 'INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n'
      : `\n${found.target}.test.AppiumUiAutomator2Server:.\n\nTime: 1.0\n\nOK (1 test)\n\n`,
  );
}

function componentOf(args: readonly string[]): string {
  let component = '';
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (WITH_VALUE.has(word)) at += word === '-e' ? 2 : 1;
    else if (!word.startsWith('-')) component = word;
  }
  return component;
}
