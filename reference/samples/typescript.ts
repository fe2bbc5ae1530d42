import { contentType } from './curl.js';
import { indented, literal, SCRIPT_STYLE, scriptText } from './literal.js';
import { addressOf, EVENTS, type SampleRequest } from './request.js';

/** Returns TypeScript code that sends the request. It uses this project's client, or `fetch` or `ws` where the client cannot. */
export function typescriptSample(request: SampleRequest): string {
  const { access, body, method, result } = request;
  if (result.kind === 'socket') return socketSample(request);
  if (access !== 'key' || body.kind === 'file' || method === 'PUT') return fetchSample(request);
  if (result.kind !== 'events') return clientSample(request);
  return request.template === EVENTS ? eventsSample(request) : streamSample(request);
}

const CLIENT = "import { CloudPhone } from '@cloudphone/client';\n";
const NEW_CLIENT =
  "const { CLOUDPHONE_URL = '', CLOUDPHONE_KEY = '' } = process.env;\n" +
  'const client = new CloudPhone({ url: CLOUDPHONE_URL, key: CLOUDPHONE_KEY });\n';

function clientSample({ method, template, pathValues, query, headers, body, result }: SampleRequest): string {
  const params = present({ path: pathValues, query, header: headers });
  const init = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(body.kind === 'json' && { body: body.value }),
    ...(result.kind === 'file' && { parseAs: 'arrayBuffer' }),
  };
  const start = `client.${method.toLowerCase()}(${scriptText(template)}`;
  const options =
    Object.keys(init).length === 0 ? '' : `, ${literal(init, SCRIPT_STYLE, `const result = await ${start}, );`)}`;
  const call = `await ${start}${options})`;
  if (result.kind === 'file') {
    const write = `await writeFile(${scriptText(result.name)}, Buffer.from(content));`;
    return `import { writeFile } from 'node:fs/promises';\n${CLIENT}\n${NEW_CLIENT}\nconst content = ${call};\n${write}\n`;
  }
  if (result.kind === 'none') return `${CLIENT}\n${NEW_CLIENT}\n${call};\n`;
  const isJob = result.kind === 'json' && result.isJob;
  const use = isJob ? 'const { job } =' : 'const result =';
  return `${CLIENT}\n${NEW_CLIENT}\n${use} ${call};\n${isJob ? 'console.log(await client.waitForJob(job));' : 'console.log(result);'}\n`;
}

function eventsSample({ query }: SampleRequest): string {
  const options = literal(query, SCRIPT_STYLE);
  return `${CLIENT}\n${NEW_CLIENT}\nfor await (const event of client.events(${options})) {\n  console.log(event);\n}\n`;
}

function fetchSample(request: SampleRequest): string {
  const { method, access, headers, body, result } = request;
  const type = contentType(request);
  const secret = { key: 'CLOUDPHONE_KEY', session: 'CLOUDPHONE_COOKIE', anyone: undefined }[access];
  const names = ['CLOUDPHONE_URL', ...(secret === undefined ? [] : [secret])].map((name) => `${name} = ''`);
  const all = [
    ...(access === 'key' ? ['authorization: `Bearer ${CLOUDPHONE_KEY}`'] : []),
    ...(access === 'session' ? ['cookie: CLOUDPHONE_COOKIE'] : []),
    ...Object.entries({ ...headers, ...(type !== undefined && { 'content-type': type }) }).map(
      ([name, value]) => `${scriptText(name)}: ${scriptText(value)}`,
    ),
  ];
  const init = [
    ...(method === 'GET' ? [] : [`method: ${scriptText(method)}`]),
    ...(all.length === 0 ? [] : [`headers: { ${all.join(', ')} }`]),
    ...(body.kind === 'json' ? [`body: JSON.stringify(${indented(literal(body.value, SCRIPT_STYLE), '  ')})`] : []),
    ...(body.kind === 'file' ? [`body: await openAsBlob(${scriptText(body.name)})`] : []),
  ];
  const address = `\`\${CLOUDPHONE_URL}${addressOf(request)}\``;
  const options = init.length === 0 ? '' : `, {\n${init.map((line) => `  ${line},\n`).join('')}}`;
  return `${body.kind === 'file' ? "import { openAsBlob } from 'node:fs';\n\n" : ''}const { ${names.join(', ')} } = process.env;

const response = await fetch(${address}${options});
if (!response.ok) throw new Error(await response.text());
${result.kind === 'json' ? `console.log(${result.hasCookie ? "response.headers.get('set-cookie'), " : ''}await response.json());\n` : ''}`;
}

/** Prints a stream as it comes. */
function streamSample(request: SampleRequest): string {
  return `const { CLOUDPHONE_URL = '', CLOUDPHONE_KEY = '' } = process.env;

const response = await fetch(\`\${CLOUDPHONE_URL}${addressOf(request)}\`, {
  headers: { authorization: \`Bearer \${CLOUDPHONE_KEY}\` },
});
if (!response.ok || response.body === null) throw new Error(await response.text());
for await (const text of response.body.pipeThrough(new TextDecoderStream())) process.stdout.write(text);
`;
}

function socketSample(request: SampleRequest): string {
  return `import { WebSocket } from 'ws';

const { CLOUDPHONE_URL = '', CLOUDPHONE_KEY = '' } = process.env;
const address = \`\${CLOUDPHONE_URL.replace('http', 'ws')}${addressOf(request)}\`;
const socket = new WebSocket(address, { headers: { authorization: \`Bearer \${CLOUDPHONE_KEY}\` } });
socket.on('message', (data: Buffer, isBinary) => {
  console.log(isBinary ? \`frame \${data.readUInt32BE(0)}, \${data.length - 8} bytes\` : data.toString());
});
`;
}

function present(groups: Record<string, object>): Record<string, object> {
  return Object.fromEntries(Object.entries(groups).filter(([, values]) => Object.keys(values).length > 0));
}
