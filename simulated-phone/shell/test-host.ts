import { absolutePath } from '../files/phone-path.js';
import type { TestHost } from './evaluate-test.js';
import { descriptorOf, type Streams } from './redirect.js';
import type { Shell } from './shell.js';
import { Terminal } from './terminal.js';

/** Returns the files, variables and options that the tests of one shell read. */
export function testHostOf({ state, machine }: Shell, streams: Streams): TestHost {
  return {
    files: machine.shellFiles,
    absolute: (path) => absolutePath(path, state.cwd),
    evaluate: (expression) => state.evaluate(expression),
    isOption: (name) => [...state.options].some((option) => option === name),
    isSet: (name) => state.isSet(name),
    isTerminal: (descriptor) => descriptorOf(streams, descriptor) instanceof Terminal,
  };
}
