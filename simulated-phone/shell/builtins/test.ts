import { CommandFailure } from '../command.js';
import { evaluateTest } from '../commands/test-command.js';
import { testHostOf } from '../test-host.js';
import { refuse, type BuiltinCall } from './builtin.js';

/** Runs `test` and `[`. A number in them may be an expression with variables of the shell. */
export async function test(call: BuiltinCall): Promise<number> {
  try {
    return await evaluateTest(call.name, call.args, testHostOf(call.shell, call.streams));
  } catch (error) {
    if (error instanceof CommandFailure) return refuse(call, error.message, error.status);
    throw error;
  }
}
