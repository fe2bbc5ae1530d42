import type { Command, Option, WordKind } from './command.js';
import { GLOBAL_OPTIONS } from './global-options.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Prints the names of the phones, one a line, for completion. Errors and slow services complete nothing. */
const NAMES = 'cloudphone list --names 2>/dev/null';

/** Returns the script that has a shell complete commands, options, and the names of phones. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  if (shell === 'fish') return fishScript(commands);
  // zsh runs scripts of bash by bashcompinit.
  const start = shell === 'zsh' ? '#compdef cloudphone\nautoload -U +X bashcompinit && bashcompinit\n' : '';
  return start + bashScript(commands);
}

function bashScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const words = optionsOf(command).flatMap(([name, { short }]) => [
      `--${name}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ]);
    return `    '${command.name}') options='${words.join(' ')}'; kinds='${kindsOf(command).join(' ')}${command.arguments.at(-1)?.isMany === true ? '+' : ''}' ;;`;
  });
  const values = new Map<string, string>();
  for (const [name, option] of commands.flatMap(optionsOf))
    if (option.value !== undefined) values.set(`--${name}`, bashCandidates(option));
  const valueCases = [...values].map(([option, candidates]) => `    ${option}) ${candidates}; return ;;`);
  return `# Completion of cloudphone for bash: put 'source <(cloudphone completion bash)' into ~/.bashrc
_cloudphone() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} options='' kinds='' kind='' at
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '${firstWords(commands).join(' ')} --help --version' -- "$word"))
    return
  fi
  local command=\${COMP_WORDS[1]} first=2
  if [ "$COMP_CWORD" = 2 ]; then
    case $command in
${nextWordCases(commands).join('\n')}
    esac
  else
    case "$command \${COMP_WORDS[2]}" in
      ${longNames(commands).map(quoted).join(' | ')}) command="$command \${COMP_WORDS[2]}"; first=3 ;;
    esac
  fi
  case $before in
${valueCases.join('\n')}
  esac
  case $command in
${cases.join('\n')}
  esac
  case $word in -*) COMPREPLY=($(compgen -W "$options" -- "$word")); return ;; esac
  local place=0
  for ((at = first; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in -*) ;; *) place=$((place + 1)) ;; esac
  done
  # The last kind, where it has a +, is that of all words that follow.
  set -- $kinds
  [ "$place" -lt "$#" ] && shift "$place" || { shift $(($# > 0 ? $# - 1 : 0)); case \${1-} in *+) ;; *) set -- ;; esac; }
  kind=\${1-}
  case \${kind%+} in
    device) COMPREPLY+=($(compgen -W "$(${NAMES})" -- "$word")) ;;
    command) COMPREPLY=($(compgen -W '${firstWords(commands).join(' ')}' -- "$word")) ;;
    file) COMPREPLY=($(compgen -f -- "$word")) ;;
    directory) COMPREPLY=($(compgen -d -- "$word")) ;;
    shell) COMPREPLY=($(compgen -W '${SHELLS.join(' ')}' -- "$word")) ;;
  esac
}
complete -o filenames -o bashdefault -F _cloudphone cloudphone
`;
}

/** Returns the names of two words, such as `pool put`. */
function longNames(commands: readonly Command[]): string[] {
  return commands.map(({ name }) => name).filter((name) => name.includes(' '));
}

/** Returns the words that commands begin with, each once. */
function firstWords(commands: readonly Command[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
}

/** Returns the lines that complete the second word of names of two words. */
function nextWordCases(commands: readonly Command[]): string[] {
  const names = longNames(commands).map((name) => name.split(' '));
  return [...new Set(names.map(([first]) => first))].map((first) => {
    const words = names.filter(([one]) => one === first).map(([, second]) => second);
    return `      ${first}) COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word")) ;;`;
  });
}

function bashCandidates({ words, kind }: Option): string {
  if (words !== undefined) return `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word"))`;
  if (kind === 'device') return `COMPREPLY=($(compgen -W "$(${NAMES})" -- "$word"))`;
  if (kind === 'file') return 'COMPREPLY=($(compgen -f -- "$word"))';
  return kind === 'directory' ? 'COMPREPLY=($(compgen -d -- "$word"))' : ':';
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const [first = '', second] = command.name.split(' ');
    const seen = command.name
      .split(' ')
      .map((one) => `__fish_seen_subcommand_from ${one}`)
      .join('; and ');
    return [
      second === undefined
        ? `complete -c cloudphone -n __fish_use_subcommand -a ${first} -d ${quoted(command.about)}`
        : `complete -c cloudphone -n '__fish_seen_subcommand_from ${first}' -a ${second} -d ${quoted(command.about)}`,
      ...(second === undefined ? [] : [`complete -c cloudphone -n __fish_use_subcommand -a ${first}`]),
      ...optionsOf(command).map(([name, option]) => fishOption(seen, name, option)),
      ...kindsOf(command)
        .flatMap((kind) => fishWords(kind, commands))
        .map((words) => `complete -c cloudphone -n '${seen}' ${words}`),
    ];
  });
  return `# Completion of cloudphone for fish: cloudphone completion fish > ~/.config/fish/completions/cloudphone.fish
complete -c cloudphone -f
${[...new Set(lines)].join('\n')}
`;
}

function fishOption(seen: string, name: string, { value, short, words, kind, about }: Option): string {
  const takes = value === undefined ? '' : kind === 'file' || kind === 'directory' ? ' -r -F' : ' -r';
  const candidates =
    words === undefined ? (kind === 'device' ? ` -a '(${NAMES})'` : '') : ` -a ${quoted(words.join(' '))}`;
  return `complete -c cloudphone -n '${seen}' -l ${name}${short === undefined ? '' : ` -s ${short}`}${takes}${candidates} -d ${quoted(about)}`;
}

function fishWords(kind: Kind, commands: readonly Command[]): string[] {
  if (kind === 'device') return [`-a '(${NAMES})'`];
  if (kind === 'shell') return [`-a '${SHELLS.join(' ')}'`];
  if (kind === 'command') return [`-a '${firstWords(commands).join(' ')}'`];
  return kind === 'text' ? [] : ['-F'];
}

type Kind = WordKind | 'shell';

function kindsOf({ name, arguments: words }: Command): Kind[] {
  return name === 'completion' ? ['shell'] : words.map(({ kind }) => kind);
}

function optionsOf({ options }: Command): [string, Option][] {
  return Object.entries({ ...options, ...GLOBAL_OPTIONS });
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
