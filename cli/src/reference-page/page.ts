import type { Command } from '../command/command.js';
import { optionText, optionUsage, usageOf } from '../command/help.js';
import { STATUS_TEXTS } from '../output/failure.js';

/** The lines of docs/cli.md between which generated text stands. */
const BEGIN = (name: string): string => `<!-- ${name}: made by "npm run cli:page" -->`;
const END = '<!-- end -->';

/** Returns the page with its generated parts as the table of commands has them. Throws where the page has no place for a part. */
export function withParts(page: string, commands: readonly Command[]): string {
  const run = commands.find(({ name }) => name === 'run');
  const parts = {
    commands: commandTables(commands),
    statuses: statusTable(),
    'run-options': optionTable(run?.options ?? {}),
  };
  return Object.entries(parts).reduce((text, [name, part]) => withPart(text, name, part), page);
}

function withPart(page: string, name: string, part: string): string {
  const begin = page.indexOf(BEGIN(name));
  const end = page.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error(`docs/cli.md has no place for ${name}: ${BEGIN(name)} … ${END}`);
  return `${page.slice(0, begin)}${BEGIN(name)}\n\n${part}\n\n${page.slice(end)}`;
}

function commandTables(commands: readonly Command[]): string {
  return [...new Set(commands.map(({ section }) => section))]
    .map((section) => {
      const rows = commands
        .filter((command) => command.section === section)
        .map((command) => `| ${code(usageOf(command))} | ${cell(command.about)}. | ${code(command.example)} |`);
      return `### ${section}\n\n| Command | What it does | Example |\n|---|---|---|\n${rows.join('\n')}`;
    })
    .join('\n\n');
}

function statusTable(): string {
  const rows = STATUS_TEXTS.map(([status, meaning]) => `| ${status} | ${meaning} |`);
  return `| Status | Meaning |\n|---|---|\n${rows.join('\n')}`;
}

function optionTable(options: Command['options']): string {
  const rows = Object.entries(options).map(
    ([name, option]) => `| ${code(optionUsage(name, option))} | ${cell(optionText(option))}. |`,
  );
  return `| Option | What it does |\n|---|---|\n${rows.join('\n')}`;
}

function code(text: string): string {
  return `\`${cell(text)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
