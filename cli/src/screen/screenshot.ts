import { writeFile } from 'node:fs/promises';
import type { Invocation } from '../command/command.js';
import { fileFailure } from '../output/file-failure.js';
import { UsageError } from '../output/usage-error.js';
import { sizeText } from '../output/sizes.js';
import { openService } from '../service/connection.js';
import { devicePath } from '../service/list-items.js';

const MAX_SIDE_PX = 8_192;

export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  const [name = ''] = words;
  const file = options.text('output') ?? `${name}.png`;
  const format = options.text('format') ?? (/\.jpe?g$/.test(file) ? 'jpeg' : 'png');
  const maxSize = options.number('max-size', { min: 16, max: MAX_SIDE_PX });
  if (file === '-' && options.flag('json'))
    throw new UsageError('screenshot: --json and --output - exclude each other.');
  const query = new URLSearchParams({ format, ...(maxSize !== undefined && { max_size: String(maxSize) }) });
  const { phone } = openService(invocation);
  const response = await phone.request('GET', devicePath(name, `/screenshot?${query.toString()}`), { signal });
  const picture = new Uint8Array(await response.arrayBuffer());
  if (file === '-') {
    terminal.output.write(picture);
    return;
  }
  await writeFile(file, picture).catch((error: unknown) => {
    throw fileFailure(file, error);
  });
  const { length: size } = picture;
  terminal.line(options.flag('json') ? JSON.stringify({ file, size }) : `${file}  ${sizeText(size)}`);
}
