import { basename } from 'node:path';
import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { factsOf } from '../output/columns.js';
import { plainLine } from '../output/plain-text.js';
import { sizeText } from '../output/sizes.js';
import { openService } from '../service/connection.js';
import { listItems } from '../service/list-items.js';
import { uploadFile } from '../service/transfer.js';
import type { Schemas } from '../service/types.js';

type LibraryApp = Schemas['LibraryApp'];

export const put = {
  run: async (invocation: Invocation): Promise<void> => {
    const [name = '', file = ''] = invocation.words;
    const body = await uploadFile<{ app: LibraryApp }>(invocation, openService(invocation), {
      method: 'PUT',
      path: `/v1/library/apps/${encodeURIComponent(name)}`,
      file,
      label: `upload ${basename(file)}`,
    });
    print(invocation, body, appFacts(body.app));
  },
};

export const get = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = ''] = words;
    const { phone } = openService(invocation);
    const body = await phone.get('/v1/library/apps/{name}', { params: { path: { name } }, signal });
    print(invocation, body, appFacts(body.app));
  },
};

export const remove = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = ''] = words;
    const { phone } = openService(invocation);
    await phone.delete('/v1/library/apps/{name}', { params: { path: { name } }, signal });
    print(invocation, {}, `my/${plainLine(name)} is deleted from the library.`);
  },
};

export const list = {
  run: (invocation: Invocation): Promise<void> =>
    listItems<LibraryApp>(invocation, {
      path: '/v1/library/apps',
      field: 'apps',
      none: 'The library is empty. Fill it: cloudphone library put NAME FILE',
      columns: [
        ['APP', ({ name }) => `my/${name}`],
        ['VERSION', ({ version }) => version],
        ['SIZE', ({ size }) => sizeText(size)],
        ['PACKAGE', ({ package: id }) => id],
        ['UPLOADED', ({ uploaded_at: at }) => at],
        ['USED', ({ last_used_at: at }) => at],
      ],
    }),
};

function appFacts(app: LibraryApp): string {
  return factsOf([
    ['app', `my/${app.name}`],
    ['package', app.package],
    ['version', app.version],
    ['size', sizeText(app.size)],
    ['sha256', app.sha256],
    ['uploaded', app.uploaded_at],
    ['used', app.last_used_at],
  ]);
}
