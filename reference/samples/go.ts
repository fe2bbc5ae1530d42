import { contentType } from './curl.js';
import { JSON_STYLE, literal } from './literal.js';
import { addressOf, type SampleRequest } from './request.js';

const FAIL = 'if err != nil {\n\tlog.Fatal(err)\n}\n';

/** How to send the request with the standard library of Go. */
export function goSample(request: SampleRequest): string {
  const { method, access, headers, body, result } = request;
  const type = contentType(request);
  const all = [
    ...(access === 'key' ? ['"Authorization", "Bearer "+os.Getenv("CLOUDPHONE_KEY")'] : []),
    ...(access === 'session' ? ['"Cookie", os.Getenv("CLOUDPHONE_COOKIE")'] : []),
    ...Object.entries({
      ...headers,
      ...(type !== undefined && { 'Content-Type': type }),
      ...(result.kind === 'socket' && HANDSHAKE),
    }).map(([name, value]) => `${JSON.stringify(name)}, ${JSON.stringify(value)}`),
  ];
  const sent = {
    none: ['', 'nil'],
    json: [`body := strings.NewReader(${body.kind === 'json' ? text(literal(body.value, JSON_STYLE)) : ''})\n`, 'body'],
    file: [
      `body, err := os.Open(${JSON.stringify(body.kind === 'file' ? body.name : '')})\n${FAIL}defer body.Close()\n`,
      'body',
    ],
  }[body.kind];
  const code = `${sent[0] ?? ''}request, err := http.NewRequest("${method}", os.Getenv("CLOUDPHONE_URL")+${JSON.stringify(addressOf(request))}, ${sent[1] ?? ''})
${FAIL}${all.map((one) => `request.Header.Set(${one})\n`).join('')}response, err := http.DefaultClient.Do(request)
${FAIL}defer response.Body.Close()
${resultOf(request)}`;
  const packages = ['fmt', 'io', 'log', 'net/http', 'os', 'strings'].filter((name) =>
    code.includes(`${name.split('/').at(-1) ?? ''}.`),
  );
  return `package main

import (
${packages.map((name) => `\t"${name}"\n`).join('')})

func main() {
${tabbed(code)}}
`;
}

/** The headers of the WebSocket handshake. Plain HTTP suffices for the handshake, but a library is needed to read the messages after it. */
const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

function resultOf({ result }: SampleRequest): string {
  switch (result.kind) {
    case 'events':
      return `_, err = io.Copy(os.Stdout, response.Body)\n${FAIL}`;
    case 'file':
      return `if response.StatusCode != http.StatusOK {
\tlog.Fatal(response.Status)
}
file, err := os.Create(${JSON.stringify(result.name)})
${FAIL}defer file.Close()
_, err = io.Copy(file, response.Body)
${FAIL}`;
    case 'socket':
      return `// The messages come as frames of the WebSocket; a library for WebSockets reads them.
first := make([]byte, 4096)
n, err := response.Body.Read(first)
${FAIL}fmt.Printf("%s, then %q\\n", response.Status, first[:n])
`;
    case 'none':
      return 'fmt.Println(response.Status)\n';
    case 'json':
      return `content, err := io.ReadAll(response.Body)
${FAIL}fmt.Println(response.Status, ${result.hasCookie ? 'response.Header.Get("Set-Cookie"), ' : ''}string(content))
`;
  }
}

/** Returns a string literal of Go. The text may have several lines. */
function text(value: string): string {
  return value.includes('`') ? JSON.stringify(value) : `\`${value}\``;
}

/** Indents code, but not the further lines of a string literal in it. */
function tabbed(code: string): string {
  let isInText = false;
  return code
    .split('\n')
    .map((line) => {
      const shown = isInText || line === '' ? line : `\t${line}`;
      if ((line.split('`').length - 1) % 2 === 1) isInText = !isInText;
      return shown;
    })
    .join('\n');
}
