const ADMIN = 'npm run --silent admin --';

/** Commands in place of the requests that errors of the service name as the next step: it has the same errors for customers. */
const COMMANDS: readonly (readonly [request: RegExp, command: string])[] = [
  [/\/v1\/jobs/, 'job list'],
  [/\/v1\/keys/, 'key list --account …'],
  [/\/v1\/devices/, 'device list'],
  [/\/v1\/session/, 'account list'],
];

/** An error of the service for the operator: each sentence that names a request becomes the command that shows the same. */
export function errorText(message: string): string {
  const sentences = message.split(/(?<=[.!?]) (?=[A-Z])/);
  const texts = sentences.map((sentence) => {
    if (!sentence.includes('/v1/')) return sentence;
    const [, command] = COMMANDS.find(([request]) => request.test(sentence)) ?? [];
    return command === undefined ? '' : `See: ${ADMIN} ${command}`;
  });
  return texts.filter((text, at) => text !== '' && texts.indexOf(text) === at).join(' ');
}
