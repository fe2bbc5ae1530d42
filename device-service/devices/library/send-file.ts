import type { MessageInitShape } from '@bufbuild/protobuf';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { SendLibraryFileResponseSchema } from '../../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { LibraryFolder } from './library-folder.js';

/**
 * Sends a file of the libraries to another host, as fast as that host takes it. The file is open meanwhile, so its removal does not disturb
 * the other host.
 */
export async function* sendLibraryFile(
  folder: LibraryFolder,
  sha256: string,
): AsyncGenerator<MessageInitShape<typeof SendLibraryFileResponseSchema>> {
  const file = await folder.read(sha256);
  if (file === undefined) throw new ApiError('not_found', 'This host does not have the file.');
  try {
    yield { sizeBytes: file.sizeBytes };
    for await (const content of file.content) yield { content: content as Uint8Array<ArrayBuffer> };
  } finally {
    file.content.destroy();
  }
}
