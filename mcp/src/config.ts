import { parseArgs } from 'node:util';

/** The settings of the server, from the command line and the environment. */
export interface Config {
  /** Base URL of the service, with /v1. */
  url: string;
  /** The key for stdio. Over HTTP each session brings its own. */
  key: string | undefined;
  /** The device that is used when a call names none. */
  device: string | undefined;
  /** Absent: the server runs over standard input and output. */
  http: HttpConfig | undefined;
}

export interface HttpConfig {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Host names, besides those of loopback, under which clients reach the server. */
  hosts: readonly string[];
  /** Origins of web pages that may use the server. Other origins are refused. */
  origins: readonly string[];
}

export const HELP = `Lets AI agents see and use the phones of a cloud phone service, by MCP.

  cloudphone-mcp            over standard input and output, as agent hosts start it
  cloudphone-mcp --http     over streamable HTTP at http://127.0.0.1:3399/mcp; clients send Authorization: Bearer <API key>

  --port N                  port for --http; 0 picks a free one. Default: 3399
  --host ADDRESS            address for --http. Default: 127.0.0.1. Keys cross it unencrypted: put TLS in front of any other
  --allow-host NAME         another host name under which clients reach it; can be repeated
  --allow-origin ORIGIN     a web page that may use it, such as https://agents.example.com; can be repeated
  --help                    print this

  CLOUDPHONE_URL            base URL of the service, with /v1
  CLOUDPHONE_KEY            API key, for standard input and output
  CLOUDPHONE_DEVICE         name of the device that is used when a call names none (optional)
`;

/** Reads the settings. Undefined: help was requested. Throws an error of one line that names the fault. */
export function readConfig(words: readonly string[], environment: NodeJS.ProcessEnv): Config | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      http: { type: 'boolean' },
      port: { type: 'string', default: '3399' },
      host: { type: 'string', default: '127.0.0.1' },
      'allow-host': { type: 'string', multiple: true, default: [] },
      'allow-origin': { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return undefined;
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) throw new Error('--port is not a port number.');
  const key = given(environment['CLOUDPHONE_KEY']);
  if (values.http !== true && key === undefined) throw new Error('CLOUDPHONE_KEY is not set. Set it to an API key.');
  const hosts = values['allow-host'];
  const origins = values['allow-origin'].map((origin) => new URL(origin).origin);
  const http = { host: values.host, port: Number(values.port), hosts, origins };
  return {
    url: baseUrlOf(given(environment['CLOUDPHONE_URL'])),
    key,
    device: given(environment['CLOUDPHONE_DEVICE']),
    http: values.http === true ? http : undefined,
  };
}

function given(value: string | undefined): string | undefined {
  return value?.trim() === '' ? undefined : value?.trim();
}

function baseUrlOf(url: string | undefined): string {
  const example = 'such as http://127.0.0.1:8080/v1';
  if (url === undefined)
    throw new Error(`CLOUDPHONE_URL is not set. Set it to the base URL of the service, ${example}.`);
  if (!/^https?:\/\/\S+\/v1\/?$/.test(url)) {
    throw new Error(`CLOUDPHONE_URL is not the base URL of the service with /v1, ${example}.`);
  }
  return url;
}
