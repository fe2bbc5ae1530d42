import { join, resolve } from 'node:path';
import { QUICKSTART, type Quickstart } from './quickstart.js';

const ADMIN = 'npm run --silent admin --';

/**
 * Formats the addresses of a running service. `showSecrets`: the text has the first account's password and key, where they are known. It
 * must be false for an output that may be stored, such as a log.
 */
export function welcome(quickstart: Quickstart, dataDirectory: string, showSecrets: boolean): string {
  const { base_url, panel_url, grpc, ops_url, status_url, video, model } = quickstart;
  const create = model === undefined ? NO_MODEL : createLines(quickstart, model, dataDirectory);
  return `
  Panel         ${panel_url}
  Sign in       ${signInOf(quickstart, showSecrets)}
  REST API      ${base_url}
  API key       ${keyOf(quickstart, showSecrets)}
  gRPC          device ${grpc.device}   screen ${grpc.screen}
                relay ${grpc.relay}   webhook ${grpc.webhook}
  Live screens  ${video === true ? 'video' : 'pictures; video halves the time from a touch to its picture: npm run fetch-scrcpy'}
  Metrics       ${ops_url}/metrics   (also /livez, /readyz)
  Status page   ${status_url}
  Data          ${dataDirectory}   (addresses: ${QUICKSTART})

${create}`;
}

/** Returns the command that prints the addresses of the data folder again. */
export function seeAgain(dataDirectory: string): string {
  const isDefault = resolve(dataDirectory) === resolve('./data');
  return `${isDefault ? '' : `DATA_DIR=${JSON.stringify(dataDirectory)} `}${ADMIN} info`;
}

const NO_MODEL = `Create a phone: this host offers no model now. The reasons: ${ADMIN} host list\n\n`;

function createLines(quickstart: Quickstart, model: string, dataDirectory: string): string {
  return `Create a phone${quickstart.api_key === undefined ? ', with an API key in CLOUDPHONE_KEY' : ''}:

  export CLOUDPHONE_URL=${quickstart.base_url}
${keyLine(quickstart, dataDirectory)}  curl -X POST "$CLOUDPHONE_URL/devices" \\
    -H "Authorization: Bearer $CLOUDPHONE_KEY" -H "Content-Type: application/json" \\
    -d '{"model": "${model}", "network": {"type": "direct", "country": "us"}, "plan": "minute"}'

`;
}

function signInOf({ email, password }: Quickstart, showSecrets: boolean): string {
  if (email === undefined) return `with your account; a lost password: ${ADMIN} account password --email …`;
  if (password === undefined) return `${email}; a lost password: ${ADMIN} account password --email ${email}`;
  return `${email}, password ${showSecrets ? password : `in ${QUICKSTART}`}`;
}

function keyOf({ api_key: key }: Quickstart, showSecrets: boolean): string {
  if (key === undefined) return `of the panel, or: ${ADMIN} key create --help`;
  return showSecrets ? key : `in ${QUICKSTART}`;
}

function keyLine({ api_key: key }: Quickstart, dataDirectory: string): string {
  if (key === undefined) return '';
  return `  export CLOUDPHONE_KEY=$(node -p 'require(${JSON.stringify(join(dataDirectory, QUICKSTART))}).api_key')\n`;
}
