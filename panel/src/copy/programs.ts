import type { CopiedRequest } from '../api/copied-request.ts';

/** The languages that a request can be copied in. */
export const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * Writes a request as a program that runs as it stands, behind the first lines of the guides: they put the address, with /v1, and the key into
 * CLOUDPHONE_URL and CLOUDPHONE_KEY, so that no key is ever part of the text. `file`: where the response is saved. Absent: it is JSON, and printed.
 */
export function programOf(language: Language, request: CopiedRequest, file?: string): string {
  switch (language) {
    case 'curl':
      return curlOf(request, file);
    case 'TypeScript':
      return typeScriptOf(request, file);
    case 'Python':
      return pythonOf(request, file);
  }
}

function curlOf({ method, path, body, headers }: CopiedRequest, file: string | undefined): string {
  const url = path.replace(/^\/v1/, '').replace(/[$`"\\]/g, '\\$&');
  const all = { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  return [
    `curl --fail-with-body -X ${method} "$CLOUDPHONE_URL${url}"`,
    '-H "Authorization: Bearer $CLOUDPHONE_KEY"',
    ...Object.entries(all).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
    ...(file === undefined ? [] : [`--output ${quoted(file)}`]),
  ].join(' \\\n  ');
}

/** In single quotes a shell changes nothing. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function typeScriptOf({ method, path, body, headers }: CopiedRequest, file: string | undefined): string {
  const options = {
    ...(body !== undefined && { body }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
  const more = Object.keys(options).length === 0 ? '' : `, ${JSON.stringify(options, null, 2)}`;
  return [
    "import { CloudPhone } from '@cloudphone/client';",
    ...(file === undefined ? [] : ["import { writeFile } from 'node:fs/promises';"]),
    '',
    'const { CLOUDPHONE_URL: url = "", CLOUDPHONE_KEY: key = "" } = process.env;',
    'const client = new CloudPhone({ url, key });',
    `const response = await client.request("${method}", ${JSON.stringify(path)}${more});`,
    file === undefined
      ? 'console.log(await response.json());'
      : `await writeFile(${JSON.stringify(file)}, Buffer.from(await response.arrayBuffer()));`,
  ].join('\n');
}

function pythonOf({ method, path, body, headers }: CopiedRequest, file: string | undefined): string {
  const parts = [
    JSON.stringify(method),
    JSON.stringify(path),
    ...(body === undefined ? [] : [`body=${pythonValue(body)}`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers=${pythonValue(headers)}`]),
  ];
  return [
    'import os',
    ...(file === undefined ? [] : ['import pathlib']),
    '',
    'from cloudphone import CloudPhone',
    '',
    'with CloudPhone(os.environ["CLOUDPHONE_URL"], os.environ["CLOUDPHONE_KEY"]) as cloud:',
    `    response = cloud.request(${parts.join(', ')})`,
    file === undefined
      ? '    print(response.json())'
      : `    pathlib.Path(${JSON.stringify(file)}).write_bytes(response.content)`,
  ].join('\n');
}

/** JSON as Python writes it: texts and numbers are the same in both. */
function pythonValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member)}`);
    return `{${members.join(', ')}}`;
  }
  if (value === null) return 'None';
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
}
