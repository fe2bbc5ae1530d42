import type { Transport } from '@connectrpc/connect';
import type { Clock } from '../../../kit/async/clock.js';
import type { HostSpace } from '../../../kit/files/host-space.js';
import type { Log } from '../../../kit/log/log.js';
import type { LibraryCopyStore } from '../../store/library-copies.js';
import type { AppFolders } from '../uploads/app-folders.js';
import { fetchLibraryFile } from './fetch-file.js';
import { LibraryFiles } from './library-files.js';
import { LibraryFolder } from './library-folder.js';

export interface LibraryParts {
  libraryCopies: LibraryCopyStore;
  appFolders: AppFolders;
  hostSpace: HostSpace;
  hostId: string;
  wayTo: (hostId: string) => Promise<Transport | undefined>;
  clock: Clock;
  log: Log;
}

/** Opens the files of the app libraries on this host. A file that is being fetched is in a folder of its own, which a crash leaves to a sweep. */
export function openLibrary({ appFolders, hostSpace, wayTo, ...parts }: LibraryParts): {
  libraryFolder: LibraryFolder;
  libraryFiles: LibraryFiles;
} {
  const { clock } = parts;
  const folder = new LibraryFolder(appFolders.library);
  const libraryFiles = new LibraryFiles({
    ...parts,
    folder,
    fetch: (copy, use, signal) => {
      const name = `fetched-${copy.sha256}`;
      return appFolders.hold(name, async () => {
        const to = appFolders.upload(name);
        await fetchLibraryFile({ wayTo, hostSpace, clock }, copy, to, signal);
        await use(to);
      });
    },
  });
  return { libraryFolder: folder, libraryFiles };
}
