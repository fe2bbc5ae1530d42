import { STATUS_TEXTS } from '../output/failure.js';
import type { Command, Option } from './command.js';
import { GLOBAL_OPTIONS } from './global-options.js';

/** Longest line of a help, characters. */
const MAX_LINE_CHARS = 160;

/** Returns the first line of a command's help: its words and options. */
export function usageOf({ name, arguments: words, options, foreign }: Command): string {
  const shown = words.map((word) => {
    const text = word.isMany === true ? `${word.name}…` : word.name;
    return word.isOptional === true ? `[${text}]` : text;
  });
  return [
    `cloudphone ${name}`,
    // Options come before words of another program, which may have the same options.
    ...(foreign === 'after-name' && Object.keys(options).length > 0 ? ['[OPTIONS]'] : []),
    ...shown,
    ...(foreign === 'after-name' ? ['[COMMAND…]'] : []),
    ...(foreign !== 'after-name' && Object.keys(options).length > 0 ? ['[OPTIONS]'] : []),
    ...(foreign === 'after-dashes' ? ['-- COMMAND…'] : []),
  ].join(' ');
}

/** Returns the help of one command. */
export function helpOf(command: Command): string {
  return `${command.about}.

  ${usageOf(command)}

${optionLines({ ...command.options, ...GLOBAL_OPTIONS })}

Example:

  ${command.example}
`;
}

/** Returns the help of the program: all commands, by section. */
export function helpOfAll(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const sections = [...new Set(commands.map(({ section }) => section))].map((section) => {
    const lines = commands
      .filter((command) => command.section === section)
      .map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
    return `${section}\n${lines.join('\n')}`;
  });
  return `Phones of a cloud phone service, from a terminal and from CI.

  cloudphone COMMAND [WORDS] [OPTIONS]
  cloudphone COMMAND --help     options and an example

${sections.join('\n\n')}

Every command has:
${optionLines(GLOBAL_OPTIONS)}

The service and the key come from "cloudphone login", or from CLOUDPHONE_URL and CLOUDPHONE_KEY, which win.

Exit statuses: 0, and
${STATUS_TEXTS.map(([status, meaning]) => `  ${String(status).padStart(3)}  ${meaning}`).join('\n')}
`;
}

/** Returns the left column of an option's line. */
export function optionUsage(name: string, { value, short }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** Returns what an option does, with the words that it takes. */
export function optionText({ about, words, isMany }: Option): string {
  return `${about}${words === undefined ? '' : ` (${words.join(', ')})`}${isMany === true ? '; can be repeated' : ''}`;
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([name, option]) => [optionUsage(name, option), option] as const);
  const width = Math.max(...rows.map(([usage]) => usage.length));
  const indent = ' '.repeat(width + 4);
  return rows
    .map(([usage, option]) => `  ${usage.padEnd(width)}  ${brokenLines(optionText(option), indent)}`)
    .join('\n');
}

/** Breaks a text that is too long for one line between its words. */
function brokenLines(text: string, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > MAX_LINE_CHARS) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}
