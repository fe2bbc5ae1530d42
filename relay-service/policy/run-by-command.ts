// Finds the command or script that a shell command runs in turn.

/** Returns the script in the arguments of a command such as `eval` or `sh -c`; undefined for commands that run no script. */
export function nestedScript(command: string, args: readonly string[]): string | undefined {
  if (command === 'eval' || command === 'trap') return args.join(' ');
  if (command === 'find') {
    const exec = args.findIndex((word) => /^-(exec|execdir|ok)$/.test(word));
    return exec < 0 ? undefined : args.slice(exec + 1).join(' ');
  }
  const option = /^(sh|bash|mksh|ash)$/.test(command) ? args.findIndex((word) => /^-[a-z]*c[a-z]*$/.test(word)) : -1;
  return option < 0 ? undefined : args.find((word, at) => at > option && !word.startsWith('-'));
}

/** Commands that run the command after them; `command -v su` only searches for it. */
const WRAPPER =
  /^(builtin|busybox|chrt|command|env|exec|ionice|logwrapper|nice|nohup|run-as|setsid|taskset|time|timeout|toolbox|toybox|watch|xargs)$/;

/** A wrapper's options and numbers, `env`'s assignments, and the package of `run-as`. */
const WRAPPER_ARGUMENT = /^(-.*|[\d.]+[smhd]?|\w+=.*|\{\}|\w+(\.\w+)+)$/s;

/** Removes the wrappers. Returns the name of the command that is run in the end, without its path, and its arguments. */
export function withoutWrappers(words: readonly string[]): string[] {
  let at = 0;
  while (WRAPPER.test(baseName(words[at])) && !/^-[vV]/.test(words[at + 1] ?? '')) {
    at++;
    while (WRAPPER_ARGUMENT.test(words[at] ?? '')) at++;
  }
  return [baseName(words[at]), ...words.slice(at + 1)];
}

/** Returns the name of a program without its folder: `reboot` for `/system/bin/reboot`. */
function baseName(word = ''): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
