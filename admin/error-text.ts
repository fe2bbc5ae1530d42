import { Code, ConnectError } from '@connectrpc/connect';
import { ApiError } from '../kit/errors/api-error.js';

const ADMIN = 'npm run --silent admin --';

/** The commands that replace requests in error texts: the service writes its errors for customers, who send requests. */
const COMMANDS: readonly (readonly [request: RegExp, command: string])[] = [
  [/\/v1\/jobs/, 'job list'],
  [/\/v1\/keys/, 'key list --account …'],
  [/\/v1\/devices/, 'device list'],
  [/\/v1\/session/, 'account list'],
];

const REFUSED =
  'The service refused this command: it has another MESH_TOKEN, or another GRPC_TLS_CA. Set the same ones as the service has; ' +
  'without them, set DATA_DIR to its data folder, where the token is that it made for itself.';

/** Returns the text that the operator sees for anything that was thrown. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Commands call internal rpcs. These are refused with permission_denied only for a missing or wrong credential.
  const { cause } = error;
  const isForbidden = error instanceof ApiError && error.kind === 'forbidden';
  return !isForbidden && cause instanceof ConnectError && cause.code === Code.PermissionDenied
    ? REFUSED
    : errorText(error.message);
}

/** Returns an error text for the operator. A sentence that names a request is replaced by the command that shows the same, or left out. */
export function errorText(message: string): string {
  const sentences = message.split(/(?<=[.!?]) (?=[A-Z])/);
  const texts = sentences.map((sentence) => {
    if (!sentence.includes('/v1/')) return sentence;
    const [, command] = COMMANDS.find(([request]) => request.test(sentence)) ?? [];
    return command === undefined ? '' : `See: ${ADMIN} ${command}`;
  });
  return texts.filter((text, at) => text !== '' && texts.indexOf(text) === at).join(' ');
}
