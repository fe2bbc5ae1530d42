import { namesRead } from '../kit/config/names-read.js';
import { SETTING_GROUPS } from '../kit/config/setting-list/setting-list.js';
import { readStartConfig } from './config.js';

/** Returns the help of `npm start`: the settings that it reads, with the texts from which docs/settings.md is made. */
export function help(): string {
  const read = namesRead((environment) => readStartConfig(environment, false));
  const groups = SETTING_GROUPS.map(({ title, settings }) => ({
    title,
    settings: settings.filter(({ name }) => read.has(name)),
  })).filter(({ settings }) => settings.length > 0);
  const texts = groups.map(({ title, settings }) =>
    [
      `${title}\n`,
      ...settings.flatMap(({ name, hasFile, fallback, meaning }) => [
        `  ${name}${hasFile === true ? `, ${name}_FILE` : ''}   (${plain(fallback).replace(/^\((.*)\)$/, '$1')})`,
        `      ${plain(meaning)}`,
      ]),
    ].join('\n'),
  );
  return `Usage: npm start

Starts the whole service on this machine, with its data in ./data. It takes no arguments: each setting is an environment variable,
as in  PORT=9000 DATA_DIR=/var/lib/cloudphone npm start . Names, defaults in brackets, and meanings:

${texts.join('\n\n')}

While it runs:  npm run --silent admin -- --help
`;
}

function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
