import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { Failure } from '../output/failure.js';
import { fileFailure } from '../output/file-failure.js';
import { UsageError } from '../output/usage-error.js';
import { verifyChain } from './verify-chain.js';

/** Checks an export of the audit log on this machine, without the service. */
export async function run(invocation: Invocation): Promise<void> {
  const [action = '', file = ''] = invocation.words;
  if (action !== 'verify') throw new UsageError(`"${action}" is not verify`);
  const input = createReadStream(file, { encoding: 'utf8', signal: invocation.signal });
  const found = await verifyChain(createInterface({ input, crlfDelay: Infinity })).catch((error: unknown) => {
    throw fileFailure(file, error);
  });
  if ('problem' in found) throw new Failure(`${file}: line ${found.line} ${found.problem}.`);
  print(
    invocation,
    found,
    `${found.entries} entries, ${found.first} to ${found.last}, are a whole chain. Newest digest: ${found.digest}`,
  );
}
