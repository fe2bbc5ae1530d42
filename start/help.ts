import { readFileSync } from 'node:fs';

const README = new URL('../../README.md', import.meta.url);

/** The help of `npm start`. Its settings are the README's table, so that there is one list of them. */
export function help(readme = readFileSync(README, 'utf8')): string {
  const rows = [...readme.matchAll(/^\| (`[A-Z][^|]*) \| ([^|]*) \| ([^|]*) \|$/gm)];
  const settings = rows.map(([, names = '', fallback = '', meaning = '']) =>
    [`  ${plain(names)}   (${plain(fallback).replace(/^\((.*)\)$/, '$1')})`, `      ${plain(meaning)}`].join('\n'),
  );
  return `Usage: npm start

Starts the whole service on this machine, with its data in ./data. It takes no arguments: each setting is an environment variable,
as in  PORT=9000 DATA_DIR=/var/lib/cloudphone npm start . Names, defaults in brackets, and meanings:

${settings.join('\n')}

While it runs:  npm run --silent admin -- --help
`;
}

function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
