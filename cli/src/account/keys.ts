import { CloudPhoneError } from '../../../client/src/errors.js';
import type { Invocation } from '../command/command.js';
import { Failure } from '../output/failure.js';
import { panelUrl } from '../service/base-url.js';
import { openService } from '../service/connection.js';
import { listItems } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';

/** Lists the keys of the account where the caller may see them. To an API key the service refuses this, so the panel's page is named. */
export async function run(invocation: Invocation): Promise<void> {
  const { url } = openService(invocation);
  try {
    await listItems<Schemas['ApiKey']>(invocation, {
      path: '/v1/keys',
      field: 'keys',
      none: 'No keys.',
      columns: [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['SCOPE', ({ scope }) => scope],
        ['BEGINS WITH', ({ prefix }) => prefix],
      ],
    });
  } catch (error) {
    if (!(error instanceof CloudPhoneError) || error.kind !== 'forbidden') throw error;
    throw new Failure(
      `${error.message} People make, see and revoke keys in the panel: ${panelUrl(url, '/settings/keys')}`,
    );
  }
}
