import { basename, posix } from 'node:path';
import type { Invocation } from '../command/command.js';
import { tableOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { sizeText } from '../output/sizes.js';
import { openService } from '../service/connection.js';
import { devicePath, itemsOf } from '../service/list-items.js';
import { downloadFile, uploadFile } from '../service/transfer.js';
import type { Schemas } from '../service/types.js';

type Entry = Schemas['FileEntry'];

export const push = {
  run: async (invocation: Invocation): Promise<void> => {
    const [name = '', local = '', remote = ''] = invocation.words;
    const path = remote.endsWith('/') ? remote + basename(local) : remote;
    const body = await uploadFile<Schemas['WriteFileResult']>(invocation, openService(invocation), {
      method: 'PUT',
      path: contentPath(name, path),
      file: local,
      label: `push ${basename(local)}`,
    });
    print(invocation, body, `${body.path}  ${sizeText(body.file.size)}`);
  },
};

export const pull = {
  run: async (invocation: Invocation): Promise<void> => {
    const [name = '', remote = '', local = posix.basename(remote)] = invocation.words;
    const size = await downloadFile(invocation, openService(invocation), {
      path: contentPath(name, remote),
      file: local,
      label: `pull ${posix.basename(remote)}`,
    });
    if (local !== '-') print(invocation, { file: local, size }, `${local}  ${sizeText(size)}`);
  },
};

export const list = {
  run: async (invocation: Invocation): Promise<void> => {
    const [name = '', path = '/sdcard'] = invocation.words;
    const query = { path };
    const listing = { path: devicePath(name, '/files'), query, field: 'entries' };
    const entries = await itemsOf<Entry>(invocation, openService(invocation), listing);
    const table = tableOf(entries, [
      ['MODE', ({ mode }) => mode],
      ['SIZE', ({ type, size }) => (type === 'file' ? sizeText(size) : undefined)],
      ['CHANGED', ({ modified_at: at }) => at],
      ['NAME', ({ name: entry, type }) => (type === 'directory' ? `${entry}/` : entry)],
    ]);
    print(invocation, { path, entries }, entries.length === 0 ? 'Empty.' : table);
  },
};

export const remove = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = '', ...paths] = words;
    const { phone } = openService(invocation);
    for (const path of paths) {
      const params = { path: { name }, query: { path } };
      await phone.delete('/v1/devices/{name}/files/content', { params, signal });
    }
    print(invocation, {}, paths.map((path) => `${path} is deleted.`).join('\n'));
  },
};

function contentPath(name: string, path: string): string {
  return devicePath(name, `/files/content?${new URLSearchParams({ path }).toString()}`);
}
