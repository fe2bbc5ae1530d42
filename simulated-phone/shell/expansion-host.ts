import { PhoneFileError } from '../files/file-error.js';
import type { Reservation } from '../memory/memory-budget.js';
import type { ExpansionHost } from './expand-word.js';
import type { Node, Redirect } from './grammar/syntax-tree.js';
import type { InnerShell } from './inner-shell.js';
import { Gathered, readAll } from '../streams/pipe.js';
import type { Streams } from './redirect.js';
import { withRedirects } from './with-redirects.js';

/** Returns the means by which the words of a command are expanded: variables, the output of commands, the names in folders. */
export function expansionHostOf(shell: InnerShell, streams: Streams, signal: AbortSignal): ExpansionHost {
  return {
    state: shell.state,
    substitute: (body) => substitute(shell, body, streams, signal),
    listFolder: async (path) => {
      try {
        return (await shell.machine.shellFiles.list(path)).map((entry) => entry.name);
      } catch (error) {
        if (error instanceof PhoneFileError) return [];
        throw error;
      }
    },
  };
}

/** Expands `$(...)`. */
async function substitute(shell: InnerShell, body: Node, streams: Streams, signal: AbortSignal): Promise<string> {
  const memory = shell.machine.memory.reserve();
  try {
    const file = redirectAlone(body);
    if (file) return await fileText(shell, file, streams, memory);
    const gathered = new Gathered(undefined, memory);
    const status = await shell.subshell(body, { ...streams, stdout: gathered }, signal);
    shell.substituted = shell.state.lastStatus = status;
    return gathered.text();
  } finally {
    memory.release();
  }
}

/** Expands `$(<file)`. */
async function fileText(shell: InnerShell, redirect: Redirect, streams: Streams, memory: Reservation): Promise<string> {
  let text = '';
  const status = await withRedirects(shell, [redirect], streams, async (inner) => {
    text = (await readAll(inner.stdin, memory)).toString('utf8');
    return 0;
  });
  shell.substituted = shell.state.lastStatus = status;
  return text;
}

/** Returns the redirect of a body that is only `< file`. */
function redirectAlone(body: Node): Redirect | undefined {
  const [item, ...others] = body.type === 'list' ? body.items : [];
  if (others.length > 0 || item?.node.type !== 'command') return undefined;
  const { words, assignments, redirects } = item.node;
  const [redirect] = redirects;
  const isAlone = words.length + assignments.length === 0 && redirects.length === 1;
  return isAlone && redirect?.operator === '<' ? redirect : undefined;
}
