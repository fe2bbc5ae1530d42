import { contentType } from './curl.js';
import { indented, literal, PYTHON_STYLE } from './literal.js';
import { addressOf, EVENTS, type SampleRequest } from './request.js';

/**
 * Returns code that sends the request in Python. It uses the package of this project, or the standard library for a request that the
 * package cannot send. Live streams use the package `websockets`.
 */
export function pythonSample(request: SampleRequest): string {
  const { access, body, result } = request;
  if (result.kind === 'socket') return socketSample(request);
  const hasMethod = result.kind !== 'events' || request.template === EVENTS;
  return access !== 'key' || body.kind === 'file' || !hasMethod ? urllibSample(request) : packageSample(request);
}

const OPEN = 'with CloudPhone(os.environ["CLOUDPHONE_URL"], os.environ["CLOUDPHONE_KEY"]) as cloud:\n';

function packageSample(request: SampleRequest): string {
  const { result } = request;
  const model = modelOf(request);
  const path = result.kind === 'file' ? 'from pathlib import Path\n' : '';
  const models = model === undefined ? '' : ', models';
  const lines = result.kind === 'events' ? eventLines(request) : callLines(request, model);
  return `import os\n${path}\nfrom cloudphone import CloudPhone${models}\n\n${OPEN}    ${indented(lines.join('\n'), '    ')}\n`;
}

function eventLines({ query }: SampleRequest): string[] {
  const { types, ...rest } = query;
  const more = Object.entries(rest).map(([name, value]) => `, ${name}=${literal(value, PYTHON_STYLE)}`);
  const loop = `for event in cloud.events(${literal(types ?? [], PYTHON_STYLE)}${more.join('')}):`;
  return [loop, '    print(event.ts, event.event, event.phone)'];
}

function callLines(request: SampleRequest, model: string | undefined): string[] {
  const { result } = request;
  const call = callOf(request, model);
  if (result.kind === 'none') return [call];
  if (result.kind === 'file') {
    return [`response = ${call}`, `Path(${JSON.stringify(result.name)}).write_bytes(response.content)`];
  }
  if (model === undefined) return [`print(${call}.json())`];
  const isJob = result.kind === 'json' && result.isJob;
  return [`result = ${call}`, isJob ? 'print(cloud.wait_for_job(result.job))' : 'print(result)'];
}

function callOf({ method, path, query, headers, body }: SampleRequest, model: string | undefined): string {
  const target = JSON.stringify(`/v1${path}`);
  const key = headers['Idempotency-Key'];
  const name = model === undefined && body.kind === 'json' ? 'body=' : '';
  const sent = [
    ...(body.kind === 'json' ? [name + literal(body.value, PYTHON_STYLE)] : []),
    ...(Object.keys(query).length === 0 ? [] : [`query=${literal(query, PYTHON_STYLE)}`]),
    ...(key === undefined ? [] : [keyArgument(key, model)]),
  ];
  return model === undefined
    ? argumentsOf('cloud.request', [JSON.stringify(method), target, ...sent])
    : argumentsOf(`cloud.${method.toLowerCase()}`, [target, `models.${model}`, ...sent]);
}

/**
 * Returns the argument for the key that lets a request be repeated. The methods that return a model have an argument of their own for it.
 */
function keyArgument(key: string, model: string | undefined): string {
  const text = JSON.stringify(key);
  return model === undefined ? `headers={"Idempotency-Key": ${text}}` : `idempotency_key=${text}`;
}

/** Returns the model of the response. Undefined where no method of the package returns it: only `get` takes both a query and a model. */
function modelOf({ method, query, result }: SampleRequest): string | undefined {
  return result.kind === 'json' && (method === 'GET' || Object.keys(query).length === 0) ? result.model : undefined;
}

/** A call on one line where it fits, else with one line for each argument. */
function argumentsOf(name: string, parts: readonly string[]): string {
  const line = `${name}(${parts.join(', ')})`;
  if (line.length <= PYTHON_STYLE.width && !line.includes('\n')) return line;
  return `${name}(\n${parts.map((part) => `    ${indented(part, '    ')},\n`).join('')})`;
}

function urllibSample(request: SampleRequest): string {
  const { method, access, headers, body, result } = request;
  const type = contentType(request);
  const all = [
    ...(access === 'key' ? ['"Authorization": f"Bearer {os.environ[\'CLOUDPHONE_KEY\']}"'] : []),
    ...(access === 'session' ? ['"Cookie": os.environ["CLOUDPHONE_COOKIE"]'] : []),
    ...Object.entries({ ...headers, ...(type !== undefined && { 'Content-Type': type }) }).map(
      ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
    ),
  ];
  const data =
    body.kind === 'json'
      ? [`data=json.dumps(${indented(literal(body.value, PYTHON_STYLE), '    ')}).encode()`]
      : body.kind === 'file'
        ? [`data=Path(${JSON.stringify(body.name)}).read_bytes()`]
        : [];
  const lines = [
    `os.environ["CLOUDPHONE_URL"] + ${JSON.stringify(addressOf(request))}`,
    `method=${JSON.stringify(method)}`,
    ...data,
    ...(all.length === 0 ? [] : [`headers={${all.join(', ')}}`]),
  ];
  const printed =
    result.kind === 'events'
      ? 'for line in response:\n        print(line.decode(), end="")'
      : result.kind !== 'json'
        ? 'print(response.status)'
        : `print(${result.hasCookie ? 'response.headers["Set-Cookie"], ' : ''}json.load(response))`;
  const needsJson = body.kind === 'json' || result.kind === 'json';
  const path = body.kind === 'file' ? 'from pathlib import Path\n' : '';
  return `${needsJson ? 'import json\n' : ''}import os
${path}from urllib.request import Request, urlopen

request = Request(
${lines.map((line) => `    ${line},\n`).join('')})
with urlopen(request) as response:
    ${printed}
`;
}

function socketSample(request: SampleRequest): string {
  return `import os

from websockets.sync.client import connect

address = os.environ["CLOUDPHONE_URL"].replace("http", "ws", 1) + ${JSON.stringify(addressOf(request))}
headers = {"Authorization": f"Bearer {os.environ['CLOUDPHONE_KEY']}"}
with connect(address, additional_headers=headers) as socket:
    for message in socket:
        print(message if isinstance(message, str) else f"{len(message)} bytes")
`;
}
